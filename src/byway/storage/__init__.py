"""Implementations of the ports: SQLite, WARC files and memory. They import no pipeline stage.

All data is in one folder on one machine; there are no services.
"""
