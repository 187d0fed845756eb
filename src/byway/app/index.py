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

from byway.app.documents import extract_missing, readers_of
from byway.core.errors import Locked
from byway.core.settings.schema import Settings
from byway.index.anchors.anchor_store import SqliteAnchors
from byway.index.disk import generations
from byway.index.disk.generations import Built
from byway.index.disk.rebuild import (
    begin_anew,
    committed_to,
    given_up_without_room,
    is_foreign,
    is_made_anew,
    require_room,
    to_build,
)
from byway.index.indexer import index_new, index_renamed
from byway.index.tantivy_index import TantivyIndex
from byway.storage.data_folder import Folder
from byway.storage.sqlite.crawl_db.link_graph import SqliteGraph
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.documents import SqliteDocuments, documents_to_read
from byway.storage.warc.page_store import WarcPages

log = logging.getLogger(__name__)

PAUSE = 0.3
"""Seconds between two looks for new documents."""
RANK_EVERY = 30.0
"""Seconds between two rankings while a crawl goes on."""
RENAME_EVERY = 30.0
"""Seconds after which pages are indexed again that links call otherwise, when nothing else is."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """What indexing came to."""

    documents: int
    """Documents that can be found now and could not before, or not so."""
    lost: Mapping[str, int]
    """How many pages could not be read, by the file they were in; they are queued again."""
    by: int = 0
    """The process that indexes in our place, if there is one."""
    done: bool = True
    """Is all that was kept when we began in the index?"""


class Indexing:
    """Makes what a data folder holds findable; takes its locks."""

    def __init__(self, folder: Folder, settings: Settings) -> None:
        self._folder = folder
        self._settings = settings
        self._spare = settings.crawl.free_disk

    def index(self, progress: Callable[[int], None], anew: bool) -> Indexed:
        """Make findable what is not yet; `anew`: make all of it anew, beside the old index."""
        folder = self._folder
        if anew or (is_made_anew(folder) and not folder.is_writing("crawl")):
            with (
                folder.writing("index"),
                # To the end: what a crawl brought meanwhile would be missing in the new one.
                folder.writing("crawl"),
                given_up_without_room(folder),
            ):
                lost = self._make_documents_anew(anew)
                return Indexed(self._fill(progress), lost)
        lost = self._make_missing_documents()
        with folder.writing("index"), given_up_without_room(folder):
            self._give_up_unfinished()
            return Indexed(self._fill(progress), lost)

    def settle(self, progress: Callable[[int], None], patience: float) -> Indexed:
        """Make findable what is not yet, or wait so many seconds for the process that does it."""
        folder, end, last = self._folder, time.monotonic() + patience, self._last_kept()
        while True:
            try:
                return self.index(progress, anew=False)
            except Locked:
                by, over = folder.writer("index"), time.monotonic() > end
                if by is None and over:
                    raise
                if by and ((done := self._last_indexed() >= last) or over):
                    return Indexed(0, {}, by, done)
            time.sleep(PAUSE)

    def index_until(self, stop: Callable[[float], bool], rank: Callable[[], object]) -> None:
        """Index what a crawl beside us keeps, and have it ranked now and then.

        `stop(seconds)` waits that long and says whether to stop.
        """
        folder, batch = self._folder, self._settings.index.batch
        ranked_at, ranked_pages = 0.0, 0
        renamed_at, renamed_pages = time.monotonic(), 0
        with folder.writing("index"), given_up_without_room(folder):
            self._give_up_unfinished()
            if to_build(folder, self._spare):
                self._fill()
            with self._opened(folder.built) as (documents, index, anchors):
                stopping = False
                while not stopping:
                    stopping = stop(PAUSE)
                    idle = not sum(1 for _ in index_new(documents, index, batch, anchors))
                    waited = time.monotonic() - renamed_at > RENAME_EVERY
                    if stopping or (idle and waited and index.last() != renamed_pages):
                        # What comes meanwhile, or is removed, goes first.
                        is_behind = partial(_is_behind, index, documents)
                        index_renamed(documents, index, batch, anchors, is_behind)
                        if not is_behind():
                            renamed_at, renamed_pages = time.monotonic(), index.last()
                    grown = index.last() > 1.2 * ranked_pages
                    if index.last() != ranked_pages and (
                        stopping or (grown and time.monotonic() - ranked_at > RANK_EVERY)
                    ):
                        rank()
                        ranked_at, ranked_pages = time.monotonic(), index.last()

    def _fill(self, progress: Callable[[int], None] = lambda done: None) -> int:
        """Index what is new; into what is being built, if anything is, which then takes over."""
        batch, done = self._settings.index.batch, 0
        begun = to_build(self._folder, self._spare)
        with self._opened(begun or self._folder.built) as (documents, index, anchors):
            for done in index_new(documents, index, batch, anchors):
                progress(done)
                if begun:
                    require_room(self._folder, self._spare)
            index_renamed(documents, index, batch, anchors)
        if begun:
            generations.take_over(self._folder.path)
        return done

    @contextmanager
    def _opened(
        self, filled: Built
    ) -> Iterator[tuple[SqliteDocuments, TantivyIndex, SqliteAnchors]]:
        filled.index.mkdir(exist_ok=True)  # whoever deleted it wants it made anew
        anchors_db = filled.index / "anchors.db"
        with (
            closing(open_to_read(self._folder.crawl_db)) as db,
            closing(documents_to_read(filled.documents)) as documents,
            closing(TantivyIndex(filled.index, self._settings.index)) as index,
            closing(SqliteAnchors(anchors_db, SqliteGraph(db))) as anchors,
        ):
            yield documents, index, anchors

    def _last_kept(self) -> int:
        """The number of the last page that was kept, or ended."""
        with closing(open_to_read(self._folder.crawl_db)) as db:
            return WarcPages(self._folder.pages, db).last()

    def _last_indexed(self) -> int:
        """The number of the last page that who searches has heard of."""
        return committed_to(self._folder.built.index).last()

    def _make_missing_documents(self) -> Mapping[str, int]:
        """Read again what a crash kept from being written down; a crawl does so by itself."""
        if self._folder.is_writing("crawl"):
            return {}
        with self._folder.writing("crawl"):
            return extract_missing(self._folder, self._settings, self._folder.documents_db)

    def _make_documents_anew(self, begin: bool) -> Mapping[str, int]:
        """Read all pages again, beside the documents that are asked, or go on with it."""
        folder = self._folder
        begun = folder.building
        if begin or (begun and is_foreign(begun.index)):
            readers_of(folder, self._settings)  # a mistake in a rule or word costs no index
            with closing(open_to_read(folder.crawl_db)) as db:
                WarcPages(folder.pages, db).require()
            begin_anew(folder, self._spare)
        filled = folder.building or folder.built
        return extract_missing(
            folder, self._settings, filled.documents, lambda: require_room(folder, self._spare)
        )

    def _give_up_unfinished(self) -> None:
        """A crawl goes on, and brings what documents that were being made anew would lack."""
        if is_made_anew(self._folder):
            log.warning(
                "%s: what was left of an interrupted rebuild is deleted, since a crawl runs; "
                "`byway index --rebuild` begins it again",
                self._folder.path,
            )
            generations.give_up(self._folder.path)


def _is_behind(index: TantivyIndex, documents: SqliteDocuments) -> bool:
    """Is there anything new to be indexed?"""
    return documents.last() > index.last()
