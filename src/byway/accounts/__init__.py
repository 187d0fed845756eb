"""Accounts: passwords, sessions, invitations, API keys, and personal boosts."""
