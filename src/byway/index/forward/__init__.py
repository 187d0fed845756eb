"""The forward index and the positional features read from it."""
