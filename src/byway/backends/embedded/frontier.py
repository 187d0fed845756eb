"""The frontier in SQLite: every URL on disk, a few of each host's queue in memory.

`finish` runs in a thread and takes the write connection; `lease` runs in the crawl loop, reads
over a connection of its own and is never held up by a commit.
"""

import heapq
import sqlite3
import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from byway.backends.embedded.database import open_to_read, open_to_write
from byway.backends.embedded.links import pack_links
from byway.model import Found, Outcome, State, Url, UrlId, UrlRecord, Visit
from byway.url import hash_of, host_of

AHEAD = 64
"""URLs of a host that wait in memory."""
REMEMBERED = 200_000
"""Numbers of URLs kept in memory: most links lead to pages that were linked to before."""

FIND_URL = "select id from url where hash = ? and url = ?"
ADD_URL = """
insert into url (id, hash, host, depth, hops, seed, state, reason, url)
values (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
FINISH_URL = "update url set state = ?, reason = ?, due = ?, tries = tries + 1 where id = ?"
ADD_PAGE = """
insert into page (url, fetched_at, status, digest, file, offset, length)
values (?, ?, ?, ?, ?, ?, ?)
"""
COUNT_STATE = """
insert into state_count values (?, ?) on conflict (state) do update set urls = urls + excluded.urls
"""
QUEUE_OF_HOST = """
select url, id, depth, hops, tries, seed from url
where host = ? and state = 'queued' order by depth, id limit ?
"""
HOSTS_WITH_WORK = """
select id from host where exists (select 1 from url where host = host.id and state = 'queued')
"""
DUE = "select host, state from url where due <= ?"
WAKE = "update url set state = 'queued', due = null where due <= ?"
NEXT_DUE = "select min(due) from url where due is not null"
MARK_SEED = "update url set seed = 1, state = ?, reason = null, due = null where id = ?"
QUEUE_AGAIN = """
update url set state = 'queued', reason = null
where host = ? and state = 'out_of_scope' returning id
"""
LOOK_UP = """
select url, id, depth, state, coalesce(reason, ''), seed, tries, due,
    (select max(fetched_at) from page where page.url = url.id)
from url where hash = ? and url = ?
"""


@dataclass(slots=True)
class _Host:
    """One host's queue: what is next, and when it may be asked."""

    free_at: float = 0.0
    busy: bool = False
    waiting: bool = False
    """Is it in the heap?"""
    ahead: deque[Visit] = field(default_factory=deque)
    taken: set[int] = field(default_factory=set)
    """Ahead or under way: still queued on disk, not to be handed out twice."""

    @property
    def idle(self) -> bool:
        return not (self.busy or self.waiting or self.ahead or self.taken)


