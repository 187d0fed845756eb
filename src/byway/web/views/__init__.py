"""View models: values formatted and sanitized for templates."""
