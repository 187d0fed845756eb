"""Stores in SQLite: crawl.db, documents.db and accounts.db."""
