"""Crawler traps: endless URL patterns and mirrored hosts."""
