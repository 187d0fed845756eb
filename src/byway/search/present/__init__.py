"""Presentation of hits: snippets, highlights, match locations."""
