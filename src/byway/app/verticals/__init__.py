"""Verticals: those of a data folder, and the use cases of products."""
