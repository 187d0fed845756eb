"""Products in a query: kinds, attributes, amounts."""
