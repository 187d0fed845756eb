"""PageRank of pages, hosts and sites, and of any list of edges."""
