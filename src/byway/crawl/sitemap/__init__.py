"""Sitemaps: fetched and parsed."""
