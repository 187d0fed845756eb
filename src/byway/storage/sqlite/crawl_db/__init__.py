"""crawl.db: frontier, hosts, page versions and links."""
