"""The frontier in SQLite: what we know of every URL, and one transaction for what is new.

`finish` runs in a thread and takes the write connection; `lease` runs in the crawl loop, reads
over a connection of its own and is never held up by a commit.
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from byway.backends.embedded import known
from byway.backends.embedded.database import open_to_read, open_to_write
from byway.backends.embedded.hosts import HostTable
from byway.backends.embedded.packed_links import pack_links
from byway.backends.embedded.queues import HostQueues
from byway.model import (
    Found,
    Job,
    Link,
    Outcome,
    Page,
    Place,
    RobotsFile,
    State,
    Url,
    UrlId,
    UrlRecord,
    Visit,
)
from byway.url import hash_of, host_of

REMEMBERED = 200_000
"""Numbers of URLs kept in memory: most links lead to pages that were linked to before."""

FIND_URL = "select id from url where hash = ? and url = ?"
ADD_URL = """
insert into url (id, hash, host, priority, depth, hops, seed, state, reason, url, job)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
FINISH_URL = "update url set state = ?, reason = ?, due = ?, tries = tries + 1 where id = ?"
ADD_PAGE = """
insert into page (url, fetched_at, status, digest, content, file, offset, length,
    body_file, body_offset, body_length)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
END_PAGE = "insert into page (url, fetched_at, status, digest, content) values (?, ?, ?, x'', 0)"
SET_LATEST = "replace into latest values (?, ?, ?, ?, ?, ?, ?, 0)"
CHECKED = "update latest set checked_at = ?, again_at = ?, interval = ?, missing = 0 where url = ?"
MISSED = "update latest set checked_at = ?, again_at = ?, missing = 1 where url = ? and missing = 0"
COUNT_STATE = """
insert into state_count values (?, ?) on conflict (state) do update set urls = urls + excluded.urls
"""
VOTE = "update url set priority = priority - ?2 where id = ?1 and state = 'queued'"
QUEUE_OF_HOST = """
select url.url, id, depth, hops, tries, seed, job,
    digest, etag, modified, interval, missing, reason, checked_at
