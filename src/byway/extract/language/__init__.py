"""Language detection of texts."""
