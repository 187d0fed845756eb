"""The pages of admins."""
