"""Anchor texts of the links to each page."""
