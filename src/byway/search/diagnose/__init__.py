"""Diagnosis: why a query has no hits, and why a page does not match."""
