"""Autocomplete and related searches."""
