"""Crawler traps: URL patterns, mirrors and calendars without end."""
