"""One data folder, opened: the one place where stages and backends meet.

Everything that writes takes a lock and gives it back; everything that reads can run beside it.
What one of them needs is imported late: a crawl takes 20 MB less without what indexes and ranks,
and an index begins in half the time without what fetches.
"""

import logging
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from byway.app.documents import page_stores, readers_of
from byway.core.model import Found, Job, State, Url
from byway.core.settings.schema import Settings
from byway.core.url import host_of
from byway.crawl.traps.pattern_budget import traps_of
from byway.extract.worker.pool import Readers
from byway.index.indexer import Losing, catch_up
from byway.storage.data_folder import Folder
from byway.storage.favicons import FileIcons
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_read, open_to_write
from byway.storage.sqlite.documents import documents_to_write

if TYPE_CHECKING:
    from byway.app.index import Indexed
    from byway.app.search import Reading
    from byway.crawl.crawler import Crawler
    from byway.crawl.http.fetcher import Fetcher
    from byway.crawl.recorder import Progress, Recorder
    from byway.pagerank.crawl_rank import Topic
    from byway.pagerank.power_iteration import Progress as RankProgress

log = logging.getLogger(__name__)

TOPIC_PAGES = 1_000
"""Pages that are of a topic: the best, as those further down only share a word with it."""
SEEDS_NAMED = 3
"""Seeds of earlier runs that are told."""


