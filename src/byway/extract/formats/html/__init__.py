"""From an HTML page to a document."""
