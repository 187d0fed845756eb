"""PageRank of pages, hosts and sites, and of any edge list."""
