"""In-memory reference stores: they define what each port means, and are used in tests."""

from collections import Counter, defaultdict
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from byway.core.model import (
    DiscoveredUrl,
    Document,
    Job,
    Neighbour,
    Outcome,
    Page,
    PreviousFetch,
    RecordLocation,
    RobotsFile,
    UnreadablePage,
    Url,
    UrlId,
    UrlRecord,
    UrlState,
    Visit,
)
from byway.core.model.candidates import Ids
from byway.core.model.codec import unpack
from byway.core.model.message import NO_REASON
from byway.core.ports import Ranks
from byway.core.url import host_of
from byway.storage.memory.search_index import MemoryAnchorStore as MemoryAnchorStore
from byway.storage.memory.search_index import MemorySearchIndex as MemorySearchIndex


class MemoryPageStore:
    """Pages in a list; a page is visible once the frontier has recorded it."""

    def __init__(self) -> None:
        self._appended: list[Page] = []
        self._locations: dict[bytes, RecordLocation] = {}
        self._versions: list[tuple[UrlId, Page | None]] = []

    def append(self, pages: Sequence[tuple[Page, bytes]]) -> list[RecordLocation]:
        locations = []
        for page, digest in pages:
            body = self._locations.get(digest)
            location = RecordLocation("memory", len(self._appended), 1, body)
            self._locations.setdefault(digest, location)
            self._appended.append(page)
            locations.append(location)
        return locations

    def record_version(self, location: RecordLocation | None, id: UrlId) -> int:
        """Record the page at `location`, or a tombstone; return the sequence number."""
        page = replace(self._appended[location.offset], id=id) if location else None
        self._versions.append((id, page))
        return len(self._versions)

    def get(self, id: UrlId) -> Page | None:
        return next((page for known, page in reversed(self._versions) if known == id), None)

    def changes_since(self, sequence: int) -> Generator[tuple[int, UrlId, Page | None], None, None]:
        newest = {id: number for number, (id, _) in enumerate(self._versions, 1)}
        for number, (id, page) in enumerate(self._versions[sequence:], sequence + 1):
            if number == newest[id]:
                yield number, id, page

    def last_sequence(self) -> int:
        return len(self._versions)


@dataclass(slots=True)
class _UrlEntry:
    """The state of one URL."""

    record: UrlRecord
    redirect_hops: int
    priority: int
    leased: bool = False
    previous_fetch: PreviousFetch | None = None
    revisit_at: float = 0.0
    job: str = ""


