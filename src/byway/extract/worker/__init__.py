"""A pool of worker processes that read pages and can be killed."""
