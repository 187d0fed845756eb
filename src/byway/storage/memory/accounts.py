"""Account store in memory: SQLite without a file."""

import sqlite3
from threading import Lock

from byway.storage.sqlite.accounts import SCHEMA, SqliteAccountStore


class MemoryAccountStore(SqliteAccountStore):
    """The accounts of one process."""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._db.executescript(SCHEMA)
        self._db.execute("pragma foreign_keys = on")
        self._lock = Lock()

    def close(self) -> None:
        """The accounts stay until the process ends."""
