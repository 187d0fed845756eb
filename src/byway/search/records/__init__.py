"""Order, groups and facets of the records of a vertical."""
