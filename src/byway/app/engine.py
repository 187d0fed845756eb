"""Engine: crawling, indexing, ranking and removal in one collection.

Writers hold a lock; readers can run at the same time. Imports are lazy: a crawl takes 20 MB less
memory without the indexing and ranking code, and indexing starts in half the time without the
fetching code.
"""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from byway.app.documents import make_worker_pool
from byway.app.storage import open_storage
from byway.core.messages import NO_REASON, Reason
from byway.core.model import DiscoveredUrl, FrontierOptions, Job, Url, UrlState
from byway.core.settings.schema import Settings
from byway.core.url import host_of
from byway.extract.worker.pool import WorkerPool
from byway.index.indexer import LostPageRecorder, extract_missing_documents

if TYPE_CHECKING:
    from byway.app.index import IndexingProgress, IndexingResult
    from byway.app.processes.worker_memory import WorkerMemory
    from byway.app.search import SearchSession
    from byway.core.model.crawl_progress import CrawlProgress
    from byway.core.ports import Frontier
    from byway.crawl.crawler import Crawler
    from byway.crawl.http.fetcher import Fetcher
    from byway.crawl.recorder import Recorder
    from byway.pagerank.crawl_rank import Topic
    from byway.pagerank.power_iteration import Progress as RankProgress

log = logging.getLogger(__name__)

MAX_TOPIC_PAGES = 1_000
"""Maximum number of best matches that form a topic; lower ones only share a word with it."""
MAX_SEEDS_LISTED = 3
"""Maximum number of seeds of earlier runs that are listed."""


