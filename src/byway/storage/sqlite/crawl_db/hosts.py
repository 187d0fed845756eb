"""Hosts of crawl.db: their table with a cache, and their queues of visits.

The host order and the next URLs of each host are in memory, the rest on disk. All queue operations
are quick and share one lock, because leasing and recording run in two threads.
"""

import heapq
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from byway.core.model import Visit

SELECT_HOST = "select id, url_count, crawl_delay from host where name = ?"
PREFETCHED_VISITS = 16
"""Visits held in memory per host."""
FindHosts = Callable[[int, int], list[int]]
"""`(after_id, limit)`: ids of hosts with queued URLs."""
LoadQueue = Callable[[int, int], list[Visit]]
"""`(host_id, limit)`: the first visits of a host's queue on disk."""


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
        """The host with this name, which must exist."""
        known = self._rows.get(name)
        return known or HostRow(*self._read_db.execute(SELECT_HOST, (name,)).fetchone())

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


@dataclass(slots=True)
class _HostQueue:
    """The queue of one host, and when the host becomes free."""

    free_at: float
    busy: bool = False
    in_heap: bool = False
    prefetched: deque[Visit] = field(default_factory=deque)
    claimed_ids: set[int] = field(default_factory=set)
    """Ids of prefetched or leased URLs: still queued on disk, but must not be leased twice."""

    @property
    def idle(self) -> bool:
        return not (self.busy or self.in_heap or self.prefetched or self.claimed_ids)


class HostQueues:
    """The hosts with queued URLs, in a heap ordered by the time they become free."""

    def __init__(
        self,
        load_queue: LoadQueue,
        free_at: Callable[[int], float],
        find_hosts: FindHosts,
        max_hosts: int,
    ) -> None:
        """`free_at`: when a host that was not yet visited in this run becomes free.

        At most `max_hosts` queues are in memory; `find_hosts` finds others on disk when there is
        room.
        """
        self._load_visits = load_queue
        self._free_at = free_at
        self._find_hosts = find_hosts
        self._max_hosts = max_hosts
        self._maybe_on_disk = False
        """Whether there may be hosts with queued URLs that are not in memory."""
        self._last_loaded_id = 0
        """The last host read from disk: hosts take turns by id."""
        self._lock = threading.Lock()
        self._hosts: dict[int, _HostQueue] = {}
        self._heap: list[tuple[float, int]] = []

    def __len__(self) -> int:
        return len(self._hosts)

    def wake(self, ids: Iterable[int]) -> None:
        """Add these hosts: they have newly queued URLs."""
        with self._lock:
            for id in ids:
                self._wake(id)

    def wake_all(self) -> None:
        """Look for queued URLs of all hosts on disk."""
        with self._lock:
            self._maybe_on_disk, self._last_loaded_id = True, 0
            self._load_hosts()

    def lease(self, limit: int, now: float) -> list[Visit]:
        """The next visit of each free host, at most `limit` visits."""
        visits: list[Visit] = []
        with self._lock:
            self._lease(visits, limit, now)
            while len(visits) < limit and self._has_room and self._load_hosts():
                self._lease(visits, limit, now)
        return visits

    def _lease(self, visits: list[Visit], limit: int, now: float) -> None:
        while len(visits) < limit and self._heap and self._heap[0][0] <= now:
            _, id = heapq.heappop(self._heap)
            host = self._hosts[id]
            host.in_heap = False
            if not host.prefetched:
                self._prefetch(id, host)
            if host.prefetched:
                host.busy = True
                visits.append(host.prefetched.popleft())
            elif host.idle:
                del self._hosts[id]

    def release(self, id: int, free_at: float, requeued: Visit | None = None) -> None:
        """End the visit to a host; `requeued` is the visit if it did not take place."""
        with self._lock:
            host = self._host(id)
            if requeued:
                host.prefetched.appendleft(requeued)
            host.busy = False
            host.free_at = free_at
            self._push(id, host)

    def forget_visit(self, id: int, visit: Visit) -> None:
        """Drop a visit whose outcome is on disk."""
        with self._lock:
            host = self._hosts.get(id)
            if host is not None:
                host.claimed_ids.discard(visit.id)
                if host.idle:
                    del self._hosts[id]

    def clear_prefetched(self) -> None:
        """Drop all prefetched visits, so that the queues are read from disk again."""
        with self._lock:
            for id, host in self._hosts.items():
                host.claimed_ids -= {visit.id for visit in host.prefetched}
                host.prefetched.clear()
                self._push(id, host)

    def next_lease_at(self) -> float | None:
        """When the next host is free; None if there is none."""
        with self._lock:
            if self._heap:
                return self._heap[0][0]
            return 0.0 if self._has_room else None

    @property
    def _has_room(self) -> bool:
        """Whether there is room for more hosts, and there may be some on disk."""
        return self._maybe_on_disk and len(self._hosts) <= self._max_hosts // 2

    def _wake(self, id: int) -> None:
        if id in self._hosts or len(self._hosts) < self._max_hosts:
            self._push(id, self._host(id))
        else:
            self._maybe_on_disk = True

    def _load_hosts(self) -> bool:
        """Load hosts from disk after the last loaded one; return whether more are likely."""
        room = self._max_hosts - len(self._hosts)
        ids = self._find_hosts(self._last_loaded_id, room)
        for id in ids:
            self._wake(id)
        if len(ids) < room:  # the end is reached: start over if earlier hosts were skipped
            self._maybe_on_disk = self._last_loaded_id > 0
            self._last_loaded_id = 0
        else:
            self._last_loaded_id = ids[-1]
        return bool(ids) or self._maybe_on_disk

    def _host(self, id: int) -> _HostQueue:
        host = self._hosts.get(id)
        if host is None:
            host = self._hosts[id] = _HostQueue(self._free_at(id))
        return host

    def _push(self, id: int, host: _HostQueue) -> None:
        if not host.busy and not host.in_heap:
            host.in_heap = True
            heapq.heappush(self._heap, (host.free_at, id))

    def _prefetch(self, id: int, host: _HostQueue) -> None:
        for visit in self._load_visits(id, PREFETCHED_VISITS + len(host.claimed_ids)):
            if visit.id not in host.claimed_ids:
                host.claimed_ids.add(visit.id)
                host.prefetched.append(visit)
