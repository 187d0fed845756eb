"""Crawl reports and link reports."""
