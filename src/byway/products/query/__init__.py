"""Product queries: kinds, attributes, prices and sizes in the words of a query."""
