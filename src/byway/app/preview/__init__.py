"""What a crawl would do with a URL, a page or a site; nothing is stored."""
