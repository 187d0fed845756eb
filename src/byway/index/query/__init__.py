"""Query builder: from a parsed query to a tantivy query."""
