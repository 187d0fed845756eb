"""Page store in WARC files."""