class Engine:
    """A search engine in a folder."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.folder = Folder(path)
        self.settings = settings

    def create(self) -> None:
        """Make the data folder, unless it is there."""
        self.folder.create()
        if not (self.folder.crawl_db.exists() and self.folder.documents_db.exists()):
            with self.folder.writing("crawl"):
                open_to_write(self.folder.crawl_db).close()
                documents_to_write(self.folder.documents_db).close()

    # Writing.

    async def crawl(
        self,
        named: Sequence[Url],
        started: "Callable[[Crawler], None]",
        due_by: float = 0.0,
        job: Job | None = None,
    ) -> "Progress":
        """Crawl from these URLs and from where the last crawl stopped, until nothing is left.

        `due_by`: see the pages again that are due by then. `job`: work on this one alone.
        """
        from byway.crawl.politeness import steady_clock
        from byway.crawl.recorder import Recorder

        clock, only = steady_clock(), job.name if job else ""
        self.create()
        with (
            self.folder.writing("crawl"),
            page_stores(self.folder, self.folder.documents_db) as (pages, documents),
        ):
            pages.repair()
            with closing(self._frontier(clock)) as frontier:
                if job:
                    frontier.save_job(_merged(frontier.jobs(), job))
                frontier.add(Found(url, seed=True, job=only) for url in named)
                frontier.queue_unreachable()
                if due_by:
                    frontier.queue_stale(due_by, only)
                async with (
                    readers_of(self.folder, self.settings) as readers,
                    self._fetcher() as fetcher,
                ):
                    losing = Losing(frontier)
                    await catch_up(pages, documents, readers.read, losing)
                    recorder = Recorder(frontier, pages, documents, clock)
                    recorder.progress.notes += [
                        *_lost(losing),
                        *_kept_out(named, frontier),
                        *_going_on(named, frontier.unfinished_seeds(only)),
                    ]
                    crawler = self._crawler(frontier, recorder, readers, fetcher, clock, only)
                    started(crawler)
                    return await crawler.run()

    def index(
        self, progress: Callable[[int], None] = lambda done: None, anew: bool = False
    ) -> "Indexed":
        """Make findable what is not yet.

        `anew`: make all of it anew from the pages, beside the old index, which answers until then.
        What was interrupted while it was made anew goes on, unless a crawl is running.
        """
        from byway.app.index import Indexing

        self.folder.require()
        return Indexing(self.folder, self.settings).index(progress, anew)

    def settle(self, progress: Callable[[int], None], patience: float) -> "Indexed":
        """Make findable what is not yet, or wait so many seconds for the process that does it."""
        from byway.app.index import Indexing

        self.folder.require()
        return Indexing(self.folder, self.settings).settle(progress, patience)

    def index_until(self, stop: Callable[[float], bool]) -> None:
        """Index what a crawl beside us keeps, and rank it now and then.

        `stop(seconds)` waits that long and says whether to stop.
        """
        from byway.app.index import Indexing

        Indexing(self.folder, self.settings).index_until(stop, self.rank)

    def decide_trap(self, host: str, pattern: str, resume: bool) -> int:
        """Visit a paused pattern after all, or never; return how many URLs are queued again."""
        self.folder.require()
        with (
            self.folder.writing("crawl"),
            closing(SqliteFrontier(self.folder.crawl_db)) as frontier,
        ):
            traps = traps_of(frontier.traps())
            (traps.resume if resume else traps.drop)(host, pattern)
            frontier.save_traps(traps.rows())
            return frontier.queue_paused(host)

    def remove(
        self, urls: Sequence[Url], site: str = "", undo: bool = False, patience: float = 30.0
    ) -> "Indexed":
        """Take URLs, or all of a site, out for good: no crawl visits them again.

        What is stored of them stays in `pages/`. `undo`: let the next crawl visit them.
        A process that indexes is waited for so many seconds; it takes them out of the index.
        """
        self.folder.require()
        self.folder.require_no_crawl()
        with (
            self.folder.writing("crawl"),
            closing(SqliteFrontier(self.folder.crawl_db)) as frontier,
        ):
            frontier.remove(urls, site, undo, time.time())
        return self.settle(lambda done: None, patience)

    def rank(self, progress: "RankProgress | None" = None) -> int:
        """Rank all known pages by their links; return how many there are."""
        from byway.pagerank.crawl_rank import rank
        from byway.storage.rank_arrays import ArrayRanks
        from byway.storage.sqlite.crawl_db.link_graph import SqliteGraph

        self.folder.require()
        settings, store = self.settings.rank, ArrayRanks(self.folder.rank)
        topic = self._topic(settings.topic) if settings.topic else None
        with closing(open_to_read(self.folder.crawl_db)) as db:
            graph = SqliteGraph(db)
            ranks = rank(graph, settings, progress, store.load(), topic, self.folder.rank)
        store.save(ranks)
        return int((ranks.pages > 0).sum())

    # Reading.

    def reading(self) -> "AbstractContextManager[Reading]":
        """The same folder, to ask and never to write."""
        from byway.app.search import reading

        return reading(self.folder, self.settings)

    # Pieces.

    def _frontier(self, clock: Callable[[], float]) -> SqliteFrontier:
        settings = self.settings.crawl
        return SqliteFrontier(
            self.folder.crawl_db,
            clock(),
            settings.delay,
            settings.max_urls_per_host,
            votes=settings.order == "best",
            hosts=settings.hosts_in_memory,
            clock=clock,
        )

    def _fetcher(self) -> "Fetcher":
        from byway.crawl.http.fetcher import Fetcher
        from byway.crawl.http.ssrf_guard import Guard

        settings = self.settings.crawl
        return Fetcher(settings, Guard(settings.allow_private), time.time)

    def _crawler(
        self,
        frontier: SqliteFrontier,
        recorder: "Recorder",
        readers: Readers,
        fetcher: "Fetcher",
        clock: Callable[[], float],
        only: str,
    ) -> "Crawler":
        """The crawl loop; `only`: the job to work on, if it is to be one alone."""
        from byway.crawl.crawler import Crawler
        from byway.crawl.jobs import Jobs
        from byway.crawl.visitor import Visitor

        settings, told = self.settings.crawl, recorder.progress.notes.append
        jobs = Jobs(settings, frontier.jobs(), only)
        icons = FileIcons(self.folder.icons) if settings.favicons else None
        visitor = Visitor(settings, frontier, fetcher, readers.read, clock, jobs, told, icons)
        paused = self.folder.paused_jobs
        tell = self.folder.tell_waiting
        tell("", 0.0)  # what a crawl that was killed has left
        return Crawler(settings, frontier, visitor, recorder, clock, self._held, paused, tell)

    def _topic(self, query: str) -> "Topic":
        """The pages that match a query best."""
        from byway.pagerank.crawl_rank import Topic

        with self.reading() as reading:
            found = reading.matching(query, TOPIC_PAGES)
        if not len(found.ids):
            log.warning("rank.topic = %r: no page matches; jumps lead anywhere", query)
        return Topic(found.ids, found.text)

    def _held(self) -> str:
        """Why a crawl should hold still for now."""
        free = shutil.disk_usage(self.folder.path).free // 1_000_000
        if free < self.settings.crawl.free_disk:
            return f"only {free:,} MB of disk are free; crawl.free_disk"
        return "paused by hand" if self.folder.is_paused() else ""


def _lost(losing: Losing) -> list[str]:
    """The files of which pages could not be read, for people."""
    return [
        f"pages that could not be read from {file}: {count:,}; queued again"
        for file, count in losing.files.items()
    ]


def _kept_out(named: Sequence[Url], frontier: SqliteFrontier) -> list[str]:
    """What was named and is not visited, as it was removed by hand."""
    each = filter(None, map(frontier.look_up, named))
    return [
        f"{seed.url}: {seed.reason}; `byway remove --undo` lets it in again"
        for seed in each
        if seed.state is State.REMOVED
    ]


def _going_on(named: Sequence[Url], unfinished: Sequence[Url]) -> list[str]:
    """Which seeds of earlier runs a crawl goes on with that was given seeds of its own."""
    hosts = {host_of(url) for url in named}
    before = [url for url in unfinished if host_of(url) not in hosts]
    if not (named and before):
        return []
    more = f" and {len(before) - SEEDS_NAMED:,} more" if len(before) > SEEDS_NAMED else ""
    seeds = "1 seed" if len(before) == 1 else f"{len(before):,} seeds"
    return [f"going on with {seeds} of before: {', '.join(before[:SEEDS_NAMED])}{more}"]


def _merged(known: Sequence[Job], job: Job) -> Job:
    """A job that is named again keeps what is not said anew."""
    before = next((one.reach for one in known if one.name == job.name), {})
    return replace(job, reach={**before, **job.reach})
