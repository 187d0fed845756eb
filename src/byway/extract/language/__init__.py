"""Language detection."""
