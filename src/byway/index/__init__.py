"""The search index: documents in, candidates out. tantivy is used in here only."""