class MemoryLinkGraph:
    """Links in a dict of lists, and the URLs of the frontier."""

    def __init__(self) -> None:
        self.links_by_source: dict[UrlId, list[Neighbour]] = {}
        self.host_ids_by_name: dict[str, int] = {}
        self.entries: dict[Url, _UrlEntry] = {}

    def edges(
        self, nofollow: bool = False
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        for source, links in self.links_by_source.items():
            targets = [link.id for link in links if nofollow or not link.nofollow]
            yield np.full(len(targets), source, np.int32), np.array(targets, np.int32)

    def size(self) -> int:
        return len(self.entries) + 1

    def host_ids(self) -> NDArray[np.int32]:
        numbers = [self.host_ids_by_name[host_of(url)] for url in self.entries]
        return np.array([0, *numbers], np.int32)

    def outlinks(self, id: UrlId) -> list[Neighbour]:
        return self.links_by_source.get(id, [])

    def inlinks(self, id: UrlId) -> Iterator[Neighbour]:
        for source, links in self.all_outlinks():
            for link in links:
                if link.id == id:
                    yield link._replace(id=source)

    def edges_to(self, ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        wanted = set(ids.tolist())
        pairs = [
            (source, link.id)
            for source, links in self.all_outlinks()
            for link in links
            if link.id in wanted
        ]
        sources, targets = np.array(pairs, np.int32).reshape(-1, 2).T
        return sources, targets

    def edges_from(self, ids: Ids) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        pairs = [
            (id, link.id) for id in ids.tolist() for link in self.outlinks(id) if not link.nofollow
        ]
        sources, targets = np.array(pairs, np.int32).reshape(-1, 2).T
        return sources, targets

    def redirect_targets(self) -> NDArray[np.int32]:
        ends = [self._redirect_target(entry.record) for entry in self.entries.values()]
        return np.array([0, *ends], np.int32)

    def in_degrees(self) -> NDArray[np.int32]:
        counts = np.zeros(self.size(), np.int32)
        for _, links in self.all_outlinks():
            counts[[link.id for link in links]] += 1
        return counts

    def all_outlinks(self) -> Iterator[tuple[UrlId, list[Neighbour]]]:
        yield from sorted(self.links_by_source.items())

    def url_records(self, ids: Iterable[UrlId]) -> Mapping[UrlId, UrlRecord]:
        wanted = set(ids)
        records = [entry.record for entry in self.entries.values()]
        return {record.id: record for record in records if record.id in wanted}

    def ids_in_state(self, *states: UrlState, among: Ids | None = None) -> Ids:
        records = [entry.record for entry in self.entries.values()]
        found = np.array([record.id for record in records if record.state in states], np.int64)
        return found if among is None else found[np.isin(found, among)]

    def find_url(self, url: Url) -> UrlRecord | None:
        entry = self.entries.get(url)
        return entry.record if entry else None

    def host_names(self) -> Mapping[int, str]:
        return {number: name for name, number in self.host_ids_by_name.items()}

    def _redirect_target(self, start: UrlRecord) -> UrlId:
        record, seen = start, {start.url}
        while record.redirect_target in self.entries and record.redirect_target not in seen:
            seen.add(record.redirect_target)
            record = self.entries[record.redirect_target].record
        return start.id if record.redirect_target in seen else record.id


class MemoryFrontier:
    """URLs in a dict. It records page versions and links in the given stores."""

    def __init__(self, pages: MemoryPageStore, graph: MemoryLinkGraph) -> None:
        self._pages = pages
        self._graph = graph
        self._entries = graph.entries
        self._free_at: dict[str, float] = defaultdict(float)
        self._busy: set[str] = set()
        self._traps: list[tuple[object, ...]] = []
        self._robots: dict[str, RobotsFile] = {}
        self._jobs: dict[str, Job] = {"": Job()}
        self._paused_jobs: frozenset[str] = frozenset()
        self._full_jobs: frozenset[str] = frozenset()

    def add(self, urls: Iterable[DiscoveredUrl]) -> int:
        before = len(self._entries)
        for one in urls:
            self._add_url(one)
        return len(self._entries) - before

    def queue_visits(self, visits: Iterable[Visit]) -> None:
        """Queue visits leased from another frontier, ahead of all URLs they discover."""
        for visit in visits:
            record = UrlRecord(visit.url, visit.id, -1, UrlState.QUEUED)
            self._entries[visit.url] = _UrlEntry(
                record, visit.redirect_hops, 0, previous_fetch=visit.previous_fetch
            )

    def lease(self, limit: int, now: float) -> list[Visit]:
        visits: list[Visit] = []
        for known in sorted(self._entries.values(), key=lambda k: (k.priority, k.record.id)):
            self._requeue_if_due(known, now)
            host = host_of(known.record.url)
            ready = self._is_queued(known) and not known.leased
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

    def requeue_visit(self, visit: Visit, free_at: float) -> None:
        self._entries[visit.url].leased = False
        self.release(visit, free_at)

    def finish(self, outcomes: Sequence[Outcome]) -> list[int]:
        return [number for outcome in outcomes for number in self._record(outcome)]

    def count_kept(self) -> int:
        return sum(
            known.record.state is UrlState.KEPT
            or (known.record.state is UrlState.QUEUED and known.previous_fetch is not None)
            for known in self._entries.values()
        )

    def requeue_unreachable(self) -> int:
        failed = [
            known
            for known in self._entries.values()
            if known.record.state in (UrlState.UNREACHABLE, UrlState.BLOCKED)
            and known.record.retry_at is None
        ]
        for known in failed:
            known.record = replace(known.record, state=UrlState.QUEUED, attempts=0)
        return len(failed)

    def queue_revisits(self, now: float, job: str = "") -> int:
        stale = [
            known
            for known in self._entries.values()
            if known.previous_fetch
            and known.revisit_at <= now
            and known.record.state is UrlState.KEPT
            if not job or known.job == job
        ]
        for known in stale:
            known.record = replace(known.record, state=UrlState.QUEUED, attempts=0)
        return len(stale)

    def requeue_unreadable(self, pages: Sequence[UnreadablePage]) -> int:
        reasons = {one.id: one.reason for one in pages}
        for known in self._entries.values():
            if known.record.id in reasons:
                known.record = replace(
                    known.record,
                    state=UrlState.QUEUED,
                    reason=reasons[known.record.id],
                    attempts=0,
                    retry_at=None,
                )
                known.previous_fetch = None
        return len(reasons)

    def requeue_redirecting_seeds(self) -> int:
        entries = [
            known
            for known in self._entries.values()
            if known.record.seed
            and known.record.state is UrlState.REDIRECTED
            and known.record.reason.code == "redirect"
        ]
        for known in entries:
            known.record = replace(known.record, state=UrlState.QUEUED, redirect_target=None)
        return len(entries)

    def robots(self, host: str) -> RobotsFile | None:
        return self._robots.get(host)

    def save_robots(self, host: str, file: RobotsFile) -> None:
        self._robots[host] = file

    def urls_with_digest(self, digest: bytes) -> list[Url]:
        entries = self._entries.items()
        return [
            url
            for url, entry in entries
            if entry.previous_fetch and entry.previous_fetch.digest == digest
        ]

    def traps(self) -> list[tuple[object, ...]]:
        return self._traps

    def save_traps(self, rows: Iterable[tuple[object, ...]]) -> None:
        self._traps = [tuple(row) for row in rows]

    def next_lease_at(self) -> float | None:
        times = []
        for known in self._entries.values():
            host = host_of(known.record.url)
            if known.record.retry_at is not None:
                times.append(known.record.retry_at)
            if self._is_queued(known) and not known.leased and host not in self._busy:
                times.append(self._free_at[host])
        return min(times, default=None)

    def next_retry(self, by: float) -> UrlRecord | None:
        records = [known.record for known in self._entries.values()]
        due = [one for one in records if one.retry_at is not None and one.retry_at <= by]
        waiting = [one for one in records if one.state is UrlState.QUEUED and one.reason]
        return min(due, key=lambda one: one.retry_at or 0.0, default=next(iter(waiting), None))

    def hosts_awaiting_retry(self) -> list[str]:
        records = [known.record for known in self._entries.values()]
        return sorted({host_of(one.url) for one in records if one.retry_at is not None})

    def advance_retries(self, latest: float) -> None:
        for known in self._entries.values():
            if known.record.retry_at is not None:
                known.record = replace(known.record, retry_at=min(latest, known.record.retry_at))

    def jobs(self) -> list[Job]:
        return [self._with_counts(job) for job in self._jobs.values()]

    def save_job(self, job: Job) -> None:
        self._jobs[job.name] = job

    def set_paused_jobs(self, jobs: Collection[str], full_jobs: Collection[str] = ()) -> None:
        self._paused_jobs, self._full_jobs = frozenset(jobs), frozenset(full_jobs)

    def _is_queued(self, known: _UrlEntry) -> bool:
        if known.job in self._full_jobs and known.previous_fetch is None:
            return False
        return known.record.state is UrlState.QUEUED and known.job not in self._paused_jobs

    def _with_counts(self, job: Job) -> Job:
        own = [known.record for known in self._entries.values() if known.job == job.name]
        states = Counter(record.state for record in own)
        seeds = tuple(record.url for record in own if record.seed)
        revisits = sum(
            known.previous_fetch is not None and known.record.state is UrlState.QUEUED
            for known in self._entries.values()
            if known.job == job.name
        )
        return Job(
            job.name,
            job.overrides,
            seeds,
            states[UrlState.KEPT] + revisits,
            states[UrlState.QUEUED],
        )

    def seeds(self) -> list[Url]:
        return [url for url, known in self._entries.items() if known.record.seed]

    def find_url(self, url: Url) -> UrlRecord | None:
        known = self._entries.get(url)
        if known is None:
            return None
        page = self._pages.get(known.record.id)
        return replace(known.record, fetched_at=page.fetched_at if page else None)

    def queue_lengths(self) -> list[tuple[str, int]]:
        records = [known.record for known in self._entries.values()]
        waiting = Counter(host_of(one.url) for one in records if one.state is UrlState.QUEUED)
        return sorted(waiting.items(), key=lambda item: (-item[1], item[0]))

    def state_counts(self) -> Mapping[UrlState, int]:
        return Counter(known.record.state for known in self._entries.values())

    def _add_url(self, one: DiscoveredUrl, explicit: bool = True) -> int:
        known = self._entries.get(one.url)
        if known is None:
            host = host_of(one.url)
            self._graph.host_ids_by_name.setdefault(host, len(self._graph.host_ids_by_name) + 1)
            id = UrlId(len(self._entries) + 1)
            record = UrlRecord(one.url, id, one.depth, one.state, one.reason, one.seed)
            known = self._entries[one.url] = _UrlEntry(
                record, one.redirect_hops, one.priority, job=one.job
            )
        if one.changed_at and known.previous_fetch and known.record.state is UrlState.KEPT:
            page = self._pages.get(known.record.id)
            if page and page.fetched_at < one.changed_at:
                known.record = replace(known.record, state=UrlState.QUEUED, attempts=0)
        if one.seed and (
            explicit or known.record.state in (UrlState.QUEUED, UrlState.OUT_OF_SCOPE)
        ):
            self._make_seed(known, one.job)
        return known.record.id

    def _make_seed(self, known: _UrlEntry, job: str) -> None:
        known.job = job
        state = UrlState.KEPT if known.record.state is UrlState.KEPT else UrlState.QUEUED
        known.record = replace(
            known.record,
            seed=True,
            state=state,
            reason=NO_REASON,
            redirect_target=None,
            retry_at=None,
        )
        for other in self._entries.values():
            same_host = host_of(other.record.url) == host_of(known.record.url)
            if same_host and other.record.state is UrlState.OUT_OF_SCOPE:
                other.record = replace(other.record, state=UrlState.QUEUED, reason=NO_REASON)
                other.job = job

    def _record(self, outcome: Outcome) -> Iterator[int]:
        known = self._entries[outcome.visit.url]
        known.leased = False
        known.record = replace(
            known.record,
            state=outcome.state,
            reason=outcome.reason,
            redirect_target=outcome.redirect_target,
            retry_at=outcome.retry_at,
            attempts=known.record.attempts + 1,
        )
        for one in outcome.discovered_urls:
            self._add_url(one, explicit=False)
        if outcome.page and (outcome.links or outcome.location):
            self._graph.links_by_source[known.record.id] = [
                Neighbour(self._entries[link.target].record.id, link.anchor, link.nofollow)
                for link in outcome.links
                if link.target in self._entries
            ]
        if outcome.is_gone:
            known.previous_fetch = None
            self._graph.links_by_source.pop(known.record.id, None)
            yield self._pages.record_version(None, known.record.id)
        elif outcome.page:
            yield from self._record_page(known, outcome, outcome.page)

    def _record_page(self, known: _UrlEntry, outcome: Outcome, page: Page) -> Iterator[int]:
        at, is_present = page.fetched_at, page.status in (200, 304)
        if outcome.location:
            headers = page.header("etag"), page.header("last-modified")
            known.previous_fetch = PreviousFetch(
                outcome.digest, *headers, outcome.revisit_interval, checked_at=at
            )
        elif known.previous_fetch and is_present:
            checked = replace(
                known.previous_fetch,
                revisit_interval=outcome.revisit_interval,
                missing_count=0,
                checked_at=at,
            )
            known.previous_fetch = checked
        elif known.previous_fetch and not known.previous_fetch.missing_count:
            known.previous_fetch = replace(known.previous_fetch, missing_count=1, checked_at=at)
        else:  # missing before: the time of the first miss counts
            return
        known.revisit_at = at + outcome.revisit_interval
        if outcome.location:
            yield self._pages.record_version(outcome.location, known.record.id)

    def _requeue_if_due(self, known: _UrlEntry, now: float) -> None:
        if known.record.retry_at is not None and known.record.retry_at <= now:
            known.record = replace(known.record, state=UrlState.QUEUED, retry_at=None)


def _visit(known: _UrlEntry) -> Visit:
    record = known.record
    return Visit(
        record.url,
        record.id,
        record.depth,
        known.redirect_hops,
        record.attempts,
        record.seed,
        known.previous_fetch,
        known.job,
    )


class MemoryDocumentStore:
    """Documents in a dict, in insertion order."""

    def __init__(self) -> None:
        self._documents: dict[UrlId, tuple[int, Document | None]] = {}

    def put(self, documents: Iterable[tuple[int, UrlId, bytes]]) -> None:
        for sequence, id, packed in documents:
            self._documents[id] = sequence, unpack(packed) if packed else None

    def get(self, id: UrlId) -> Document | None:
        return self._documents.get(id, (0, None))[1]

    def changes_since(self, sequence: int, limit: int) -> list[tuple[int, UrlId, Document | None]]:
        rows = sorted((number, id, document) for id, (number, document) in self._documents.items())
        return [row for row in rows if row[0] > sequence][:limit]

    def last_sequence(self) -> int:
        return max((number for number, _ in self._documents.values()), default=0)


class MemoryRankStore:
    """The last ranking."""

    def __init__(self) -> None:
        self._ranks = Ranks(np.zeros(0, np.float32), np.zeros(0, np.float32))

    def save(self, ranks: Ranks) -> None:
        self._ranks = ranks

    def load(self) -> Ranks:
        return self._ranks
