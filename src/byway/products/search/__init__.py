"""Products in results: facets and order."""
