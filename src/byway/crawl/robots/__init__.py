"""robots.txt: parsed and matched (RFC 9309)."""
