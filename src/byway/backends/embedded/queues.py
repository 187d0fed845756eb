"""Which host is next, and which of its URLs? A little of each queue in memory, the rest on disk.

Everything here is quick and under one lock, because leasing and recording run in two threads.
"""

import heapq
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from byway.model import Visit

AHEAD = 16
"""URLs of a host that wait in memory."""

Refill = Callable[[int, int], list[Visit]]
"""Given a host's number and how many, the first visits of its queue on disk."""


@dataclass(slots=True)
class _Host:
    """One host's queue: what is next, and when it may be asked."""

    free_at: float
    busy: bool = False
    waiting: bool = False
    """Is it in the heap?"""
    ahead: deque[Visit] = field(default_factory=deque)
    taken: set[int] = field(default_factory=set)
    """Ahead or under way: still queued on disk, not to be handed out twice."""

    @property
    def idle(self) -> bool:
        return not (self.busy or self.waiting or self.ahead or self.taken)


class HostQueues:
    """The hosts that have something to visit."""

    def __init__(self, refill: Refill, free_at: Callable[[int], float]) -> None:
        """`free_at`: when a host that we have not dealt with in this run may be asked."""
        self._refill = refill
        self._free_at = free_at
        self._lock = threading.Lock()
        self._hosts: dict[int, _Host] = {}
        self._heap: list[tuple[float, int]] = []

    def wake(self, ids: Iterable[int]) -> None:
        """These hosts have something new to visit."""
        with self._lock:
            for id in ids:
                self._wait(id, self._host(id))

    def lease(self, limit: int, now: float) -> list[Visit]:
        """The next visit of each host that is free, up to `limit` of them."""
        visits: list[Visit] = []
        with self._lock:
            while len(visits) < limit and self._heap and self._heap[0][0] <= now:
                _, id = heapq.heappop(self._heap)
                host = self._hosts[id]
                host.waiting = False
                if not host.ahead:
                    self._fill(id, host)
                if host.ahead:
                    host.busy = True
                    visits.append(host.ahead.popleft())
                elif host.idle:
                    del self._hosts[id]
        return visits

    def release(self, id: int, free_at: float, back: Visit | None = None) -> None:
        """The host's visit is over, or it was not made and is put `back`."""
        with self._lock:
            host = self._host(id)
            if back:
                host.ahead.appendleft(back)
            host.busy = False
            host.free_at = free_at
            self._wait(id, host)

    def let_go(self, id: int, visit: Visit) -> None:
        """The visit is recorded: it is on disk that it need not be made again."""
        with self._lock:
            host = self._hosts.get(id)
            if host is not None:
                host.taken.discard(visit.id)
                if host.idle:
                    del self._hosts[id]

    def forget_ahead(self) -> None:
        """What waits in memory may no longer be what is next: it is read anew from disk."""
        with self._lock:
            for id, host in self._hosts.items():
                host.taken -= {visit.id for visit in host.ahead}
                host.ahead.clear()
                self._wait(id, host)

    def next_at(self) -> float | None:
        """When the first host is free."""
        with self._lock:
            return self._heap[0][0] if self._heap else None

    def _host(self, id: int) -> _Host:
        host = self._hosts.get(id)
        if host is None:
            host = self._hosts[id] = _Host(self._free_at(id))
        return host

    def _wait(self, id: int, host: _Host) -> None:
        if not host.busy and not host.waiting:
            host.waiting = True
            heapq.heappush(self._heap, (host.free_at, id))

    def _fill(self, id: int, host: _Host) -> None:
        for visit in self._refill(id, AHEAD + len(host.taken)):
            if visit.id not in host.taken:
                host.taken.add(visit.id)
                host.ahead.append(visit)
