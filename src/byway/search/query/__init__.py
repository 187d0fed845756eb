"""The query parser."""
