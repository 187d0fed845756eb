"""Suggestions: autocomplete, did-you-mean and related searches."""
