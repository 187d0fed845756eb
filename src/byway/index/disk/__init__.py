"""Index files: opening, commits, generations, rebuilds, checksums."""
