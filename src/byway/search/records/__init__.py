"""Order, groups and facets of a vertical's records."""
