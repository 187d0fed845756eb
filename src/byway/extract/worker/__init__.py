"""Worker processes that extract pages within limits and can be killed."""
