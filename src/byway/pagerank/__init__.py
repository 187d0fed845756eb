"""What do links say about pages, hosts and sites? PageRank."""
