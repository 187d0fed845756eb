"""Product vocabulary: attribute names and values, shared by pages and queries."""