class SqliteFrontier:
    """URLs in crawl.db. One writer: it must hold the folder's `crawl` lock."""

    def __init__(self, path: Path, free_at: float = 0.0) -> None:
        """`free_at`: no host is asked earlier, so that starting again never makes a burst."""
        self._write = open_to_write(path)
        self._read = open_to_read(path)
        self._writing = threading.Lock()
        self._lock = threading.Lock()
        self._free_at = free_at
        self._next_id: int = self._one("select coalesce(max(id), 0) + 1 from url")
        self._next_due: float | None = self._one(NEXT_DUE)
        self._ids: dict[str, int] = {}
        self._host_ids: dict[str, int] = dict(self._read.execute("select name, id from host"))
        self._hosts: dict[int, _Host] = {}
        self._heap: list[tuple[float, int]] = []
        self._wake_hosts(row[0] for row in self._read.execute(HOSTS_WITH_WORK))

    def close(self) -> None:
        """Let go of the files."""
        self._read.close()
        self._write.execute("pragma wal_checkpoint(truncate)")
        self._write.close()

    def add(self, found: Iterable[Found]) -> int:
        before = self._next_id
        with self._transaction() as changes:
            for one in found:
                id = self._number(one, changes)
                if one.seed:
                    self._make_seed(one, UrlId(id), changes)
        self._wake_hosts(changes.hosts)
        return self._next_id - before

    def lease(self, limit: int, now: float) -> list[Visit]:
        self._wake_due(now)
        visits: list[Visit] = []
        with self._lock:
            while len(visits) < limit and self._heap and self._heap[0][0] <= now:
                _, id = heapq.heappop(self._heap)
                host = self._hosts[id]
                host.waiting = False
                if not host.ahead:
                    self._refill(id, host)
                if host.ahead:
                    host.busy = True
                    visits.append(host.ahead.popleft())
                elif host.idle:
                    del self._hosts[id]
        return visits

    def release(self, visit: Visit, free_at: float) -> None:
        with self._lock:
            self._free(self._host_ids[host_of(visit.url)], free_at)

    def put_back(self, visit: Visit, free_at: float) -> None:
        with self._lock:
            id = self._host_ids[host_of(visit.url)]
            self._hosts[id].ahead.appendleft(visit)
            self._free(id, free_at)

    def finish(self, outcomes: Sequence[Outcome]) -> list[int]:
        sequences: list[int] = []
        with self._transaction() as changes:
            for outcome in outcomes:
                sequences += self._record(outcome, changes)
        self._let_go(outcome.visit for outcome in outcomes)
        self._wake_hosts(changes.hosts)
        dues = [outcome.due for outcome in outcomes if outcome.due is not None]
        known = [] if self._next_due is None else [self._next_due]
        self._next_due = min(dues + known, default=None)
        return sequences

    def next_at(self) -> float | None:
        with self._lock:
            times = [self._heap[0][0]] if self._heap else []
        if self._next_due is not None:
            times.append(self._next_due)
        return min(times, default=None)

    def seeds(self) -> list[Url]:
        return seeds(self._read)

    def look_up(self, url: Url) -> UrlRecord | None:
        return look_up(self._read, url)

    def counts(self) -> Mapping[State, int]:
        return counts(self._read)

    # What one transaction changes, besides its rows.

    @contextmanager
    def _transaction(self) -> Iterator["_Changes"]:
        changes = _Changes()
        next_id = self._next_id
        with self._writing:
            self._write.execute("begin immediate")
            try:
                yield changes
                self._write.executemany(COUNT_STATE, changes.states.items())
                self._write.execute("commit")
            except BaseException:
                self._write.execute("rollback")
                self._next_id = next_id
                self._ids.clear()
                self._host_ids = dict(self._write.execute("select name, id from host"))
                raise

    def _number(self, one: Found, changes: "_Changes") -> int:
        """The number of a URL, which it is given now if it has none."""
        known = self._ids.get(one.url)
        if known is not None:
            return known
        hash = hash_of(one.url)
        row = self._write.execute(FIND_URL, (hash, one.url)).fetchone()
        id: int = row[0] if row else self._insert(one, hash, changes)
        if len(self._ids) >= REMEMBERED:
            self._ids.clear()
        self._ids[one.url] = id
        return id

    def _insert(self, one: Found, hash: int, changes: "_Changes") -> int:
        id, self._next_id = self._next_id, self._next_id + 1
        host = self._host_number(host_of(one.url))
        self._write.execute(
            ADD_URL,
            (
                id,
                hash,
                host,
                one.depth,
                one.hops,
                one.seed,
                one.state,
                one.reason or None,
                one.url,
            ),
        )
        changes.states[one.state] += 1
        if one.state is State.QUEUED:
            changes.hosts.add(host)
        return id

    def _host_number(self, name: str) -> int:
        known = self._host_ids.get(name)
        if known is None:
            row = self._write.execute("insert into host (name) values (?)", (name,))
            known = self._host_ids[name] = int(row.lastrowid or 0)
        return known

    def _make_seed(self, one: Found, id: UrlId, changes: "_Changes") -> None:
        """A person named this URL: whatever became of it before, it is in scope now."""
        state = State(
            self._write.execute("select state from url where id = ?", (id,)).fetchone()[0]
        )
        wanted = State.KEPT if state is State.KEPT else State.QUEUED
        self._write.execute(MARK_SEED, (wanted, id))
        host = self._host_number(host_of(one.url))
        again = self._write.execute(QUEUE_AGAIN, (host,)).fetchall()
        changes.states[state] -= 1
        changes.states[wanted] += 1
        changes.states[State.OUT_OF_SCOPE] -= len(again)
        changes.states[State.QUEUED] += len(again)
        changes.hosts.add(host)

    def _record(self, outcome: Outcome, changes: "_Changes") -> Iterator[int]:
        visit = outcome.visit
        targets = {one.url: self._number(one, changes) for one in outcome.found}
        self._write.execute(
            FINISH_URL, (outcome.state, outcome.reason or None, outcome.due, visit.id)
        )
        changes.states[State.QUEUED] -= 1
        changes.states[outcome.state] += 1
        for one in outcome.found:
            if one.seed:
                self._make_seed(one, UrlId(targets[one.url]), changes)
        page, place = outcome.page, outcome.place
        if page is None or place is None:
            return
        links, anchors = pack_links(outcome.links, targets)
        self._write.execute("replace into link values (?, ?, ?)", (visit.id, links, anchors))
        digest = sha256(page.body).digest()
        row = self._write.execute(
            ADD_PAGE,
            (
                visit.id,
                page.fetched_at,
                page.status,
                digest,
                place.file,
                place.offset,
                place.length,
            ),
        )
        yield int(row.lastrowid or 0)

    # The queues in memory.

    def _refill(self, id: int, host: _Host) -> None:
        rows = self._read.execute(QUEUE_OF_HOST, (id, AHEAD + len(host.taken))).fetchall()
        for url, number, depth, hops, tries, seed in rows:
            if number not in host.taken:
                host.taken.add(number)
                host.ahead.append(Visit(url, number, depth, hops, tries, bool(seed)))

    def _let_go(self, visits: Iterable[Visit]) -> None:
        with self._lock:
            for visit in visits:
                id = self._host_ids[host_of(visit.url)]
                host = self._hosts[id]
                host.taken.discard(visit.id)
                if host.idle:
                    del self._hosts[id]

    def _free(self, id: int, free_at: float) -> None:
        host = self._hosts.setdefault(id, _Host())
        host.busy = False
        host.free_at = free_at
        self._wait(id, host)

    def _wait(self, id: int, host: _Host) -> None:
        if not host.busy and not host.waiting:
            host.waiting = True
            heapq.heappush(self._heap, (host.free_at, id))

    def _wake_hosts(self, ids: Iterable[int]) -> None:
        with self._lock:
            for id in ids:
                host = self._hosts.get(id)
                if host is None:
                    host = self._hosts[id] = _Host(free_at=self._free_at)
                self._wait(id, host)

    def _wake_due(self, now: float) -> None:
        if self._next_due is None or self._next_due > now or self._writing.locked():
            return
        with self._transaction() as changes:
            for host, state in self._write.execute(DUE, (now,)).fetchall():
                changes.states[State(state)] -= 1
                changes.states[State.QUEUED] += 1
                changes.hosts.add(host)
            self._write.execute(WAKE, (now,))
        self._next_due = self._one(NEXT_DUE)
        self._wake_hosts(changes.hosts)

    def _one(self, sql: str) -> Any:
        return self._write.execute(sql).fetchone()[0]


@dataclass(slots=True)
class _Changes:
    """What a transaction changes besides its rows: counts of states, hosts with new work."""

    states: Counter[State] = field(default_factory=Counter)
    hosts: set[int] = field(default_factory=set)


def look_up(db: sqlite3.Connection, url: Url) -> UrlRecord | None:
    """What became of this URL; None if we never heard of it."""
    row = db.execute(LOOK_UP, (hash_of(url), url)).fetchone()
    if row is None:
        return None
    url, id, depth, state, reason, seed, tries, due, fetched_at = row
    return UrlRecord(url, id, depth, State(state), reason, bool(seed), tries, due, fetched_at)


def counts(db: sqlite3.Connection) -> Mapping[State, int]:
    """How many URLs are in each state; those in none are left out."""
    rows = db.execute("select state, urls from state_count where urls > 0")
    return {State(state): urls for state, urls in rows}


def seeds(db: sqlite3.Connection) -> list[Url]:
    """The URLs people named, and where those redirected to, in the order they came."""
    return [Url(url) for (url,) in db.execute("select url from url where seed = 1 order by id")]
