"""ASGI middleware: accounts, security, languages, load."""
