"""Index files: opening, commits, checksums."""
