"""Signals and the order of results."""
