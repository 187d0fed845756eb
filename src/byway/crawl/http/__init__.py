"""HTTP client: fetcher, SSRF guard and polite requests."""
