"""One folder on one machine: SQLite, WARC files and tantivy. No services."""
