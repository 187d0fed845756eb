"""Which host is next, and which of its URLs? A little of each queue in memory, the rest on disk.

Everything here is quick and under one lock, because leasing and recording run in two threads.
"""

import heapq
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from byway.core.model import Visit

PREFETCHED_VISITS = 16
"""URLs of a host that wait in memory."""

FindHosts = Callable[[int, int], list[int]]
"""Hosts with something to visit: those with a higher number than this, so many at most."""
LoadQueue = Callable[[int, int], list[Visit]]
"""Given a host's number and how many, the first visits of its queue on disk."""


@dataclass(slots=True)
class _HostQueue:
    """One host's queue: what is next, and when it may be asked."""

    free_at: float
    busy: bool = False
    in_heap: bool = False
    """Is it in the heap?"""
    prefetched: deque[Visit] = field(default_factory=deque)
    claimed_ids: set[int] = field(default_factory=set)
    """Ahead or under way: still queued on disk, not to be handed out twice."""

    @property
    def idle(self) -> bool:
        return not (self.busy or self.in_heap or self.prefetched or self.claimed_ids)


class HostQueues:
    """The hosts that have something to visit."""

    def __init__(
        self,
        load_queue: LoadQueue,
        free_at: Callable[[int], float],
        find_hosts: FindHosts,
        max_hosts: int,
    ) -> None:
        """`free_at`: when a host that we have not dealt with in this run may be asked.

        At most `max_hosts` hosts wait in memory; `find_hosts` finds those on disk when there is
        room.
        """
        self._refill = load_queue
        self._free_at = free_at
        self._more = find_hosts
        self._most = max_hosts
        self._on_disk = False
        """May there be hosts with work that are not in memory?"""
        self._after = 0
        """The host on disk that was looked at last: all have their turn."""
        self._lock = threading.Lock()
        self._hosts: dict[int, _HostQueue] = {}
        self._heap: list[tuple[float, int]] = []

    def __len__(self) -> int:
        return len(self._hosts)

    def wake(self, ids: Iterable[int]) -> None:
        """These hosts have something new to visit."""
        with self._lock:
            for id in ids:
                self._wake(id)

    def wake_all(self) -> None:
        """Any host may have something to visit."""
        with self._lock:
            self._on_disk, self._after = True, 0
            self._take_in()

    def lease(self, limit: int, now: float) -> list[Visit]:
        """The next visit of each host that is free, up to `limit` of them."""
        visits: list[Visit] = []
        with self._lock:
            self._lease(visits, limit, now)
            while len(visits) < limit and self._has_room and self._take_in():
                self._lease(visits, limit, now)
        return visits

    def _lease(self, visits: list[Visit], limit: int, now: float) -> None:
        while len(visits) < limit and self._heap and self._heap[0][0] <= now:
            _, id = heapq.heappop(self._heap)
            host = self._hosts[id]
            host.in_heap = False
            if not host.prefetched:
                self._fill(id, host)
            if host.prefetched:
                host.busy = True
                visits.append(host.prefetched.popleft())
            elif host.idle:
                del self._hosts[id]

    def release(self, id: int, free_at: float, requeued: Visit | None = None) -> None:
        """The host's visit is over, or it was not made and is put `requeued`."""
        with self._lock:
            host = self._host(id)
            if requeued:
                host.prefetched.appendleft(requeued)
            host.busy = False
            host.free_at = free_at
            self._wait(id, host)

    def forget_visit(self, id: int, visit: Visit) -> None:
        """The visit is recorded: it is on disk that it need not be made again."""
        with self._lock:
            host = self._hosts.get(id)
            if host is not None:
                host.claimed_ids.discard(visit.id)
                if host.idle:
                    del self._hosts[id]

    def clear_prefetched(self) -> None:
        """What waits in memory may no longer be what is next: it is read anew from disk."""
        with self._lock:
            for id, host in self._hosts.items():
                host.claimed_ids -= {visit.id for visit in host.prefetched}
                host.prefetched.clear()
                self._wait(id, host)

    def next_lease_at(self) -> float | None:
        """When the first host is free."""
        with self._lock:
            if self._heap:
                return self._heap[0][0]
            return 0.0 if self._has_room else None

    @property
    def _has_room(self) -> bool:
        """Is there enough room to look for more hosts on disk, where there may be some?"""
        return self._on_disk and len(self._hosts) <= self._most // 2

    def _wake(self, id: int) -> None:
        if id in self._hosts or len(self._hosts) < self._most:
            self._wait(id, self._host(id))
        else:
            self._on_disk = True

    def _take_in(self) -> bool:
        """Fill the memory with hosts that wait on disk, going on where we were last.

        Were there any, or may there be?
        """
        room = self._most - len(self._hosts)
        ids = self._more(self._after, room)
        for id in ids:
            self._wake(id)
        if len(ids) < room:  # that was the last of them: begin again, if any was passed over
            self._on_disk = self._after > 0
            self._after = 0
        else:
            self._after = ids[-1]
        return bool(ids) or self._on_disk

    def _host(self, id: int) -> _HostQueue:
        host = self._hosts.get(id)
        if host is None:
            host = self._hosts[id] = _HostQueue(self._free_at(id))
        return host

    def _wait(self, id: int, host: _HostQueue) -> None:
        if not host.busy and not host.in_heap:
            host.in_heap = True
            heapq.heappush(self._heap, (host.free_at, id))

    def _fill(self, id: int, host: _HostQueue) -> None:
        for visit in self._refill(id, PREFETCHED_VISITS + len(host.claimed_ids)):
            if visit.id not in host.claimed_ids:
                host.claimed_ids.add(visit.id)
                host.prefetched.append(visit)
