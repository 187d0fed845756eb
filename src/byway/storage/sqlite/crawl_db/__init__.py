"""crawl.db: URLs, hosts, pages, links."""
