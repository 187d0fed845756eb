"""Sitemap fetching and parsing."""
