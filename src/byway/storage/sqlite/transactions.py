"""Write transactions of crawl.db, with the counters that each transaction updates.

Caches (URL ids, hosts, time of the next retry) are never ahead of the committed data.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from byway.core.model import FrontierOptions, RobotsFile, UrlState
from byway.storage.sqlite.crawl_db.hosts import HostTable
from byway.storage.sqlite.crawl_db.schema import open_to_read, open_to_write

ADD_STATE_COUNT = """
insert into state_count values (?, ?)
on conflict (state) do update set url_count = url_count + excluded.url_count
"""
RAISE_PRIORITY = "update url set priority = priority - ?2 where id = ?1 and state = 'queued'"
SELECT_NEXT_RETRY = "select min(retry_at) from url where retry_at is not null"
SAVE_ROBOTS = "replace into robots_txt values (?, ?, ?, ?)"
ADD_HOST_URLS = "update host set url_count = url_count + ?2 where id = ?1"


@dataclass(slots=True)
class TransactionChanges:
    """Changes collected during a transaction and applied at its end."""

    state_deltas: Counter[UrlState] = field(default_factory=Counter)
    host_ids: set[int] = field(default_factory=set)
    new_urls_by_host: Counter[int] = field(default_factory=Counter)
    """URLs queued for the first time, by host id."""
    inlinks_by_url: Counter[int] = field(default_factory=Counter)
    """New inlinks, by URL id."""
    added_urls: int = 0
    retry_times: list[float] = field(default_factory=list)
    retries_changed: bool = False
    """Whether retry times were removed or changed, so that the next one must be reread."""

    def change_state(self, before: UrlState, after: UrlState, host_id: int) -> None:
        """Count the state change of a URL on this host."""
        self.state_deltas[before] -= 1
        self.state_deltas[after] += 1
        self.host_ids.add(host_id)


class CrawlDbWriter:
    """The one connection that writes to crawl.db; see `open_to_write` for durability."""

    def __init__(self, path: Path, options: FrontierOptions) -> None:
        self.db = open_to_write(path)
        self.read_db = open_to_read(path)
        """A connection for reads that must not wait for a transaction."""
        self.hosts = HostTable(self.db, self.read_db, options.max_hosts_in_memory)
        self.prioritize_by_inlinks = options.prioritize_by_inlinks
        self.next_id = int(self.select_value("select coalesce(max(id), 0) + 1 from url"))
        self.next_retry_at: float | None = self.select_value(SELECT_NEXT_RETRY)
        self.url_ids: dict[str, int] = {}
        """Cache of URL ids."""
        self._robots: list[tuple[str, float, int, bytes]] = []
        self._lock = threading.Lock()

    def close(self) -> None:
        """Checkpoint the write-ahead log and close the connections."""
        self.read_db.close()
        self.db.execute("pragma wal_checkpoint(truncate)")
        self.db.close()

    @property
    def busy(self) -> bool:
        """Whether a transaction is open."""
        return self._lock.locked()

    @contextmanager
    def transaction(self) -> Iterator[TransactionChanges]:
        """Run the block as a transaction: at its end, all of its changes are on disk, or none."""
        changes = TransactionChanges()
        with self._lock:
            next_id = self.next_id
            self.hosts.trim_cache()
            self.db.execute("begin immediate")
            try:
                yield changes
                self._write_changes(changes)
                self.db.execute("commit")
                self._update_next_retry(changes)
            except BaseException:
                self.db.execute("rollback")
                self.next_id = next_id
                self.url_ids.clear()
                self.hosts.clear_cache()
                raise

    def save_robots(self, host: str, file: RobotsFile) -> None:
        """Store a robots.txt with the next transaction: a sync per host would be expensive."""
        self._robots.append((host, *file))

    def select_value(self, sql: str) -> Any:
        """The single value a query returns."""
        return self.db.execute(sql).fetchone()[0]

    def _write_changes(self, changes: TransactionChanges) -> None:
        self.db.executemany(ADD_STATE_COUNT, changes.state_deltas.items())
        robots, self._robots = self._robots, []
        self.db.executemany(SAVE_ROBOTS, robots)
        if self.prioritize_by_inlinks:
            self.db.executemany(RAISE_PRIORITY, changes.inlinks_by_url.items())
        self.db.executemany(ADD_HOST_URLS, changes.new_urls_by_host.items())

    def _update_next_retry(self, changes: TransactionChanges) -> None:
        if changes.retries_changed:
            self.next_retry_at = self.select_value(SELECT_NEXT_RETRY)
        known = [] if self.next_retry_at is None else [self.next_retry_at]
        self.next_retry_at = min(changes.retry_times + known, default=None)
