"""Reference URL catalog in memory: every query reads all URLs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from byway.core.errors import UsageError
from byway.core.messages import NO_REASON, Reason
from byway.core.model import (
    HostRecord,
    Job,
    PreviousFetch,
    RobotsFile,
    Url,
    UrlRecord,
    UrlState,
    Visit,
)
from byway.core.model.crawl_report import PageFetch, UrlOutcome
from byway.core.url import host_of
from byway.storage.memory.pages import MemoryPageStore
from byway.storage.removed_sites import removal_reason, removed_site_of, site_names

FAILED_STATES = (UrlState.UNREACHABLE, UrlState.MISSING, UrlState.EXTRACT_FAILED)


@dataclass(slots=True)
class UrlEntry:
    """The state of one URL."""

    record: UrlRecord
    redirect_hops: int
    priority: int
    leased: bool = False
    previous_fetch: PreviousFetch | None = None
    revisit_at: float = 0.0
    job: str = ""

    def visit(self) -> Visit:
        """A visit of this URL."""
        record = self.record
        return Visit(
            record.url,
            record.id,
            record.depth,
            self.redirect_hops,
            record.attempts,
            record.seed,
            self.previous_fetch and replace(self.previous_fetch, reason=record.reason),
            self.job,
        )


class MemoryUrlCatalog:
    """URLs in a dict, with the crawl statistics."""

    def __init__(self, pages: MemoryPageStore, entries: dict[Url, UrlEntry]) -> None:
        self._pages = pages
        self._entries = entries
        self._traps: list[tuple[object, ...]] = []
        self._robots: dict[str, RobotsFile] = {}
        self._jobs: dict[str, Job] = {"": Job()}
        self._delays: dict[str, float] = {}
        self._removed_sites: set[str] = set()

    def robots(self, host: str) -> RobotsFile | None:
        return self._robots.get(host)

    def urls_with_digest(self, digest: bytes) -> list[Url]:
        entries = self._entries.items()
        return [
            url
            for url, entry in entries
            if entry.previous_fetch and entry.previous_fetch.digest == digest
        ]

    def traps(self) -> list[tuple[object, ...]]:
        return self._traps

    def next_retry(self, by: float) -> UrlRecord | None:
        records = [known.record for known in self._entries.values()]
        due = [one for one in records if one.retry_at is not None and one.retry_at <= by]
        waiting = [one for one in records if one.state is UrlState.QUEUED and one.reason]
        return min(due, key=lambda one: one.retry_at or 0.0, default=next(iter(waiting), None))

    def hosts_awaiting_retry(self) -> list[str]:
        records = [known.record for known in self._entries.values()]
        return sorted({host_of(one.url) for one in records if one.retry_at is not None})

    def jobs(self) -> list[Job]:
        return [self._with_counts(job) for job in self._jobs.values()]

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

    def unfinished_seeds(self, job: str = "") -> list[Url]:
        waiting = {host for host, _ in self.queue_lengths()}
        return [
            url
            for url, known in self._entries.items()
            if known.record.seed and known.record.state is not UrlState.REMOVED
            if (not job or known.job == job) and host_of(url) in waiting
        ]

    def due_revisits(self, by: float) -> list[Visit]:
        return [known.visit() for known in self._revisited() if known.revisit_at <= by]

    def next_revisit_at(self) -> float | None:
        due = [known.revisit_at for known in self._entries.values() if known.previous_fetch]
        return min(due, default=None)

    def hosts(self, limit: int, name_contains: str = "") -> list[HostRecord]:
        states: dict[str, Counter[UrlState]] = {}
        for url, known in self._entries.items():
            states.setdefault(host_of(url), Counter())[known.record.state] += 1
        hosts = [
            HostRecord(
                name,
                self._delays.get(name, 0.0),
                counts[UrlState.QUEUED],
                counts[UrlState.KEPT],
                sum(counts[state] for state in FAILED_STATES),
                counts[UrlState.PAUSED],
            )
            for name, counts in states.items()
            if name_contains in name
        ]
        size = {name: counts.total() for name, counts in states.items()}
        return sorted(hosts, key=lambda one: (-one.queued, -size[one.name], one.name))[:limit]

    def host_count(self, name_contains: str = "") -> int:
        return sum(name_contains in name for name in set(map(host_of, self._entries)))

    def failure_reasons(self) -> Counter[Reason]:
        return Counter(
            known.record.reason or Reason("other")
            for known in self._entries.values()
            if known.record.state in FAILED_STATES
        )

    # Removals.

    def removal_reason(self, url: Url) -> Reason:
        record = self.find_url(url)
        if record is None:
            site = removed_site_of(self._removed_sites, url)
            return removal_reason(site) if site else NO_REASON
        return record.reason if record.state is UrlState.REMOVED else NO_REASON

    def removed_sites(self) -> frozenset[str]:
        return frozenset(self._removed_sites)

    def removed_pages(self, limit: int) -> tuple[list[Url], int]:
        found = [url for url, one in self._entries.items() if one.record.removed_site == ""]
        return found[:limit] if limit >= 0 else found, len(found)

    def count_removal_targets(
        self, urls: Sequence[Url], site: str = "", undo: bool = False
    ) -> tuple[int, int]:
        targets = self._removal_targets(urls, site, undo)
        return len(targets), sum(self._pages.get(one.record.id) is not None for one in targets)

    def stored_files(self, urls: Sequence[Url], site: str = "") -> list[str]:
        ids = {one.record.id for one in self._removal_targets(urls, site, undo=False)}
        return ["memory"] if any(one.id in ids for one in self._pages.recorded) else []

    def _removal_targets(self, urls: Sequence[Url], site: str, undo: bool) -> list[UrlEntry]:
        if site:
            on_site = [
                one for url, one in self._entries.items() if site in site_names(host_of(url))
            ]
            if undo and site not in self._removed_sites:
                raise UsageError("storage.site_not_removed", site=site)
            if not on_site:
                raise UsageError("storage.site_unknown", site=site)
            removed = [one for one in on_site if one.record.removed_site == site]
            return removed if undo else [one for one in on_site if not _is_removed(one)]
        for url in urls:
            if url not in self._entries:
                raise UsageError("storage.url_unknown", url=url)
            if undo and not _is_removed(self._entries[url]):
                state = self._entries[url].record.state
                raise UsageError("storage.url_not_removed", url=url, state=state)
        return [self._entries[url] for url in dict.fromkeys(urls)]

    # Statistics.

    def url_outcomes(self, limit: int) -> Iterator[UrlOutcome]:
        for known in list(self._entries.values())[:limit]:
            one = known.record
            yield UrlOutcome(host_of(one.url), one.state, one.reason, one.url)

    def page_fetches(self, limit: int) -> Iterator[PageFetch]:
        pages = [one.page for one in self._pages.recorded if one.page]
        for page in pages[:limit]:
            yield PageFetch(host_of(page.url), page.fetched_at, len(page.body))

    def content_types(self, limit: int) -> Iterator[str]:
        pages = [one.page for one in self._pages.recorded if one.page]
        return (page.content_type for page in pages[:limit])

    def largest_pages(self, limit: int) -> list[tuple[str, int]]:
        sizes = {str(one.page.url): len(one.page.body) for one in self._pages.recorded if one.page}
        return sorted(sizes.items(), key=lambda one: (-one[1], one[0]))[:limit]

    def page_count(self) -> int:
        return sum(one.page is not None for one in self._pages.recorded)

    def retry_count(self) -> int:
        return sum(known.record.retry_at is not None for known in self._entries.values())

    def stored_bytes(self) -> int:
        return sum(fetch.stored_bytes for fetch in self.page_fetches(self.page_count()))

    def _revisited(self) -> list[UrlEntry]:
        """The kept pages that will be visited again."""
        return [
            known
            for known in self._entries.values()
            if known.previous_fetch and known.record.state is UrlState.KEPT
        ]


def _is_removed(known: UrlEntry) -> bool:
    return known.record.state is UrlState.REMOVED
