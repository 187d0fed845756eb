"""One data folder, opened: the one place where stages and backends meet.

Everything that writes takes a lock and gives it back; everything that reads can run beside it.
What indexes, ranks and searches is imported late: a crawl without it takes 20 MB less.
"""

import asyncio
import logging
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from byway.backends.embedded import built
from byway.backends.embedded.built import Built
from byway.backends.embedded.database import open_to_read, open_to_write
from byway.backends.embedded.documents import (
    SqliteDocuments,
    documents_to_read,
    documents_to_write,
)
from byway.backends.embedded.folder import Folder
from byway.backends.embedded.frontier import SqliteFrontier
from byway.backends.embedded.icons import FileIcons
from byway.backends.embedded.pages import WarcPages
from byway.crawl.address import Guard
from byway.crawl.crawler import Crawler
from byway.crawl.fetch import Fetcher
from byway.crawl.jobs import Jobs
from byway.crawl.recorder import Progress, Recorder
from byway.crawl.schedule import steady_clock
from byway.crawl.traps import traps_of
from byway.crawl.visitor import Visitor
from byway.extract.worker import Readers
from byway.index import Losing, catch_up, index_new, index_renamed
from byway.model import Extracted, Found, Job, Page, Url
from byway.products.vocabulary import with_own
from byway.settings import Settings

if TYPE_CHECKING:
    from byway.backends.embedded.anchors import SqliteAnchors
    from byway.backends.embedded.index import TantivyIndex
    from byway.rank.ranking import Topic
    from byway.rank.walk import Progress as RankProgress
    from byway.reading import Reading

log = logging.getLogger(__name__)

