"""Indexing of a data folder: updates of the live index, and rebuilds beside it.

A rebuild happens on request, or when the live index was made by incompatible code. Import this
module lazily: a crawl without it takes 20 MB less memory.
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
"""Seconds between two checks for new documents."""
RANK_INTERVAL_SECONDS = 30.0
"""Seconds between two rankings during a crawl."""
ANCHOR_REINDEX_INTERVAL_SECONDS = 30.0
"""Seconds after which pages with changed anchor texts are reindexed, if there is nothing new."""


@dataclass(frozen=True, slots=True)
class IndexingResult:
    """The result of an indexing run."""

    documents: int
    """Documents added or updated."""
    unreadable_pages: Mapping[str, int]
    """Number of unreadable pages by file; they are queued again."""
    indexer_pid: int = 0
    """The process that indexes instead of this one, if there is one."""
    done: bool = True
    """Whether everything that was stored at the start is in the index."""


class IndexingService:
    """Indexes the pages of a data folder under its locks."""

    def __init__(self, folder: DataFolder, settings: Settings) -> None:
        self._folder = folder
        self._settings = settings
        self._min_free_disk_mb = settings.crawl.min_free_disk_mb

    def index(self, progress: Callable[[int], None], rebuild: bool) -> IndexingResult:
        """Index new documents; `rebuild`: build a complete index beside the live one."""
        folder = self._folder
        if rebuild or (is_full_rebuild(folder) and not folder.is_locked("crawl")):
            with (
                folder.write_lock("index"),
                # Until the end: pages crawled in the meantime would be missing from the new index.
                folder.write_lock("crawl"),
                abandon_on_full_disk(folder),
            ):
                unreadable = self._extract_all(rebuild)
                return IndexingResult(self._fill(progress), unreadable)
        unreadable = self._extract_missing()
        with folder.write_lock("index"), abandon_on_full_disk(folder):
            self._abandon_full_rebuild()
            return IndexingResult(self._fill(progress), unreadable)

    def index_or_wait(self, progress: Callable[[int], None], timeout: float) -> IndexingResult:
        """Index new documents, or wait up to `timeout` seconds for the process that does."""
        folder, end, last = self._folder, time.monotonic() + timeout, self._last_stored()
        while True:
            try:
                return self.index(progress, rebuild=False)
            except DataLockedError:
                pid, timed_out = folder.writer_pid("index"), time.monotonic() > end
                if pid is None and timed_out:
                    raise
                if pid and ((done := self._last_indexed() >= last) or timed_out):
                    return IndexingResult(0, {}, pid, done)
            time.sleep(POLL_INTERVAL_SECONDS)

    def follow_crawl(self, stop: Callable[[float], bool], rank: Callable[[], object]) -> None:
        """Index the pages of a running crawl, and rank them from time to time.

        `stop(seconds)` waits that long and returns whether to stop.
        """
        folder, batch = self._folder, self._settings.index.batch_size
        ranked_at, ranked_sequence = 0.0, 0
        anchors_at, anchors_sequence = time.monotonic(), 0
        with folder.write_lock("index"), abandon_on_full_disk(folder):
            self._abandon_full_rebuild()
            if resume_or_begin_rebuild(folder, self._min_free_disk_mb):
                self._fill()
            with self._open_stores(folder.live_generation) as (documents, index, anchors):
                stopping = False
                while not stopping:
                    stopping = stop(POLL_INTERVAL_SECONDS)
                    idle = not sum(1 for _ in index_new(documents, index, batch, anchors))
                    waited = time.monotonic() - anchors_at > ANCHOR_REINDEX_INTERVAL_SECONDS
                    if stopping or (
                        idle and waited and index.committed_sequence() != anchors_sequence
                    ):
                        # New and removed pages go first.
                        is_behind = partial(_is_behind, index, documents)
                        reindex_changed(documents, index, batch, anchors, is_behind)
                        if not is_behind():
                            anchors_at, anchors_sequence = (
                                time.monotonic(),
                                index.committed_sequence(),
                            )
                    grown = index.committed_sequence() > 1.2 * ranked_sequence
                    if index.committed_sequence() != ranked_sequence and (
                        stopping or (grown and time.monotonic() - ranked_at > RANK_INTERVAL_SECONDS)
                    ):
                        rank()
                        ranked_at, ranked_sequence = time.monotonic(), index.committed_sequence()

    def _fill(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Index new documents into the index that is being rebuilt, if any, and promote it."""
        batch, done = self._settings.index.batch_size, 0
        rebuild = resume_or_begin_rebuild(self._folder, self._min_free_disk_mb)
        with self._open_stores(rebuild or self._folder.live_generation) as (
            documents,
            index,
            anchors,
        ):
            for done in index_new(documents, index, batch, anchors):
                progress(done)
                if rebuild:
                    require_disk_space(self._folder, self._min_free_disk_mb)
            reindex_changed(documents, index, batch, anchors)
        if rebuild:
            generations.promote(self._folder.path)
        return done

    @contextmanager
    def _open_stores(
        self, generation: Generation
    ) -> Iterator[tuple[SqliteDocumentStore, TantivyIndex, SqliteAnchorStore]]:
        generation.index.mkdir(exist_ok=True)  # it was deleted to be rebuilt
        anchors_db = generation.index / "anchors.db"
        with (
            closing(open_to_read(self._folder.crawl_db)) as db,
            closing(open_documents_to_read(generation.documents)) as documents,
            closing(TantivyIndex(generation.index, self._settings.index)) as index,
            closing(SqliteAnchorStore(anchors_db, SqliteLinkGraph(db))) as anchors,
        ):
            yield documents, index, anchors

    def _last_stored(self) -> int:
        """The sequence number of the last page that was stored or removed."""
        with closing(open_to_read(self._folder.crawl_db)) as db:
            return WarcPageStore(self._folder.pages, db).last_sequence()

    def _last_indexed(self) -> int:
        """The sequence number of the last commit of the live index."""
        return open_commit_marker(self._folder.live_generation.index).committed_sequence()

    def _extract_missing(self) -> Mapping[str, int]:
        """Extract the documents that are missing after a crash; a crawl does this itself."""
        if self._folder.is_locked("crawl"):
            return {}
        with self._folder.write_lock("crawl"):
            return extract_missing(self._folder, self._settings, self._folder.documents_db)

    def _extract_all(self, begin: bool) -> Mapping[str, int]:
        """Extract all pages into a new document store beside the live one, or continue doing so."""
        folder = self._folder
        building = folder.building_generation
        if begin or (building and is_incompatible(building.index)):
            make_worker_pool(folder, self._settings)  # fails first if a rule or word is wrong
            with closing(open_to_read(folder.crawl_db)) as db:
                WarcPageStore(folder.pages, db).require_files()
            begin_full_rebuild(folder, self._min_free_disk_mb)
        generation = folder.building_generation or folder.live_generation
        return extract_missing(
            folder,
            self._settings,
            generation.documents,
            lambda: require_disk_space(folder, self._min_free_disk_mb),
        )

    def _abandon_full_rebuild(self) -> None:
        """Delete an interrupted full rebuild: it would lack the pages of the running crawl."""
        if is_full_rebuild(self._folder):
            log.warning(
                "%s: deleting an interrupted rebuild because a crawl is running; "
                "`byway index --rebuild` starts it again",
                self._folder.path,
            )
            generations.abandon(self._folder.path)


def _is_behind(index: TantivyIndex, documents: SqliteDocumentStore) -> bool:
    """Whether there are new documents to index."""
    return documents.last_sequence() > index.committed_sequence()
