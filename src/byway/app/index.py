"""Indexes a collection: updates the live index, or builds a new one beside it.

A rebuild happens on request, or when the live index was made by incompatible code. Import this
module lazily: a crawl without it takes 20 MB less memory.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Literal, NamedTuple

from byway.app.documents import extract_missing, make_worker_pool
from byway.app.storage import open_generations
from byway.core.errors import DataLockedError
from byway.core.model import UrlState
from byway.core.ports import IndexGeneration, IndexStores, Storage
from byway.core.settings.schema import Settings
from byway.index.indexer import index_new, reindex_changed

log = logging.getLogger(__name__)

MIN_PARALLEL_DOCUMENTS = 2000
"""The least number of new documents for which shard processes are started."""
POLL_INTERVAL_SECONDS = 0.3
"""Seconds between two checks for new documents."""
RANK_INTERVAL_SECONDS = 30.0
"""Seconds between two rankings during a crawl."""
ANCHOR_REINDEX_INTERVAL_SECONDS = 30.0
"""Seconds between two reindexings of pages with changed anchor texts, if no pages are new."""


class IndexingProgress(NamedTuple):
    """The progress of an indexing run."""

    stage: Literal["extract", "index"]
    done: int
    """Pages extracted or documents indexed in this run."""
    total: int
    """Their number at the start."""


@dataclass(frozen=True, slots=True)
class IndexingResult:
    """The result of an indexing run."""

    documents: int
    """Documents added or updated."""
    shards: int
    """The number of index shards; 0 if another process is indexing."""
    unreadable_pages: Mapping[str, int]
    """Number of unreadable pages by file; they are queued again."""
    indexer_pid: int = 0
    """The id of another process that is indexing instead of this one; 0 if there is none."""
    done: bool = True
    """Whether everything that was stored at the start is in the index."""


class IndexingService:
    """Indexes the pages of a collection under its locks."""

    def __init__(self, storage: Storage, settings: Settings) -> None:
        self._storage = storage
        self._settings = settings
        self._generations = open_generations(storage, settings)

    def index(self, progress: Callable[[IndexingProgress], None], rebuild: bool) -> IndexingResult:
        """Index new documents; `rebuild`: build a complete index beside the live one."""
        storage, generations = self._storage, self._generations
        if rebuild or (generations.full_rebuild() and not storage.is_locked("crawl")):
            with (
                storage.write_lock("index"),
                # Held to the end: pages crawled meanwhile would be missing from the new index.
                storage.write_lock("crawl"),
                generations.abandon_on_full_disk(),
            ):
                unreadable = self._extract_all(rebuild, progress)
                return IndexingResult(*self._fill(progress), unreadable)
        unreadable = self._extract_missing()
        with storage.write_lock("index"), generations.abandon_on_full_disk():
            self._abandon_full_rebuild()
            return IndexingResult(*self._fill(progress), unreadable)

    def index_or_wait(
        self, progress: Callable[[IndexingProgress], None], timeout: float
    ) -> IndexingResult:
        """Index new documents, or wait up to `timeout` seconds for the process that is indexing."""
        storage, end, last = self._storage, time.monotonic() + timeout, self._last_stored()
        while True:
            try:
                return self.index(progress, rebuild=False)
            except DataLockedError:
                pid, timed_out = storage.writer_pid("index"), time.monotonic() > end
                if pid is None and timed_out:
                    raise
                if pid and ((done := self._last_indexed() >= last) or timed_out):
                    return IndexingResult(0, 0, {}, pid, done)
            time.sleep(POLL_INTERVAL_SECONDS)

    def follow_crawl(self, stop: Callable[[float], bool], rank: Callable[[], object]) -> None:
        """Index the pages of a running crawl, and rank them from time to time.

        `stop(seconds)` waits that long and returns whether to stop.
        """
        storage, generations = self._storage, self._generations
        batch = self._settings.index.batch_size
        ranked_at, ranked_sequence = 0.0, 0
        anchors_at, anchors_sequence = time.monotonic(), 0
        with storage.write_lock("index"), generations.abandon_on_full_disk():
            self._abandon_full_rebuild()
            if generations.rebuild():
                self._fill()
            with generations.live().open_for_update() as stores:
                documents, index, anchors = stores.documents, stores.index, stores.anchors
                stopping = False
                while not stopping:
                    stopping = stop(POLL_INTERVAL_SECONDS)
                    idle = not sum(1 for _ in index_new(documents, index, batch, anchors))
                    waited = time.monotonic() - anchors_at > ANCHOR_REINDEX_INTERVAL_SECONDS
                    if stopping or (
                        idle and waited and index.committed_sequence() != anchors_sequence
                    ):
                        # New and removed pages go first.
                        is_behind = partial(_is_behind, stores)
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

    def _fill(
        self, progress: Callable[[IndexingProgress], None] = lambda progress: None
    ) -> tuple[int, int]:
        """Index new documents into the index that is being rebuilt, if any, and promote it.

        Returns the number of indexed documents and of shards.
        """
        rebuild, done = self._generations.rebuild(), 0
        generation = rebuild or self._generations.live()
        with generation.open_for_update() as stores:
            total = stores.documents.count_documents_since(stores.index.committed_sequence())
            progress(IndexingProgress("index", 0, total))
            for done in self._index_documents(generation, stores):
                progress(IndexingProgress("index", done, total))
                if rebuild:
                    self._generations.require_space()
            shards = len(stores.index.statistics().shards)
        if rebuild:
            self._generations.promote()
        return done, shards

    def _index_documents(self, generation: IndexGeneration, stores: IndexStores) -> Iterator[int]:
        """Index new documents and changed anchor texts; yields the total of documents so far."""
        documents, index, anchors = stores.documents, stores.index, stores.anchors
        batch, done = self._settings.index.batch_size, 0
        for done in generation.index_in_parallel(stores, MIN_PARALLEL_DOCUMENTS):
            yield done
        for more in index_new(documents, index, batch, anchors):  # or those stored meanwhile
            yield done + more
        reindex_changed(documents, index, batch, anchors)

    def _last_stored(self) -> int:
        """The sequence number of the last page that was stored or removed."""
        with self._storage.reader() as reader:
            return reader.pages.last_sequence()

    def _last_indexed(self) -> int:
        """The sequence number of the last commit of the live index."""
        return self._generations.live().committed_sequence()

    def _extract_missing(self) -> Mapping[str, int]:
        """Extract documents that are missing after a crash; a running crawl does this itself."""
        if self._storage.is_locked("crawl"):
            return {}
        with self._storage.write_lock("crawl"):
            return extract_missing(self._storage, self._settings, self._generations.live())

    def _extract_all(
        self, begin: bool, progress: Callable[[IndexingProgress], None]
    ) -> Mapping[str, int]:
        """Extract all pages into new documents beside the live ones, or resume doing so."""
        storage, generations = self._storage, self._generations
        if begin or generations.is_rebuild_incompatible():
            make_worker_pool(storage, self._settings)  # fails first if a rule or word is wrong
            with storage.reader() as reader:
                reader.pages.require_files()
            generations.begin_full_rebuild()
        generation: IndexGeneration = generations.full_rebuild() or generations.live()
        with storage.reader() as reader:
            total = reader.catalog.state_counts().get(UrlState.KEPT, 0)
        numbers = count()

        def before_each() -> None:
            generations.require_space()
            progress(IndexingProgress("extract", next(numbers), total))

        return extract_missing(storage, self._settings, generation, before_each)

    def _abandon_full_rebuild(self) -> None:
        """Delete an interrupted full rebuild: it would lack the pages of the running crawl."""
        if self._generations.full_rebuild():
            log.warning(
                "%s: deleting an interrupted rebuild because a crawl is running; "
                "`byway index --rebuild` starts it again",
                self._storage.path,
            )
            self._generations.abandon()


def _is_behind(stores: IndexStores) -> bool:
    """Whether there are new documents to index."""
    return stores.documents.last_sequence() > stores.index.committed_sequence()
