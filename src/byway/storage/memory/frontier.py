"""Reference frontier in memory."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from byway.core.messages import NO_REASON, Reason
from byway.core.model import (
    DiscoveredUrl,
    FrontierOptions,
    Job,
    Neighbour,
    Outcome,
    Page,
    PreviousFetch,
    RobotsFile,
    UnreadablePage,
    Url,
    UrlId,
    UrlRecord,
    UrlState,
    Visit,
)
from byway.core.url import host_of
from byway.storage.memory.link_graph import MemoryLinkGraph
from byway.storage.memory.pages import MemoryPageStore
from byway.storage.memory.url_catalog import MemoryUrlCatalog, UrlEntry
from byway.storage.removed_sites import removal_reason, removed_site_of


class MemoryFrontier(MemoryUrlCatalog):
    """Queues the catalog's URLs, and records page versions and links in the stores."""

    def __init__(self, pages: MemoryPageStore, graph: MemoryLinkGraph) -> None:
        super().__init__(pages, graph.entries)
        self._graph = graph
        self._paused_jobs: frozenset[str] = frozenset()
        self._full_jobs: frozenset[str] = frozenset()
        self.reopen(FrontierOptions(clock=float))

    def reopen(self, options: FrontierOptions) -> None:
        """Begin another crawl: no URL is leased, and hosts that were visited get a delay."""
        self._options = options
        self._busy: set[str] = set()
        start = options.clock()
        self._free_at = {
            host: start + max(options.delay, self._delays.get(host, 0.0))
            for host in map(host_of, self._entries)
        }
        for known in self._entries.values():
            known.leased = False

    def add(self, urls: Iterable[DiscoveredUrl]) -> int:
        before = len(self._entries)
        for one in urls:
            self._add_url(one)
        return len(self._entries) - before

    def queue_visits(self, visits: Iterable[Visit]) -> None:
        """Queue visits leased from another frontier, ahead of the URLs they discover."""
        for visit in visits:
            record = UrlRecord(visit.url, visit.id, -1, UrlState.QUEUED)
            self._entries[visit.url] = UrlEntry(
                record, visit.redirect_hops, 0, previous_fetch=visit.previous_fetch
            )

    def lease(self, limit: int, now: float) -> list[Visit]:
        visits: list[Visit] = []
        for known in sorted(self._entries.values(), key=lambda k: (k.priority, k.record.id)):
            self._requeue_if_due(known, now)
            host = host_of(known.record.url)
            ready = self._is_queued(known) and not known.leased
            if not ready or host in self._busy or self._free_at.get(host, 0.0) > now:
                continue
            if len(visits) < limit:
                known.leased = True
                self._busy.add(host)
                visits.append(known.visit())
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

    def claim(self, urls: Sequence[Url]) -> list[Visit]:
        self.add(map(DiscoveredUrl, urls))
        entries = [self._entries[url] for url in dict.fromkeys(urls)]
        claimed = [known for known in entries if known.record.state is not UrlState.REMOVED]
        _requeue(claimed)
        return [known.visit() for known in claimed]

    def requeue_unreachable(self) -> int:
        return _requeue(
            known
            for known in self._entries.values()
            if known.record.state in (UrlState.UNREACHABLE, UrlState.BLOCKED)
            and known.record.retry_at is None
        )

    def requeue_paused(self, host: str) -> int:
        paused = [
            known
            for url, known in self._entries.items()
            if known.record.state is UrlState.PAUSED and host_of(url) == host
        ]
        for known in paused:
            known.record = replace(known.record, state=UrlState.QUEUED, reason=NO_REASON)
        return len(paused)

    def remove(self, urls: Sequence[Url], site: str, undo: bool, now: float) -> None:
        targets = self._removal_targets(urls, site, undo)
        self._removed_sites = {*self._removed_sites, site} - ({site} if undo else {""})
        for known in targets:
            if undo:
                known.record = replace(
                    known.record,
                    state=UrlState.QUEUED,
                    reason=NO_REASON,
                    removed_site=None,
                    attempts=0,
                )
            elif known.record.state is not UrlState.REMOVED:
                self._remove(known, site)

    def _remove(self, known: UrlEntry, site: str) -> None:
        known.record = replace(
            known.record,
            state=UrlState.REMOVED,
            reason=removal_reason(site),
            removed_site=site,
            redirect_target=None,
            retry_at=None,
        )
        known.previous_fetch = None
        self._graph.links_by_source.pop(known.record.id, None)
        if self._pages.get(known.record.id):
            self._pages.record_version(None, known.record.id)

    def queue_revisits(self, now: float, job: str = "") -> int:
        stale = [known for known in self._revisited() if known.revisit_at <= now]
        return _requeue(known for known in stale if not job or known.job == job)

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

    def save_robots(self, host: str, file: RobotsFile) -> None:
        self._robots[host] = file

    def save_traps(self, rows: Iterable[tuple[object, ...]]) -> None:
        self._traps = [tuple(row) for row in rows]

    def next_lease_at(self) -> float | None:
        times = []
        for known in self._entries.values():
            host = host_of(known.record.url)
            if known.record.retry_at is not None:
                times.append(known.record.retry_at)
            if self._is_queued(known) and not known.leased and host not in self._busy:
                times.append(self._free_at.get(host, 0.0))
        return min(times, default=None)

    def advance_retries(self, latest: float) -> None:
        for known in self._entries.values():
            if known.record.retry_at is not None:
                known.record = replace(known.record, retry_at=min(latest, known.record.retry_at))

    def save_job(self, job: Job) -> None:
        self._jobs[job.name] = job

    def set_paused_jobs(self, jobs: Collection[str], full_jobs: Collection[str] = ()) -> None:
        self._paused_jobs, self._full_jobs = frozenset(jobs), frozenset(full_jobs)

    def _is_queued(self, known: UrlEntry) -> bool:
        if known.job in self._full_jobs and known.previous_fetch is None:
            return False
        return known.record.state is UrlState.QUEUED and known.job not in self._paused_jobs

    def _add_url(self, one: DiscoveredUrl, explicit: bool = True) -> int:
        known = self._entries.get(one.url)
        if known is None:
            host = host_of(one.url)
            self._graph.host_ids_by_name.setdefault(host, len(self._graph.host_ids_by_name) + 1)
            id = UrlId(len(self._entries) + 1)
            state, reason, site = self._first_state(one)
            record = UrlRecord(
                one.url, id, one.depth, state, reason, one.seed, removed_site=site or None
            )
            known = self._entries[one.url] = UrlEntry(
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

    def _first_state(self, one: DiscoveredUrl) -> tuple[UrlState, Reason, str]:
        """State and reason of a new URL, and the removed site it belongs to."""
        limit, host = self._options.max_urls_per_host, host_of(one.url)
        if site := removed_site_of(self._removed_sites, one.url):
            return UrlState.REMOVED, removal_reason(site), site
        if one.state is UrlState.QUEUED and limit and not one.seed:
            out = (UrlState.OUT_OF_SCOPE, UrlState.REMOVED)
            entries = self._entries.items()
            queued = sum(host_of(url) == host and k.record.state not in out for url, k in entries)
            if queued >= limit:
                return UrlState.OUT_OF_SCOPE, Reason("host_budget", limit=limit), ""
        return one.state, one.reason, ""

    def _make_seed(self, known: UrlEntry, job: str) -> None:
        if known.record.state is UrlState.REMOVED:
            return
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
        self._delays[host_of(outcome.visit.url)] = outcome.host_delay
        for one in outcome.discovered_urls:
            self._add_url(one, explicit=False)
            if self._options.prioritize_by_inlinks:
                self._entries[one.url].priority -= 1
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

    def _record_page(self, known: UrlEntry, outcome: Outcome, page: Page) -> Iterator[int]:
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
        else:  # already missing: the time of the first miss counts
            return
        known.revisit_at = at + outcome.revisit_interval
        if outcome.location:
            yield self._pages.record_version(outcome.location, known.record.id)

    def _requeue_if_due(self, known: UrlEntry, now: float) -> None:
        if known.record.retry_at is not None and known.record.retry_at <= now:
            known.record = replace(known.record, state=UrlState.QUEUED, retry_at=None)


def _requeue(entries: Iterable[UrlEntry]) -> int:
    """Queue these URLs again; return how many."""
    queued = list(entries)
    for known in queued:
        known.record = replace(known.record, state=UrlState.QUEUED, attempts=0)
    return len(queued)
