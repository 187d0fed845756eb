"""The search index: documents in, candidates out. Only this package uses tantivy."""
