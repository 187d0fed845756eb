"""Hits as they are shown: snippets, highlights, matches."""
