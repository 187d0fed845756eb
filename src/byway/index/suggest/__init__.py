"""Autocomplete: titles and anchor texts by prefix."""
