"""Anchor texts: what links call a page."""