class Engine:
    """The search engine of a data folder."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.storage = open_storage(path, settings)
        self.settings = settings

    def create(self) -> None:
        """Create the data folder if it does not exist."""
        self.storage.create()

    # Writing.

    async def crawl(
        self,
        seeds: Sequence[Url],
        on_start: "Callable[[Crawler], None]",
        due_by: float = 0.0,
        job: Job | None = None,
    ) -> "CrawlProgress":
        """Crawl these seeds and continue the last crawl, until no URLs are left.

        `due_by`: revisit the pages that are due by then. `job`: crawl only this job.
        """
        from byway.crawl.politeness import steady_clock
        from byway.crawl.recorder import Recorder

        clock, only = steady_clock(), job.name if job else ""
        self.create()
        with (
            self.storage.write_lock("crawl"),
            self.storage.writer(self._frontier_options(clock)) as stores,
            self.storage.process_states().publisher() as publish,
        ):
            frontier = stores.frontier
            if job:
                frontier.save_job(_merged(frontier.jobs(), job))
            frontier.add(DiscoveredUrl(url, seed=True, job=only) for url in seeds)
            frontier.requeue_unreachable()
            if due_by:
                frontier.queue_revisits(due_by, only)
            async with (
                make_worker_pool(self.storage, self.settings, publish) as workers,
                self._fetcher() as fetcher,
            ):
                lost_pages = LostPageRecorder(frontier)
                await extract_missing_documents(
                    stores.pages, stores.documents, workers.extract, lost_pages
                )
                recorder = Recorder(frontier, stores.pages, stores.documents, clock)
                recorder.progress.notes += [
                    *_unreadable_notes(lost_pages),
                    *_removed_seed_notes(seeds, frontier),
                    *_continued_seed_notes(seeds, frontier.unfinished_seeds(only)),
                ]
                crawler = self._crawler(frontier, recorder, workers, fetcher, clock, only)
                on_start(crawler)
                return await crawler.run()

    def index(
        self,
        progress: "Callable[[IndexingProgress], None]" = lambda progress: None,
        rebuild: bool = False,
    ) -> "IndexingResult":
        """Index new documents.

        `rebuild`: extract and index all pages again, beside the old index, which stays in use
        until the new one is complete. An interrupted rebuild is resumed, or deleted if a crawl is
        running.
        """
        from byway.app.index import IndexingService

        self.storage.require_data()
        return IndexingService(self.storage, self.settings).index(progress, rebuild)

    def index_or_wait(
        self, progress: "Callable[[IndexingProgress], None]", timeout: float
    ) -> "IndexingResult":
        """Index new documents, or wait up to `timeout` seconds for the process that is indexing."""
        from byway.app.index import IndexingService

        self.storage.require_data()
        return IndexingService(self.storage, self.settings).index_or_wait(progress, timeout)

    def follow_crawl(self, stop: Callable[[float], bool]) -> None:
        """Index the pages of a running crawl, and rank them from time to time.

        `stop(seconds)` waits that long and returns whether to stop.
        """
        from byway.app.index import IndexingService

        IndexingService(self.storage, self.settings).follow_crawl(stop, self.rank)

    def remove(
        self, urls: Sequence[Url], site: str = "", undo: bool = False, timeout: float = 30.0
    ) -> "IndexingResult":
        """Remove URLs, or a whole site, from the index; no crawl visits them again.

        Their stored pages stay in `pages/`. `undo`: let the next crawl visit them again. If
        another process is indexing, it updates the index; wait up to `timeout` seconds for it.
        """
        self.storage.require_data()
        self.storage.require_no_crawl()
        with self.storage.write_lock("crawl"), self.storage.frontier() as frontier:
            frontier.remove(urls, site, undo, time.time())
        return self.index_or_wait(lambda progress: None, timeout)

    def rank(self, progress: "RankProgress | None" = None) -> int:
        """Compute the PageRank of all known pages; return their number."""
        from byway.pagerank.crawl_rank import rank

        self.storage.require_data()
        settings, store = self.settings.rank, self.storage.ranks()
        topic = self._topic(settings.topic_query) if settings.topic_query else None
        with self.storage.reader() as reader:
            scratch = self.storage.scratch_folder()
            ranks = rank(reader.graph, settings, progress, store.load(), topic, scratch)
        store.save(ranks)
        return int((ranks.pages > 0).sum())

    # Reading.

    def search_session(
        self, workers: "WorkerMemory | None" = None
    ) -> "AbstractContextManager[SearchSession]":
        """The same folder, read-only, for searching."""
        from byway.app.search import search_session

        return search_session(self.storage, self.settings, workers)

    # Pieces.

    def _frontier_options(self, clock: Callable[[], float]) -> FrontierOptions:
        settings = self.settings.crawl
        return FrontierOptions(
            delay=settings.delay,
            max_urls_per_host=settings.max_urls_per_host,
            prioritize_by_inlinks=settings.order == "best",
            max_hosts_in_memory=settings.hosts_in_memory,
            clock=clock,
        )

    def _fetcher(self) -> "Fetcher":
        from byway.crawl.http.fetcher import Fetcher

        return Fetcher(self.settings.crawl)

    def _crawler(
        self,
        frontier: "Frontier",
        recorder: "Recorder",
        workers: WorkerPool,
        fetcher: "Fetcher",
        clock: Callable[[], float],
        only: str,
    ) -> "Crawler":
        """The crawler; `only`: the name of the only job to crawl, or empty for all."""
        from byway.crawl.crawler import Crawler
        from byway.crawl.scope import Jobs
        from byway.crawl.visitor import Visitor

        settings, add_note = self.settings.crawl, recorder.progress.notes.append
        jobs = Jobs(settings, frontier.jobs(), only)
        icons = self.storage.icons() if settings.favicons else None
        visitor = Visitor(
            settings, frontier, fetcher, workers.extract, clock, jobs, add_note, icons
        )
        paused = self.storage.paused_jobs
        on_wait = self.storage.set_crawl_wait
        on_wait(NO_REASON, 0.0)  # clears the state of a crawl that was killed
        return Crawler(
            settings, frontier, visitor, recorder, clock, self._pause_reason, paused, on_wait
        )

    def _topic(self, query: str) -> "Topic":
        """The best matches of a query."""
        from byway.pagerank.crawl_rank import Topic

        with self.search_session() as session:
            found = session.candidates(query, MAX_TOPIC_PAGES)
        if not len(found.ids):
            log.warning("rank.topic_query = %r: no page matches; teleports go anywhere", query)
        return Topic(found.ids, found.index_score)

    def _pause_reason(self) -> Reason:
        """The reason to pause the crawl now; empty if it may continue."""
        free = self.storage.disk_space().free // 1_000_000
        if free < self.settings.crawl.min_free_disk_mb:
            return Reason("pause.disk_full", free_mb=free)
        return Reason("pause.by_hand") if self.storage.is_paused() else NO_REASON


def _unreadable_notes(lost_pages: LostPageRecorder) -> list[Reason]:
    """A note for each file with unreadable pages."""
    return [
        Reason("note.unreadable_pages", file=file, count=count)
        for file, count in lost_pages.counts_by_file.items()
    ]


def _removed_seed_notes(named: Sequence[Url], frontier: "Frontier") -> list[Reason]:
    """Notes on seeds that are not visited because they were removed by hand."""
    seeds = filter(None, map(frontier.find_url, named))
    return [
        Reason("note.seed_removed", url=seed.url, cause=seed.reason)
        for seed in seeds
        if seed.state is UrlState.REMOVED
    ]


def _continued_seed_notes(named: Sequence[Url], unfinished: Sequence[Url]) -> list[Reason]:
    """Notes about unfinished seeds of earlier runs, which a crawl with new seeds continues."""
    hosts = {host_of(url) for url in named}
    before = [url for url in unfinished if host_of(url) not in hosts]
    if not (named and before):
        return []
    listed, more = tuple(before[:MAX_SEEDS_LISTED]), len(before) - MAX_SEEDS_LISTED
    if more > 0:
        return [Reason("note.more_seeds_continued", count=len(before), seeds=listed, more=more)]
    return [Reason("note.seeds_continued", count=len(before), seeds=listed)]


def _merged(known: Sequence[Job], job: Job) -> Job:
    """The job with its stored overrides, replaced by new ones where given."""
    before = next((one.overrides for one in known if one.name == job.name), {})
    return replace(job, overrides={**before, **job.overrides})
