"""Verticals of a data folder, and the product use cases."""
