"""The hosts in crawl.db: number, budget and rest of each; those in use are kept in memory."""

import sqlite3
from dataclasses import dataclass

SELECT_HOST = "select id, url_count, crawl_delay from host where name = ?"


@dataclass(slots=True)
class HostRow:
    """What is known of one host."""

    id: int
    url_count: int = 0
    """How many of its URLs were ever queued."""
    crawl_delay: float = 0.0
    """Seconds it was last left alone."""


class HostTable:
    """Hosts by name. One thread writes; the crawl loop asks over a connection of its own."""

    def __init__(
        self, write: sqlite3.Connection, read: sqlite3.Connection, max_cached: int
    ) -> None:
        self._write = write
        self._read = read
        self._most = max_cached
        self._rows: dict[str, HostRow] = {}

    def __getitem__(self, name: str) -> HostRow:
        """A host that is recorded."""
        known = self._rows.get(name)
        return known or HostRow(*self._read.execute(SELECT_HOST, (name,)).fetchone())

    def get(self, name: str) -> HostRow | None:
        """A host, if there is one of that name."""
        row = self._read.execute(SELECT_HOST, (name,)).fetchone()
        return HostRow(*row) if row else None

    def get_or_create(self, name: str) -> HostRow:
        """For the writer: a host, which is recorded now if it was not."""
        known = self._rows.get(name)
        if known is None:
            row = self._write.execute(SELECT_HOST, (name,)).fetchone()
            known = HostRow(*row) if row else HostRow(self._insert(name))
            self._rows[name] = known
        return known

    def trim_cache(self) -> None:
        """Between two transactions: let go of all, when they have become too many."""
        if len(self._rows) > self._most:
            self.clear_cache()

    def clear_cache(self) -> None:
        """What is in memory may not be what is on disk."""
        self._rows.clear()

    def crawl_delay_of(self, id: int) -> float:
        """Seconds that a host was last left alone."""
        row = self._read.execute("select crawl_delay from host where id = ?", (id,)).fetchone()
        return row[0] if row else 0.0

    def _insert(self, name: str) -> int:
        return int(
            self._write.execute("insert into host (name) values (?)", (name,)).lastrowid or 0
        )
