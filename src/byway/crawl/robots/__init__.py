"""robots.txt parser and matcher (RFC 9309)."""
