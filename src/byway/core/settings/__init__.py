"""Settings: their schema, their limits, and how they are loaded."""
