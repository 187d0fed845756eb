"""Product search: queries for products, their facets and their order."""
