"""One reader per media type."""
