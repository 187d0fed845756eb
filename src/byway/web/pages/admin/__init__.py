"""Admin pages."""
