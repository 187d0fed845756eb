"""Ranking: signals, BM25, duplicates, host diversity, personal boosts."""
