"""From a question to answers."""
