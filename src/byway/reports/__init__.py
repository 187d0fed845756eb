"""Reports for people: what a crawl did, who links to whom."""
