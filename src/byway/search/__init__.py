"""Search: query parsing and understanding, ranking, presentation, diagnosis, suggestions."""
