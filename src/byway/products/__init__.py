"""Products: records, prices and sizes, in one vocabulary for pages and queries."""
