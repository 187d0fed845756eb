"""Dry run of a re-crawl: fetch the pages that are due and compare them, storing nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from byway.core.messages import Reason
from byway.core.model import Outcome, Url
from byway.core.ports import DocumentStore, Frontier, PageStore, Storage
from byway.core.settings.schema import Settings
from byway.crawl.crawler import Crawler
from byway.crawl.http.fetcher import Fetcher
from byway.crawl.politeness import steady_clock
from byway.crawl.recorder import Recorder
from byway.crawl.scope import Jobs, job_scopes
from byway.crawl.visitor import Visitor
from byway.extract.worker.pool import WorkerPool
from byway.storage.memory.documents import MemoryDocumentStore
from byway.storage.memory.frontier import MemoryFrontier
from byway.storage.memory.link_graph import MemoryLinkGraph
from byway.storage.memory.pages import MemoryPageStore


@dataclass(frozen=True, slots=True)
class RecrawlDifferences:
    """Differences between the web and the stored pages."""

    added: tuple[Url, ...]
    changed: tuple[Url, ...]
    removed: tuple[Url, ...]
    unchanged: int
    failed: Mapping[Url, Reason]
    """URLs that could not be fetched, and why."""


class _OutcomeRecorder(Recorder):
    """A recorder that keeps all outcomes in memory."""

    def __init__(
        self,
        frontier: Frontier,
        pages: PageStore,
        documents: DocumentStore,
        clock: Callable[[], float],
    ) -> None:
        super().__init__(frontier, pages, documents, clock)
        self.outcomes: list[Outcome] = []

    def enqueue(self, outcome: Outcome) -> None:
        self.outcomes.append(outcome)
        super().enqueue(outcome)


async def preview_recrawl(
    storage: Storage, settings: Settings, on_start: Callable[[Crawler], None], due_by: float
) -> RecrawlDifferences:
    """Fetch every page due by `due_by` and report what a crawl would change; store nothing."""
    storage.require_data()
    clock = steady_clock()
    # No link is followed: new pages show up as unknown link targets.
    dry_run = replace(
        settings.crawl, scope="any", firewall=False, max_depth=-1, max_pages=0, sitemaps=False
    )
    pages, graph = MemoryPageStore(), MemoryLinkGraph()
    frontier = MemoryFrontier(pages, graph)
    with storage.reader() as reader:
        catalog = reader.catalog
        frontier.queue_visits(catalog.due_revisits(due_by))
        recorder = _OutcomeRecorder(frontier, pages, MemoryDocumentStore(), clock)
        async with (
            WorkerPool(settings.extract, dry_run.max_bytes) as workers,
            Fetcher(dry_run) as fetcher,
        ):
            jobs = Jobs(dry_run, frontier.jobs())
            visitor = Visitor(dry_run, frontier, fetcher, workers.extract, clock, jobs)
            crawler = Crawler(dry_run, frontier, visitor, recorder, clock)
            on_start(crawler)
            await crawler.run()
        scopes = job_scopes(settings.crawl, catalog.jobs()).values()
        found = dict.fromkeys(
            one.url for outcome in recorder.outcomes for one in outcome.discovered_urls
        )
        wanted = [url for url in found if not all(scope.refusal(url) for scope in scopes)]
        added = [
            url for url in wanted if not catalog.find_url(url) and not catalog.removal_reason(url)
        ]
    return _differences(recorder.outcomes, tuple(added))


def _differences(outcomes: list[Outcome], added: tuple[Url, ...]) -> RecrawlDifferences:
    last = {one.visit.url: one for one in outcomes}

    def urls(kind: Callable[[Outcome], bool]) -> tuple[Url, ...]:
        return tuple(url for url, one in last.items() if kind(one))

    changed = urls(lambda one: bool(one.digest))
    removed = urls(
        lambda one: one.is_gone or (one.page is not None and 400 <= one.page.status < 500)
    )
    failed = {url: one.reason for url, one in last.items() if one.page is None and not one.is_gone}
    unchanged = len(last) - len(changed) - len(removed) - len(failed)
    return RecrawlDifferences(added, changed, removed, unchanged, failed)
