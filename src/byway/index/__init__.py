"""Documents in, candidates out; tantivy stays in here."""
