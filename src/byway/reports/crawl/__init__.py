"""Crawl report: figures, plots and an HTML page."""
