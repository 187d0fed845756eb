"""How do documents become findable? In the index that is asked, or in one that takes its place.

An index is built beside the one that is asked when that is wanted, or when other code made it.
Import it late: a crawl without what indexes takes 20 MB less.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial

from byway.app.documents import extract_missing, make_worker_pool
from byway.core.errors import DataLockedError
from byway.core.settings.schema import Settings
from byway.index.anchors.anchor_store import SqliteAnchorStore
from byway.index.disk import generations
from byway.index.disk.generations import Generation
from byway.index.disk.rebuild import (
    abandon_on_full_disk,
    begin_full_rebuild,
    is_full_rebuild,
    is_incompatible,
    open_commit_marker,
    require_disk_space,
    resume_or_begin_rebuild,
)
from byway.index.indexer import index_new, reindex_changed
from byway.index.tantivy_index import TantivyIndex
from byway.storage.data_folder import DataFolder
from byway.storage.sqlite.crawl_db.link_graph import SqliteLinkGraph
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.documents import SqliteDocumentStore, open_documents_to_read
from byway.storage.warc.page_store import WarcPageStore

log = logging.getLogger(__name__)

POLL_INTERVAL_SECONDS = 0.3
"""Seconds between two looks for new documents."""
RANK_INTERVAL_SECONDS = 30.0
"""Seconds between two rankings while a crawl goes on."""
ANCHOR_REINDEX_INTERVAL_SECONDS = 30.0
"""Seconds after which pages are indexed again that links call otherwise, when nothing else is."""


@dataclass(frozen=True, slots=True)
class IndexingResult:
    """What indexing came to."""

    documents: int
    """Documents that can be found now and could not before, or not so."""
    unreadable_pages: Mapping[str, int]
    """How many pages could not be read, by the file they were in; they are queued again."""
    indexer_pid: int = 0
    """The process that indexes in our place, if there is one."""
    done: bool = True
    """Is all that was kept when we began in the index?"""


class IndexingService:
    """Makes what a data folder holds findable; takes its locks."""

    def __init__(self, folder: DataFolder, settings: Settings) -> None:
        self._folder = folder
        self._settings = settings
        self._spare = settings.crawl.min_free_disk_mb

    def index(self, progress: Callable[[int], None], rebuild: bool) -> IndexingResult:
        """Make findable what is not yet; `rebuild`: make all of it anew, beside the old index."""
        folder = self._folder
        if rebuild or (is_full_rebuild(folder) and not folder.is_locked("crawl")):
            with (
                folder.write_lock("index"),
                # To the end: what a crawl brought meanwhile would be missing in the new one.
                folder.write_lock("crawl"),
                abandon_on_full_disk(folder),
            ):
                lost = self._make_documents_anew(rebuild)
                return IndexingResult(self._fill(progress), lost)
        lost = self._make_missing_documents()
        with folder.write_lock("index"), abandon_on_full_disk(folder):
            self._give_up_unfinished()
            return IndexingResult(self._fill(progress), lost)

    def index_or_wait(self, progress: Callable[[int], None], timeout: float) -> IndexingResult:
        """Make findable what is not yet, or wait so many seconds for the process that does it."""
        folder, end, last = self._folder, time.monotonic() + timeout, self._last_kept()
        while True:
            try:
                return self.index(progress, rebuild=False)
            except DataLockedError:
                by, over = folder.writer_pid("index"), time.monotonic() > end
                if by is None and over:
                    raise
                if by and ((done := self._last_indexed() >= last) or over):
                    return IndexingResult(0, {}, by, done)
            time.sleep(POLL_INTERVAL_SECONDS)

    def follow_crawl(self, stop: Callable[[float], bool], rank: Callable[[], object]) -> None:
        """Index what a crawl beside us keeps, and have it ranked now and then.

        `stop(seconds)` waits that long and says whether to stop.
        """
        folder, batch = self._folder, self._settings.index.batch_size
        ranked_at, ranked_pages = 0.0, 0
        renamed_at, renamed_pages = time.monotonic(), 0
        with folder.write_lock("index"), abandon_on_full_disk(folder):
            self._give_up_unfinished()
            if resume_or_begin_rebuild(folder, self._spare):
                self._fill()
            with self._opened(folder.live_generation) as (documents, index, anchors):
                stopping = False
                while not stopping:
                    stopping = stop(POLL_INTERVAL_SECONDS)
                    idle = not sum(1 for _ in index_new(documents, index, batch, anchors))
                    waited = time.monotonic() - renamed_at > ANCHOR_REINDEX_INTERVAL_SECONDS
                    if stopping or (
                        idle and waited and index.committed_sequence() != renamed_pages
                    ):
                        # What comes meanwhile, or is removed, goes first.
                        is_behind = partial(_is_behind, index, documents)
                        reindex_changed(documents, index, batch, anchors, is_behind)
                        if not is_behind():
                            renamed_at, renamed_pages = time.monotonic(), index.committed_sequence()
                    grown = index.committed_sequence() > 1.2 * ranked_pages
                    if index.committed_sequence() != ranked_pages and (
                        stopping or (grown and time.monotonic() - ranked_at > RANK_INTERVAL_SECONDS)
                    ):
                        rank()
                        ranked_at, ranked_pages = time.monotonic(), index.committed_sequence()

    def _fill(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Index what is new; into what is being built, if anything is, which then takes over."""
        batch, done = self._settings.index.batch_size, 0
        begun = resume_or_begin_rebuild(self._folder, self._spare)
        with self._opened(begun or self._folder.live_generation) as (documents, index, anchors):
            for done in index_new(documents, index, batch, anchors):
                progress(done)
                if begun:
                    require_disk_space(self._folder, self._spare)
            reindex_changed(documents, index, batch, anchors)
        if begun:
            generations.promote(self._folder.path)
        return done

    @contextmanager
    def _opened(
        self, filled: Generation
    ) -> Iterator[tuple[SqliteDocumentStore, TantivyIndex, SqliteAnchorStore]]:
        filled.index.mkdir(exist_ok=True)  # whoever deleted it wants it made anew
        anchors_db = filled.index / "anchors.db"
        with (
            closing(open_to_read(self._folder.crawl_db)) as db,
            closing(open_documents_to_read(filled.documents)) as documents,
            closing(TantivyIndex(filled.index, self._settings.index)) as index,
            closing(SqliteAnchorStore(anchors_db, SqliteLinkGraph(db))) as anchors,
        ):
            yield documents, index, anchors

    def _last_kept(self) -> int:
        """The number of the last page that was kept, or ended."""
        with closing(open_to_read(self._folder.crawl_db)) as db:
            return WarcPageStore(self._folder.pages, db).last_sequence()

    def _last_indexed(self) -> int:
        """The number of the last page that who searches has heard of."""
        return open_commit_marker(self._folder.live_generation.index).committed_sequence()

    def _make_missing_documents(self) -> Mapping[str, int]:
        """Read again what a crash kept from being written down; a crawl does so by itself."""
        if self._folder.is_locked("crawl"):
            return {}
        with self._folder.write_lock("crawl"):
            return extract_missing(self._folder, self._settings, self._folder.documents_db)

    def _make_documents_anew(self, begin: bool) -> Mapping[str, int]:
        """Read all pages again, beside the documents that are asked, or go on with it."""
        folder = self._folder
        begun = folder.building_generation
        if begin or (begun and is_incompatible(begun.index)):
            make_worker_pool(folder, self._settings)  # a mistake in a rule or word costs no index
            with closing(open_to_read(folder.crawl_db)) as db:
                WarcPageStore(folder.pages, db).require_files()
            begin_full_rebuild(folder, self._spare)
        filled = folder.building_generation or folder.live_generation
        return extract_missing(
            folder,
            self._settings,
            filled.documents,
            lambda: require_disk_space(folder, self._spare),
        )

    def _give_up_unfinished(self) -> None:
        """A crawl goes on, and brings what documents that were being made anew would lack."""
        if is_full_rebuild(self._folder):
            log.warning(
                "%s: what was left of an interrupted rebuild is deleted, since a crawl runs; "
                "`byway index --rebuild` begins it again",
                self._folder.path,
            )
            generations.abandon(self._folder.path)


def _is_behind(index: TantivyIndex, documents: SqliteDocumentStore) -> bool:
    """Is there anything new to be indexed?"""
    return documents.last_sequence() > index.committed_sequence()