PAUSE = 0.3
"""Seconds between two looks for new documents."""
RANK_EVERY = 30.0
"""Seconds between two rankings while a crawl goes on."""
TOPIC_PAGES = 1_000
"""Pages that are of a topic: the best, as those further down only share a word with it."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """What indexing came to."""

    documents: int
    """Documents that can be found now and could not before, or not so."""
    lost: Mapping[str, int]
    """How many pages could not be read, by the file they were in; they are queued again."""


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
        started: Callable[[Crawler], None],
        due_by: float = 0.0,
        job: Job | None = None,
    ) -> Progress:
        """Crawl from these URLs and from where the last crawl stopped, until nothing is left.

        `due_by`: see the pages again that are due by then. `job`: work on this one alone.
        """
        settings, clock = self.settings.crawl, steady_clock()
        self.create()
        with self.folder.writing("crawl"), self._page_stores() as (pages, documents):
            pages.repair()
            frontier = SqliteFrontier(
                self.folder.crawl_db,
                clock(),
                settings.delay,
                settings.max_urls_per_host,
                votes=settings.order == "best",
                hosts=settings.hosts_in_memory,
                clock=clock,
            )
            with closing(frontier):
                only = job.name if job else ""
                if job:
                    frontier.save_job(_merged(frontier.jobs(), job))
                frontier.add(Found(url, seed=True, job=only) for url in named)
                frontier.queue_unreachable()
                if due_by:
                    frontier.queue_stale(due_by, only)
                async with (
                    self._readers() as readers,
                    Fetcher(settings, Guard(settings.allow_private), time.time) as fetcher,
                ):
                    losing = Losing(frontier)
                    await catch_up(pages, documents, readers.read, losing)
                    recorder = Recorder(frontier, pages, documents, clock)
                    told = recorder.progress.notes.append
                    for file, count in losing.files.items():
                        told(f"pages that could not be read from {file}: {count:,}; queued again")
                    jobs = Jobs(settings, frontier.jobs(), only)
                    icons = FileIcons(self.folder.icons) if settings.favicons else None
                    visitor = Visitor(
                        settings, frontier, fetcher, readers.read, clock, jobs, told, icons
                    )
                    crawler = Crawler(
                        settings,
                        frontier,
                        visitor,
                        recorder,
                        clock,
                        self._held,
                        self.folder.paused_jobs,
                    )
                    started(crawler)
                    return await crawler.run()

    def index(
        self, progress: Callable[[int], None] = lambda done: None, anew: bool = False
    ) -> Indexed:
        """Make findable what is not yet.

        `anew`: make all of it anew from the pages, beside the old index, which answers until then.
        What was interrupted while it was made anew goes on, unless a crawl is running.
        """
        from byway.backends.embedded.building import given_up_without_room, is_made_anew

        self.folder.require()
        if anew or (is_made_anew(self.folder) and not self.folder.is_writing("crawl")):
            with (
                self.folder.writing("index"),
                # To the end: what a crawl brought meanwhile would be missing in the new one.
                self.folder.writing("crawl"),
                given_up_without_room(self.folder),
            ):
                lost = self._make_documents_anew(anew)
                return Indexed(self._fill(progress), lost)
        lost = self._make_missing_documents()
        with self.folder.writing("index"), given_up_without_room(self.folder):
            self._give_up_unfinished()
            return Indexed(self._fill(progress), lost)

    def index_until(self, stop: Callable[[float], bool]) -> None:
        """Index what a crawl beside us keeps, and rank it now and then.

        `stop(seconds)` waits that long and says whether to stop.
        """
        from byway.backends.embedded.building import given_up_without_room, to_build

        ranked_at, ranked_pages = 0.0, 0
        batch = self.settings.index.batch
        with self.folder.writing("index"), given_up_without_room(self.folder):
            self._give_up_unfinished()
            if to_build(self.folder, self.settings.crawl.free_disk):
                self._fill()
            with self._indexer(self.folder.built) as (documents, index, anchors):
                stopping = False
                while not stopping:
                    stopping = stop(PAUSE)
                    for _ in index_new(documents, index, batch, anchors):
                        pass
                    if stopping:
                        index_renamed(documents, index, batch, anchors)
                    grown = index.last() > 1.2 * ranked_pages
                    if index.last() != ranked_pages and (
                        stopping or (grown and time.monotonic() - ranked_at > RANK_EVERY)
                    ):
                        self.rank()
                        ranked_at, ranked_pages = time.monotonic(), index.last()

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

    def rank(self, progress: "RankProgress | None" = None) -> int:
        """Rank all known pages by their links; return how many there are."""
        from byway.backends.embedded.links import SqliteGraph
        from byway.backends.embedded.ranks import ArrayRanks
        from byway.rank.ranking import rank

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
        from byway.reading import reading

        return reading(self.folder, self.settings)

    # Pieces.

    @contextmanager
    def _page_stores(self, path: Path | None = None) -> Iterator[tuple[WarcPages, SqliteDocuments]]:
        """The pages, and their documents: those that are asked, unless others are named."""
        with (
            closing(open_to_read(self.folder.crawl_db)) as db,
            closing(WarcPages(self.folder.pages, db)) as pages,
            closing(documents_to_write(path or self.folder.documents_db)) as documents,
        ):
            yield pages, documents

    @contextmanager
    def _indexer(
        self, filled: Built
    ) -> "Iterator[tuple[SqliteDocuments, TantivyIndex, SqliteAnchors]]":
        from byway.backends.embedded.anchors import SqliteAnchors
        from byway.backends.embedded.index import TantivyIndex
        from byway.backends.embedded.links import SqliteGraph

        filled.index.mkdir(exist_ok=True)  # whoever deleted it wants it made anew
        anchors_db = filled.index / "anchors.db"
        with (
            closing(open_to_read(self.folder.crawl_db)) as db,
            closing(documents_to_read(filled.documents)) as documents,
            closing(TantivyIndex(filled.index, self.settings.index)) as index,
            closing(SqliteAnchors(anchors_db, SqliteGraph(db))) as anchors,
        ):
            yield documents, index, anchors

    def _fill(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Index what is new; into what is being built, if anything is, which then takes over."""
        from byway.backends.embedded.building import require_room, to_build

        spare, batch, done = self.settings.crawl.free_disk, self.settings.index.batch, 0
        begun = to_build(self.folder, spare)
        with self._indexer(begun or self.folder.built) as (documents, index, anchors):
            for done in index_new(documents, index, batch, anchors):
                progress(done)
                if begun:
                    require_room(self.folder, spare)
            index_renamed(documents, index, batch, anchors)
        if begun:
            built.take_over(self.folder.path)
        return done

    def _readers(self) -> Readers:
        """Readers with the rules and words of this folder, yet to be started."""
        settings = self.settings
        rules = self.folder.sites if self.folder.sites.is_dir() else None
        most, words = settings.crawl.max_bytes, with_own(self.folder.words())
        return Readers(settings.extract, most, rules, words)

    def _topic(self, query: str) -> "Topic":
        """The pages that match a query best."""
        from byway.rank.ranking import Topic

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

    def _make_missing_documents(self) -> Mapping[str, int]:
        """Read again what a crash kept from being written down; a crawl does so by itself.

        Says how many pages of each file could not be read.
        """
        if self.folder.is_writing("crawl"):
            return {}
        with self.folder.writing("crawl"):
            return self._read_pages(self.folder.documents_db)

    def _make_documents_anew(self, begin: bool) -> Mapping[str, int]:
        """Read all pages again, beside the documents that are asked, or go on with it."""
        from byway.backends.embedded.building import begin_anew, is_foreign, require_room

        spare, begun = self.settings.crawl.free_disk, self.folder.building
        if begin or (begun and is_foreign(begun.index)):
            self._readers()  # a mistake in a rule or word of the user's costs no index
            with closing(open_to_read(self.folder.crawl_db)) as db:
                WarcPages(self.folder.pages, db).require()
            begin_anew(self.folder, spare)
        filled = self.folder.building or self.folder.built
        return self._read_pages(filled.documents, lambda: require_room(self.folder, spare))

    def _read_pages(
        self, path: Path, before_each: Callable[[], None] = lambda: None
    ) -> Mapping[str, int]:
        """Put the documents into this store that it lacks. Needs the `crawl` lock."""

        async def make() -> Mapping[str, int]:
            with self._page_stores(path) as (pages, documents):
                if documents.last() >= pages.last():
                    return {}
                with closing(SqliteFrontier(self.folder.crawl_db)) as frontier:
                    losing = Losing(frontier)
                    async with self._readers() as readers:

                        async def read(page: Page) -> Extracted:
                            before_each()
                            return await readers.read(page)

                        await catch_up(pages, documents, read, losing)
                    return losing.files

        return asyncio.run(make())

    def _give_up_unfinished(self) -> None:
        """A crawl goes on, and brings what documents that were being made anew would lack."""
        from byway.backends.embedded.building import is_made_anew

        if is_made_anew(self.folder):
            log.warning(
                "%s: what was left of an interrupted rebuild is deleted, since a crawl runs; "
                "`byway index --rebuild` begins it again",
                self.folder.path,
            )
            built.give_up(self.folder.path)


def _merged(known: Sequence[Job], job: Job) -> Job:
    """A job that is named again keeps what is not said anew."""
    before = next((one.reach for one in known if one.name == job.name), {})
    return replace(job, reach={**before, **job.reach})
