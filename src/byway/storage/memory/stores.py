"""Everything in dictionaries: the reference for what each port means, and good for tests."""

from collections import Counter, defaultdict
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from byway.core.model import (
    Document,
    Found,
    Job,
    Known,
    Lost,
    Neighbour,
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
from byway.core.model.candidates import Ids
from byway.core.model.codec import unpack
from byway.core.ports import Ranks
from byway.core.url import host_of
from byway.storage.memory.search_index import MemoryAnchors as MemoryAnchors
from byway.storage.memory.search_index import MemoryIndex as MemoryIndex


class MemoryPages:
    """Pages in a list; a page is seen once the frontier has recorded it."""

    def __init__(self) -> None:
        self._appended: list[Page] = []
        self._places: dict[bytes, Place] = {}
        self._versions: list[tuple[UrlId, Page | None]] = []

    def append(self, pages: Sequence[tuple[Page, bytes]]) -> list[Place]:
        places = []
        for page, digest in pages:
            body = self._places.get(digest)
            place = Place("memory", len(self._appended), 1, body)
            self._places.setdefault(digest, place)
            self._appended.append(page)
            places.append(place)
        return places

    def record(self, place: Place | None, id: UrlId) -> int:
        """Show the page that was put at `place`, or its end; return the sequence number."""
        page = replace(self._appended[place.offset], id=id) if place else None
        self._versions.append((id, page))
        return len(self._versions)

    def get(self, id: UrlId) -> Page | None:
        return next((page for known, page in reversed(self._versions) if known == id), None)

    def after(self, sequence: int) -> Generator[tuple[int, UrlId, Page | None], None, None]:
        newest = {id: number for number, (id, _) in enumerate(self._versions, 1)}
        for number, (id, page) in enumerate(self._versions[sequence:], sequence + 1):
            if number == newest[id]:
                yield number, id, page

    def last(self) -> int:
        return len(self._versions)


@dataclass(slots=True)
class _Entry:
    """A URL and what became of it."""

    record: UrlRecord
    hops: int
    priority: int
    leased: bool = False
    known: Known | None = None
    again_at: float = 0.0
    job: str = ""


class MemoryGraph:
    """Links in a dict of lists, beside the URLs that the frontier knows."""

    def __init__(self) -> None:
        self.neighbours: dict[UrlId, list[Neighbour]] = {}
        self.host_numbers: dict[str, int] = {}
        self.known: dict[Url, _Entry] = {}

    def edges(
        self, nofollow: bool = False
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        for source, links in self.neighbours.items():
            targets = [link.id for link in links if nofollow or not link.nofollow]
            yield np.full(len(targets), source, np.int32), np.array(targets, np.int32)

    def size(self) -> int:
        return len(self.known) + 1

    def hosts(self) -> NDArray[np.int32]:
        numbers = [self.host_numbers[host_of(url)] for url in self.known]
        return np.array([0, *numbers], np.int32)

    def outgoing(self, id: UrlId) -> list[Neighbour]:
        return self.neighbours.get(id, [])

    def incoming(self, id: UrlId) -> Iterator[Neighbour]:
        for source, links in self.links():
            for link in links:
                if link.id == id:
                    yield link._replace(id=source)

    def leading_to(self, ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        wanted = set(ids.tolist())
        pairs = [
            (source, link.id)
            for source, links in self.links()
            for link in links
            if link.id in wanted
        ]
        sources, targets = np.array(pairs, np.int32).reshape(-1, 2).T
        return sources, targets

    def leading_from(self, ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        pairs = [
            (id, link.id) for id in ids.tolist() for link in self.outgoing(id) if not link.nofollow
        ]
        sources, targets = np.array(pairs, np.int32).reshape(-1, 2).T
        return sources, targets

    def ends(self) -> NDArray[np.int32]:
        ends = [self._end(entry.record) for entry in self.known.values()]
        return np.array([0, *ends], np.int32)

    def in_counts(self) -> NDArray[np.int32]:
        counts = np.zeros(self.size(), np.int32)
        for _, links in self.links():
            counts[[link.id for link in links]] += 1
        return counts

    def links(self) -> Iterator[tuple[UrlId, list[Neighbour]]]:
        yield from sorted(self.neighbours.items())

    def records(self, ids: Iterable[UrlId]) -> Mapping[UrlId, UrlRecord]:
        wanted = set(ids)
        records = [entry.record for entry in self.known.values()]
        return {record.id: record for record in records if record.id in wanted}

    def in_state(self, *states: State, among: Ids | None = None) -> Ids:
        records = [entry.record for entry in self.known.values()]
        found = np.array([record.id for record in records if record.state in states], np.int64)
        return found if among is None else found[np.isin(found, among)]

    def look_up(self, url: Url) -> UrlRecord | None:
        entry = self.known.get(url)
        return entry.record if entry else None

    def host_names(self) -> Mapping[int, str]:
        return {number: name for name, number in self.host_numbers.items()}

    def _end(self, start: UrlRecord) -> UrlId:
        record, seen = start, {start.url}
        while record.leads_to in self.known and record.leads_to not in seen:
            seen.add(record.leads_to)
            record = self.known[record.leads_to].record
        return start.id if record.leads_to in seen else record.id


class MemoryFrontier:
    """URLs in a dict. What it records shows in the pages and the graph it was given."""

    def __init__(self, pages: MemoryPages, graph: MemoryGraph) -> None:
        self._pages = pages
        self._graph = graph
        self._known = graph.known
        self._free_at: dict[str, float] = defaultdict(float)
        self._busy: set[str] = set()
        self._traps: list[tuple[object, ...]] = []
        self._robots: dict[str, RobotsFile] = {}
        self._jobs: dict[str, Job] = {"": Job()}
        self._held: frozenset[str] = frozenset()
        self._full: frozenset[str] = frozenset()

    def add(self, found: Iterable[Found]) -> int:
        before = len(self._known)
        for one in found:
            self._learn(one)
        return len(self._known) - before

    def take_over(self, visits: Iterable[Visit]) -> None:
        """Queue visits that another frontier made, a step before all that they lead to."""
        for visit in visits:
            record = UrlRecord(visit.url, visit.id, -1, State.QUEUED, "")
            self._known[visit.url] = _Entry(record, visit.hops, 0, known=visit.known)

    def lease(self, limit: int, now: float) -> list[Visit]:
        visits: list[Visit] = []
        for known in sorted(self._known.values(), key=lambda k: (k.priority, k.record.id)):
            self._wake(known, now)
            host = host_of(known.record.url)
            ready = self._waits(known) and not known.leased
            if not ready or host in self._busy or self._free_at[host] > now:
                continue
            if len(visits) < limit:
                known.leased = True
                self._busy.add(host)
                visits.append(_visit(known))
        return visits

    def release(self, visit: Visit, free_at: float) -> None:
        host = host_of(visit.url)
        self._busy.discard(host)
        self._free_at[host] = free_at

    def put_back(self, visit: Visit, free_at: float) -> None:
        self._known[visit.url].leased = False
        self.release(visit, free_at)

    def finish(self, outcomes: Sequence[Outcome]) -> list[int]:
        return [number for outcome in outcomes for number in self._record(outcome)]

    def kept(self) -> int:
        return sum(
            known.record.state is State.KEPT
            or (known.record.state is State.QUEUED and known.known is not None)
            for known in self._known.values()
        )

    def queue_unreachable(self) -> int:
        lost = [
            known
            for known in self._known.values()
            if known.record.state in (State.UNREACHABLE, State.BLOCKED) and known.record.due is None
        ]
        for known in lost:
            known.record = replace(known.record, state=State.QUEUED, tries=0)
        return len(lost)

    def queue_stale(self, now: float, job: str = "") -> int:
        stale = [
            known
            for known in self._known.values()
            if known.known and known.again_at <= now and known.record.state is State.KEPT
            if not job or known.job == job
        ]
        for known in stale:
            known.record = replace(known.record, state=State.QUEUED, tries=0)
        return len(stale)

    def queue_lost(self, lost: Sequence[Lost]) -> int:
        reasons = {one.id: one.reason for one in lost}
        for known in self._known.values():
            if known.record.id in reasons:
                known.record = replace(
                    known.record,
                    state=State.QUEUED,
                    reason=reasons[known.record.id],
                    tries=0,
                    due=None,
                )
                known.known = None
        return len(reasons)

    def queue_entries(self) -> int:
        entries = [
            known
            for known in self._known.values()
            if known.record.seed
            and known.record.state is State.REDIRECTED
            and known.record.reason.startswith("redirects to ")
        ]
        for known in entries:
            known.record = replace(known.record, state=State.QUEUED)
        return len(entries)

    def robots(self, host: str) -> RobotsFile | None:
        return self._robots.get(host)

    def save_robots(self, host: str, file: RobotsFile) -> None:
        self._robots[host] = file

    def kept_as(self, digest: bytes) -> list[Url]:
        entries = self._known.items()
        return [url for url, entry in entries if entry.known and entry.known.digest == digest]

    def traps(self) -> list[tuple[object, ...]]:
        return self._traps

    def save_traps(self, rows: Iterable[tuple[object, ...]]) -> None:
        self._traps = [tuple(row) for row in rows]

    def next_at(self) -> float | None:
        times = []
        for known in self._known.values():
            host = host_of(known.record.url)
            if known.record.due is not None:
                times.append(known.record.due)
            if self._waits(known) and not known.leased and host not in self._busy:
                times.append(self._free_at[host])
        return min(times, default=None)

    def next_try(self, by: float) -> UrlRecord | None:
        records = [known.record for known in self._known.values()]
        due = [one for one in records if one.due is not None and one.due <= by]
        waiting = [one for one in records if one.state is State.QUEUED and one.reason]
        return min(due, key=lambda one: one.due or 0.0, default=next(iter(waiting), None))

    def put_off(self) -> list[str]:
        records = [known.record for known in self._known.values()]
        return sorted({host_of(one.url) for one in records if one.due is not None})

    def bring_forward(self, due: float) -> None:
        for known in self._known.values():
            if known.record.due is not None:
                known.record = replace(known.record, due=min(due, known.record.due))

    def jobs(self) -> list[Job]:
        return [self._counted(job) for job in self._jobs.values()]

    def save_job(self, job: Job) -> None:
        self._jobs[job.name] = job

    def hold(self, jobs: Collection[str], full: Collection[str] = ()) -> None:
        self._held, self._full = frozenset(jobs), frozenset(full)

    def _waits(self, known: _Entry) -> bool:
        if known.job in self._full and known.known is None:
            return False
        return known.record.state is State.QUEUED and known.job not in self._held

    def _counted(self, job: Job) -> Job:
        own = [known.record for known in self._known.values() if known.job == job.name]
        states = Counter(record.state for record in own)
        seeds = tuple(record.url for record in own if record.seed)
        again = sum(
            known.known is not None and known.record.state is State.QUEUED
            for known in self._known.values()
            if known.job == job.name
        )
        return Job(job.name, job.reach, seeds, states[State.KEPT] + again, states[State.QUEUED])

    def seeds(self) -> list[Url]:
        return [url for url, known in self._known.items() if known.record.seed]

    def look_up(self, url: Url) -> UrlRecord | None:
        known = self._known.get(url)
        if known is None:
            return None
        page = self._pages.get(known.record.id)
        return replace(known.record, fetched_at=page.fetched_at if page else None)

    def queues(self) -> list[tuple[str, int]]:
        records = [known.record for known in self._known.values()]
        waiting = Counter(host_of(one.url) for one in records if one.state is State.QUEUED)
        return sorted(waiting.items(), key=lambda item: (-item[1], item[0]))

    def counts(self) -> Mapping[State, int]:
        return Counter(known.record.state for known in self._known.values())

    def _learn(self, one: Found, named: bool = True) -> int:
        known = self._known.get(one.url)
        if known is None:
            host = host_of(one.url)
            self._graph.host_numbers.setdefault(host, len(self._graph.host_numbers) + 1)
            id = UrlId(len(self._known) + 1)
            record = UrlRecord(one.url, id, one.depth, one.state, one.reason, one.seed)
            known = self._known[one.url] = _Entry(record, one.hops, one.priority, job=one.job)
        if one.changed_at and known.known and known.record.state is State.KEPT:
            page = self._pages.get(known.record.id)
            if page and page.fetched_at < one.changed_at:
                known.record = replace(known.record, state=State.QUEUED, tries=0)
        if one.seed and (named or known.record.state in (State.QUEUED, State.OUT_OF_SCOPE)):
            self._make_seed(known, one.job)
        return known.record.id

    def _make_seed(self, known: _Entry, job: str) -> None:
        known.job = job
        state = State.KEPT if known.record.state is State.KEPT else State.QUEUED
        known.record = replace(known.record, seed=True, state=state, reason="", due=None)
        for other in self._known.values():
            same_host = host_of(other.record.url) == host_of(known.record.url)
            if same_host and other.record.state is State.OUT_OF_SCOPE:
                other.record = replace(other.record, state=State.QUEUED, reason="")
                other.job = job

    def _record(self, outcome: Outcome) -> Iterator[int]:
        known = self._known[outcome.visit.url]
        known.leased = False
        known.record = replace(
            known.record,
            state=outcome.state,
            reason=outcome.reason,
            due=outcome.due,
            tries=known.record.tries + 1,
        )
        for one in outcome.found:
            self._learn(one, named=False)
        if outcome.page and (outcome.links or outcome.place):
            self._graph.neighbours[known.record.id] = [
                Neighbour(self._known[link.target].record.id, link.anchor, link.nofollow)
                for link in outcome.links
                if link.target in self._known
            ]
        if outcome.gone:
            known.known = None
            self._graph.neighbours.pop(known.record.id, None)
            yield self._pages.record(None, known.record.id)
        elif outcome.page:
            yield from self._record_page(known, outcome, outcome.page)

    def _record_page(self, known: _Entry, outcome: Outcome, page: Page) -> Iterator[int]:
        at, there = page.fetched_at, page.status in (200, 304)
        if outcome.place:
            headers = page.header("etag"), page.header("last-modified")
            known.known = Known(outcome.digest, *headers, outcome.interval, checked_at=at)
        elif known.known and there:
            seen = replace(known.known, interval=outcome.interval, missing=0, checked_at=at)
            known.known = seen
        elif known.known and not known.known.missing:
            known.known = replace(known.known, missing=1, checked_at=at)
        else:  # it was missed before, and when it was first is what counts
            return
        known.again_at = at + outcome.interval
        if outcome.place:
            yield self._pages.record(outcome.place, known.record.id)

    def _wake(self, known: _Entry, now: float) -> None:
        if known.record.due is not None and known.record.due <= now:
            known.record = replace(known.record, state=State.QUEUED, due=None)


def _visit(known: _Entry) -> Visit:
    record = known.record
    return Visit(
        record.url,
        record.id,
        record.depth,
        known.hops,
        record.tries,
        record.seed,
        known.known,
        known.job,
    )


class MemoryDocuments:
    """Documents in a dict, in the order they were put."""

    def __init__(self) -> None:
        self._documents: dict[UrlId, tuple[int, Document | None]] = {}

    def put(self, documents: Iterable[tuple[int, UrlId, bytes]]) -> None:
        for sequence, id, packed in documents:
            self._documents[id] = sequence, unpack(packed) if packed else None

    def get(self, id: UrlId) -> Document | None:
        return self._documents.get(id, (0, None))[1]

    def after(self, sequence: int, limit: int) -> list[tuple[int, UrlId, Document | None]]:
        rows = sorted((number, id, document) for id, (number, document) in self._documents.items())
        return [row for row in rows if row[0] > sequence][:limit]

    def last(self) -> int:
        return max((number for number, _ in self._documents.values()), default=0)


class MemoryRanks:
    """The last ranking, as it is."""

    def __init__(self) -> None:
        self._ranks = Ranks(np.zeros(0, np.float32), np.zeros(0, np.float32))

    def save(self, ranks: Ranks) -> None:
        self._ranks = ranks

    def load(self) -> Ranks:
        return self._ranks
