"""From a parsed query to a tantivy query."""
