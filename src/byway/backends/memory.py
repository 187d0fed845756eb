"""Everything in dictionaries: the reference for what each port means, and good for tests."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from byway.backends.memory_index import MemoryAnchors as MemoryAnchors
from byway.backends.memory_index import MemoryIndex as MemoryIndex
from byway.model import (
    Document,
    Found,
    Known,
    Outcome,
    Page,
    Place,
    State,
    Url,
    UrlId,
    UrlRecord,
    Visit,
)
from byway.packed import unpack
from byway.ports import Ranks
from byway.url import host_of


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

    def after(self, sequence: int) -> Iterator[tuple[int, UrlId, Page | None]]:
        for number, (id, page) in enumerate(self._versions[sequence:], sequence + 1):
            yield number, id, page

    def last(self) -> int:
        return len(self._versions)


class MemoryGraph:
    """Links in a dict of lists."""

    def __init__(self) -> None:
        self.links: dict[int, list[int]] = {}
        self.anchors: dict[int, list[tuple[int, str]]] = {}
        self.host_numbers: list[int] = [0]

    def edges(self) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        for source, targets in self.links.items():
            yield np.full(len(targets), source, np.int32), np.array(targets, np.int32)

    def links_of(self, ids: Sequence[UrlId]) -> Iterator[tuple[UrlId, list[tuple[int, str]]]]:
        for id in ids:
            if id in self.anchors:
                yield id, self.anchors[id]

    def size(self) -> int:
        return len(self.host_numbers)

    def hosts(self) -> NDArray[np.int32]:
        return np.array(self.host_numbers, np.int32)


@dataclass(slots=True)
class _Entry:
    """A URL and what became of it."""

    record: UrlRecord
    hops: int
    priority: int
    leased: bool = False
    known: Known | None = None
    again_at: float = 0.0


class MemoryFrontier:
    """URLs in a dict. What it records shows in the pages and the graph it was given."""

    def __init__(self, pages: MemoryPages, graph: MemoryGraph) -> None:
        self._pages = pages
        self._graph = graph
        self._known: dict[Url, _Entry] = {}
        self._free_at: dict[str, float] = defaultdict(float)
        self._busy: set[str] = set()
        self._host_numbers: dict[str, int] = {}
        self._traps: list[tuple[object, ...]] = []

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
            ready = known.record.state is State.QUEUED and not known.leased
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

    def queue_stale(self, now: float) -> int:
        stale = [
            known
            for known in self._known.values()
            if known.known and known.again_at <= now and known.record.state is State.KEPT
        ]
        for known in stale:
            known.record = replace(known.record, state=State.QUEUED, tries=0)
        return len(stale)

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
            if known.record.state is State.QUEUED and not known.leased and host not in self._busy:
                times.append(self._free_at[host])
        return min(times, default=None)

    def seeds(self) -> list[Url]:
        return [url for url, known in self._known.items() if known.record.seed]

    def look_up(self, url: Url) -> UrlRecord | None:
        known = self._known.get(url)
        if known is None:
            return None
        page = self._pages.get(known.record.id)
        return replace(known.record, fetched_at=page.fetched_at if page else None)

    def counts(self) -> Mapping[State, int]:
        return Counter(known.record.state for known in self._known.values())

    def _learn(self, one: Found, named: bool = True) -> int:
        known = self._known.get(one.url)
        if known is None:
            host = host_of(one.url)
            self._graph.host_numbers.append(
                self._host_numbers.setdefault(host, len(self._host_numbers) + 1)
            )
            id = UrlId(len(self._known) + 1)
            record = UrlRecord(one.url, id, one.depth, one.state, one.reason, one.seed)
            known = self._known[one.url] = _Entry(record, one.hops, one.priority)
        if one.seed and (named or known.record.state in (State.QUEUED, State.OUT_OF_SCOPE)):
            self._make_seed(known)
        return known.record.id

    def _make_seed(self, known: _Entry) -> None:
        state = State.KEPT if known.record.state is State.KEPT else State.QUEUED
        known.record = replace(known.record, seed=True, state=state, reason="", due=None)
        for other in self._known.values():
            same_host = host_of(other.record.url) == host_of(known.record.url)
            if same_host and other.record.state is State.OUT_OF_SCOPE:
                other.record = replace(other.record, state=State.QUEUED, reason="")

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
        numbers = {one.url: self._learn(one, named=False) for one in outcome.found}
        if outcome.page and (outcome.links or outcome.place):
            self._graph.links[known.record.id] = [
                numbers[link.target]
                for link in outcome.links
                if link.target in numbers and not link.nofollow
            ]
            self._graph.anchors[known.record.id] = [
                (-numbers[link.target] if link.nofollow else numbers[link.target], link.anchor)
                for link in outcome.links
                if link.target in numbers
            ]
        if outcome.gone:
            known.known = None
            self._graph.links.pop(known.record.id, None)
            self._graph.anchors.pop(known.record.id, None)
            yield self._pages.record(None, known.record.id)
        elif outcome.page:
            yield from self._record_page(known, outcome, outcome.page)

    def _record_page(self, known: _Entry, outcome: Outcome, page: Page) -> Iterator[int]:
        known.again_at = page.fetched_at + outcome.interval
        if outcome.place:
            headers = page.header("etag"), page.header("last-modified")
            known.known = Known(outcome.digest, *headers, outcome.interval)
        elif known.known:
            there = page.status in (200, 304)
            known.known = (
                replace(known.known, interval=outcome.interval, missing=0)
                if there
                else replace(known.known, missing=known.known.missing + 1)
            )
        if outcome.place:
            yield self._pages.record(outcome.place, known.record.id)

    def _wake(self, known: _Entry, now: float) -> None:
        if known.record.due is not None and known.record.due <= now:
            known.record = replace(known.record, state=State.QUEUED, due=None)


def _visit(known: _Entry) -> Visit:
    record = known.record
    return Visit(
        record.url, record.id, record.depth, known.hops, record.tries, record.seed, known.known
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
