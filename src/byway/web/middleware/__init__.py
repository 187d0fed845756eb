"""ASGI middleware: authentication, security headers, CORS, compression, load shedding."""
