"""Pages in WARC files."""
