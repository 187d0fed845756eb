"""Previews of a crawl for a URL, a page or a site; nothing is stored."""
