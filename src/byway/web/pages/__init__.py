"""HTML pages. Each module declares its routes and their policy."""
