"""The host table of crawl.db, with a cache: id, URL budget and crawl delay of each host."""

import sqlite3
from dataclasses import dataclass

SELECT_HOST = "select id, url_count, crawl_delay from host where name = ?"


@dataclass(slots=True)
class HostRow:
    """One row of the host table."""

    id: int
    url_count: int = 0
    """Number of URLs ever queued for this host."""
    crawl_delay: float = 0.0
    """Last delay between requests, in seconds."""


class HostTable:
    """Hosts by name. One thread writes; the crawl loop reads on its own connection."""

    def __init__(
        self, write: sqlite3.Connection, read: sqlite3.Connection, max_cached: int
    ) -> None:
        self._write_db = write
        self._read_db = read
        self._max_cached = max_cached
        self._rows: dict[str, HostRow] = {}

    def __getitem__(self, name: str) -> HostRow:
        """An existing host."""
        known = self._rows.get(name)
        return known or HostRow(*self._read_db.execute(SELECT_HOST, (name,)).fetchone())

    def get(self, name: str) -> HostRow | None:
        """The host with that name, if it exists."""
        row = self._read_db.execute(SELECT_HOST, (name,)).fetchone()
        return HostRow(*row) if row else None

    def get_or_create(self, name: str) -> HostRow:
        """The host with that name, inserted if needed; for the writer only."""
        known = self._rows.get(name)
        if known is None:
            row = self._write_db.execute(SELECT_HOST, (name,)).fetchone()
            known = HostRow(*row) if row else HostRow(self._insert(name))
            self._rows[name] = known
        return known

    def trim_cache(self) -> None:
        """Clear the cache if it is too large; call it between two transactions."""
        if len(self._rows) > self._max_cached:
            self.clear_cache()

    def clear_cache(self) -> None:
        """Clear the cache, because it may differ from the disk."""
        self._rows.clear()

    def crawl_delay_of(self, id: int) -> float:
        """The last delay between requests to a host, in seconds."""
        row = self._read_db.execute("select crawl_delay from host where id = ?", (id,)).fetchone()
        return row[0] if row else 0.0

    def _insert(self, name: str) -> int:
        return int(
            self._write_db.execute("insert into host (name) values (?)", (name,)).lastrowid or 0
        )