from url left join latest on latest.url = url.id
where host = ? and state = 'queued' and job not in (select value from json_each(?))
and (digest is not null or job not in (select value from json_each(?)))
order by priority, id limit ?
"""
HOSTS_WITH_WORK = """
select id from host where id > ?
and exists (select 1 from url where host = host.id and state = 'queued') order by id limit ?
"""
DUE = "select host, state from url where due <= ?"
WAKE = "update url set state = 'queued', due = null where due <= ?"
NEXT_DUE = "select min(due) from url where due is not null"
STALE = """
select id, host from url join latest on latest.url = url.id
where again_at <= ? and state = 'kept' and (?2 = '' or job = (select id from job where name = ?2))
"""
CHANGED = """
select host from url join latest on latest.url = url.id
where id = ? and state = 'kept' and checked_at < ?
"""
ENTRIES = """
select id, host from url where seed = 1 and state = 'redirected' and reason like 'redirects to %'
"""
SAVE_ROBOTS = "replace into robots values (?, ?, ?, ?)"
ADD_TRAP = "insert into trap values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
QUEUE_PAUSED = """
update url set state = 'queued', reason = null where host = ? and state = 'paused' returning id
"""
GIVEN_UP = "select id, host from url where state = ? and due is null"
KEPT_AND_QUEUED = """
select count(*) from latest join url on url.id = latest.url where state = 'queued'
"""
QUEUE = "update url set state = 'queued', tries = 0 where id = ?"
MARK_SEED = """
update url set seed = 1, state = ?, reason = null, due = null, tries = 0, job = ? where id = ?
"""
QUEUE_AGAIN = """
update url set state = 'queued', reason = null, job = ?
where host = ? and state = 'out_of_scope' returning id
"""
SAVE_JOB = """
insert into job (name, reach) values (?, ?)
on conflict (name) do update set reach = excluded.reach returning id
"""


class SqliteFrontier:
    """URLs in crawl.db. One writer: it must hold the folder's `crawl` lock."""

    def __init__(
        self,
        path: Path,
        now: float = 0.0,
        delay: float = 0.0,
        per_host: int = 0,
        votes: bool = False,
        hosts: int = 50_000,
    ) -> None:
        """`delay`: a crawl that goes on leaves every host alone that long, from `now` on.

        `per_host`: how many URLs of one host are ever queued; 0 means no limit.

        `votes`: each link to a URL that waits moves it up in its host's queue.

        `hosts`: how many are kept in memory; the others wait on disk.
        """
        self._write = open_to_write(path)
        self._read = open_to_read(path)
        self._writing = threading.Lock()
        self._per_host = per_host
        self._votes = votes
        self._next_id: int = self._one("select coalesce(max(id), 0) + 1 from url")
        self._next_due: float | None = self._one(NEXT_DUE)
        self._ids: dict[str, int] = {}
        self._robots: list[tuple[str, float, int, bytes]] = []
        self._hosts = HostTable(self._write, self._read, hosts)
        # Whom we asked just before a crash is not on disk, so everyone rests once more from now.
        least = delay if self._next_id > 1 else 0.0
        self._queues = HostQueues(
            self._queue_of,
            lambda id: now + max(self._hosts.rest_of(id), least),
            self._hosts_with_work,
            hosts,
        )
        self._queues.wake_all()
        self._job_ids = {job: id for id, job, _ in known.job_rows(self._read)}
        self._job_names = {id: job for job, id in self._job_ids.items()}
        self._held: frozenset[int] = frozenset()
        self._full: frozenset[int] = frozenset()

    def close(self) -> None:
        """Let go of the files."""
        self._read.close()
        self._write.execute("pragma wal_checkpoint(truncate)")
        self._write.close()

    def add(self, found: Iterable[Found]) -> int:
        with self._transaction() as changes:
            for one in found:
                id = self._number(one, changes)
                if one.seed:
                    self._make_seed(one, UrlId(id), changes)
                if one.changed_at:
                    self._queue_changed(id, one.changed_at, changes)
        self._queues.wake(changes.hosts)
        return changes.added

    def lease(self, limit: int, now: float) -> list[Visit]:
        self._wake_due(now)
        return self._queues.lease(limit, now)

    def release(self, visit: Visit, free_at: float) -> None:
        self._queues.release(self._hosts[host_of(visit.url)].id, free_at)

    def put_back(self, visit: Visit, free_at: float) -> None:
        host = self._hosts[host_of(visit.url)].id
        job = self._job_ids[visit.job]
        if job in self._held or (job in self._full and visit.known is None):
            self._queues.let_go(host, visit)  # it is still queued on disk
            self._queues.release(host, free_at)
        else:
            self._queues.release(host, free_at, back=visit)

    def finish(self, outcomes: Sequence[Outcome]) -> list[int]:
        sequences: list[int] = []
        with self._transaction() as changes:
            for outcome in outcomes:
                sequences += self._record(outcome, changes)
        for outcome in outcomes:
            self._queues.let_go(self._hosts[host_of(outcome.visit.url)].id, outcome.visit)
        self._queues.wake(changes.hosts)
        return sequences

    def kept(self) -> int:
        counted = self._one("select coalesce(sum(urls), 0) from state_count where state = 'kept'")
        return int(counted + self._one(KEPT_AND_QUEUED))

    def queue_unreachable(self) -> int:
        lost = (State.UNREACHABLE, State.BLOCKED)
        return sum(self._queue_all(GIVEN_UP, (state,), state) for state in lost)

    def queue_stale(self, now: float, job: str = "") -> int:
        return self._queue_all(STALE, (now, job), State.KEPT)

    def queue_entries(self) -> int:
        return self._queue_all(ENTRIES, (), State.REDIRECTED)

    def traps(self) -> list[tuple[object, ...]]:
        return known.traps(self._read)

    def save_traps(self, rows: Iterable[tuple[object, ...]]) -> None:
        with self._transaction():
            self._write.execute("delete from trap")
            self._write.executemany(ADD_TRAP, rows)

    def robots(self, host: str) -> RobotsFile | None:
        return known.robots(self._read, host)

    def save_robots(self, host: str, file: RobotsFile) -> None:
        # Written with whatever is written next: a sync for each host alone would be dear.
        self._robots.append((host, *file))

    def kept_as(self, digest: bytes) -> list[Url]:
        return known.kept_as(self._read, digest)

    def queue_paused(self, host: str) -> int:
        """Queue what is paused of a host, to be judged again; return how many URLs that are."""
        with self._transaction() as changes:
            row = self._hosts.get(host)
            id = row.id if row else 0
            rows = self._write.execute(QUEUE_PAUSED, (id,)).fetchall()
            changes.states[State.PAUSED] -= len(rows)
            changes.states[State.QUEUED] += len(rows)
            changes.hosts |= {id} if rows else set()
        self._queues.wake(changes.hosts)
        return len(rows)

    def _queue_all(self, which: str, values: tuple[object, ...], state: State) -> int:
        """Queue again the URLs that a query finds, all of them in this state."""
        with self._transaction() as changes:
            rows = self._write.execute(which, values).fetchall()
            for id, host in rows:
                self._write.execute(QUEUE, (id,))
                changes.hosts.add(host)
            changes.states[state] -= len(rows)
            changes.states[State.QUEUED] += len(rows)
        self._queues.wake(changes.hosts)
        return len(rows)

    def next_at(self) -> float | None:
        times = (self._queues.next_at(), self._next_due)
        return min((time for time in times if time is not None), default=None)

    def jobs(self) -> list[Job]:
        return known.jobs(self._read)

    def save_job(self, job: Job) -> None:
        with self._transaction():
            row = self._write.execute(SAVE_JOB, (job.name, json.dumps(dict(job.reach)))).fetchone()
        self._job_ids[job.name] = row[0]
        self._job_names[row[0]] = job.name

    def hold(self, jobs: Collection[str], full: Collection[str] = ()) -> None:
        held = frozenset(self._job_ids[job] for job in jobs)
        no_new = frozenset(self._job_ids[job] for job in full)
        if (held, no_new) == (self._held, self._full):
            return
        freed = (self._held - held) | (self._full - no_new)
        self._held, self._full = held, no_new
        self._queues.forget_ahead()
        if freed:
            self._queues.wake_all()

    @property
    def hosts_in_memory(self) -> int:
        """Hosts that wait in memory."""
        return len(self._queues)

    def seeds(self) -> list[Url]:
        return known.seeds(self._read)

    def look_up(self, url: Url) -> UrlRecord | None:
        return known.look_up(self._read, url)

    def queues(self) -> list[tuple[str, int]]:
        return known.queues(self._read)

    def counts(self) -> Mapping[State, int]:
        return known.counts(self._read)

    # What one transaction changes.

    @contextmanager
    def _transaction(self) -> Iterator["_Changes"]:
        changes = _Changes()
        with self._writing:
            next_id = self._next_id
            self._hosts.trim()
            self._write.execute("begin immediate")
            try:
                yield changes
                self._write.executemany(COUNT_STATE, changes.states.items())
                robots, self._robots = self._robots, []
                self._write.executemany(SAVE_ROBOTS, robots)
                if self._votes:
                    self._write.executemany(VOTE, changes.votes.items())
                self._write.executemany(
                    "update host set urls = urls + ?2 where id = ?1", changes.urls.items()
                )
                self._write.execute("commit")
                self._note_dues(changes)
            except BaseException:
                self._write.execute("rollback")
                self._next_id = next_id
                self._ids.clear()
                self._hosts.forget()
                raise

    def _note_dues(self, changes: "_Changes") -> None:
        if changes.woken:
            self._next_due = self._one(NEXT_DUE)
        known = [] if self._next_due is None else [self._next_due]
        self._next_due = min(changes.dues + known, default=None)

    def _number(self, one: Found, changes: "_Changes") -> int:
        """The number of a URL, which it is given now if it has none."""
        known = self._ids.get(one.url)
        if known is not None:
            changes.votes[known] += self._votes
            return known
        hash = hash_of(one.url)
        row = self._write.execute(FIND_URL, (hash, one.url)).fetchone()
        id: int = row[0] if row else self._insert(one, hash, changes)
        if len(self._ids) >= REMEMBERED:
            self._ids.clear()
        self._ids[one.url] = id
        changes.votes[id] += self._votes
        return id

    def _insert(self, one: Found, hash: int, changes: "_Changes") -> int:
        id, self._next_id = self._next_id, self._next_id + 1
        host = self._hosts.made(host_of(one.url))
        state, reason = one.state, one.reason or None
        if state is State.QUEUED:
            if 0 < self._per_host <= host.urls and not one.seed:
                state = State.OUT_OF_SCOPE
                reason = f"more than {self._per_host:,} URLs of its host; crawl.max_urls_per_host"
            else:
                host.urls += 1
                changes.urls[host.id] += 1
                changes.hosts.add(host.id)
        row = (
            id,
            hash,
            host.id,
            one.priority,
            one.depth,
            one.hops,
            one.seed,
            state,
            reason,
            one.url,
        )
        self._write.execute(ADD_URL, (*row, self._job_ids[one.job]))
        changes.states[state] += 1
        changes.added += 1
        return id

    def _make_seed(self, one: Found, id: UrlId, changes: "_Changes", named: bool = True) -> None:
        """A person named this URL: whatever became of it before, it is in scope now.

        Not `named`, but led to by a seed: then one visit is enough, or loops would not end.
        """
        row = self._write.execute("select state from url where id = ?", (id,)).fetchone()
        state = State(row[0])
        if not named and state not in (State.QUEUED, State.OUT_OF_SCOPE):
            return
        wanted = State.KEPT if state is State.KEPT else State.QUEUED
        job = self._job_ids[one.job]
        self._write.execute(MARK_SEED, (wanted, job, id))
        host = self._hosts.made(host_of(one.url)).id
        again = self._write.execute(QUEUE_AGAIN, (job, host)).fetchall()
        changes.states[state] -= 1
        changes.states[wanted] += 1
        changes.states[State.OUT_OF_SCOPE] -= len(again)
        changes.states[State.QUEUED] += len(again)
        changes.hosts.add(host)

    def _queue_changed(self, id: int, at: float, changes: "_Changes") -> None:
        """Its site says that a page has changed: see it again, if we have not since."""
        row = self._write.execute(CHANGED, (id, at)).fetchone()
        if row:
            self._write.execute(QUEUE, (id,))
            changes.hosts.add(row[0])
            changes.states[State.KEPT] -= 1
            changes.states[State.QUEUED] += 1

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
                self._make_seed(one, UrlId(targets[one.url]), changes, named=False)
        if outcome.due is not None:
            changes.dues.append(outcome.due)
        self._remember_rest(outcome)
        if outcome.gone:
            yield self._end_page(outcome)
            return
        if outcome.page is None:
            return
        if outcome.links or outcome.place:
            links, anchors = pack_links(outcome.links, self._with_known(outcome.links, targets))
            self._write.execute("replace into link values (?, ?, ?)", (visit.id, links, anchors))
        yield from self._record_page(outcome, outcome.page)

    def _with_known(self, links: Iterable[Link], targets: dict[Url, int]) -> dict[Url, int]:
        """The numbers of a page's targets, with those known before that it will not vouch for."""
        for link in links:
            if link.nofollow and link.target not in targets:
                row = self._write.execute(FIND_URL, (hash_of(link.target), link.target)).fetchone()
                if row:
                    targets[link.target] = row[0]
        return targets

    def _record_page(self, outcome: Outcome, page: Page) -> Iterator[int]:
        id, at, interval = outcome.visit.id, page.fetched_at, outcome.interval
        if outcome.place is None:
            missed = page.status not in (200, 304)
            values = (at, at + interval, id) if missed else (at, at + interval, interval, id)
            self._write.execute(MISSED if missed else CHECKED, values)
            return
        digest = outcome.digest
        content = int.from_bytes(digest[:8], signed=True)
        place = _columns(outcome.place) + _columns(outcome.place.body)
        row = self._write.execute(ADD_PAGE, (id, at, page.status, digest, content, *place))
        headers = page.header("etag")[:1000], page.header("last-modified")[:100]
        self._write.execute(SET_LATEST, (id, digest, *headers, at, at + interval, interval))
        yield int(row.lastrowid or 0)

    def _end_page(self, outcome: Outcome) -> int:
        """A page is no more: it neither links to others nor can be found."""
        id, page = outcome.visit.id, outcome.page
        for table, column in (("latest", "url"), ("link", "source")):
            self._write.execute(f"delete from {table} where {column} = ?", (id,))
        at, status = (page.fetched_at, page.status) if page else (time.time(), 0)
        return int(self._write.execute(END_PAGE, (id, at, status)).lastrowid or 0)

    def _remember_rest(self, outcome: Outcome) -> None:
        host = self._hosts.made(host_of(outcome.visit.url))
        if outcome.rest != host.rest:
            host.rest = outcome.rest
            self._write.execute("update host set rest = ? where id = ?", (outcome.rest, host.id))

    # What is next.

    def _hosts_with_work(self, after: int, most: int) -> list[int]:
        return [id for (id,) in self._read.execute(HOSTS_WITH_WORK, (after, most))]

    def _queue_of(self, host: int, most: int) -> list[Visit]:
        held, full = json.dumps(list(self._held)), json.dumps(list(self._full))
        rows = self._read.execute(QUEUE_OF_HOST, (host, held, full, most))
        return [known.visit_of(row, self._job_names) for row in rows]

    def _wake_due(self, now: float) -> None:
        if self._next_due is None or self._next_due > now or self._writing.locked():
            return
        with self._transaction() as changes:
            for host, state in self._write.execute(DUE, (now,)).fetchall():
                changes.states[State(state)] -= 1
                changes.states[State.QUEUED] += 1
                changes.hosts.add(host)
            self._write.execute(WAKE, (now,))
            changes.woken = True
        self._queues.wake(changes.hosts)

    def _one(self, sql: str) -> Any:
        return self._write.execute(sql).fetchone()[0]


@dataclass(slots=True)
class _Changes:
    """What a transaction changes besides its rows: counts of states, hosts with new work."""

    states: Counter[State] = field(default_factory=Counter)
    hosts: set[int] = field(default_factory=set)
    urls: Counter[int] = field(default_factory=Counter)
    """How many URLs of each host are queued for the first time."""
    votes: Counter[int] = field(default_factory=Counter)
    """Links that lead to each URL."""
    added: int = 0
    dues: list[float] = field(default_factory=list)
    woken: bool = False
    """Are there fewer URLs waiting for their time than before?"""


def _columns(place: Place | None) -> tuple[object, object, object]:
    return (place.file, place.offset, place.length) if place else (None, None, None)
