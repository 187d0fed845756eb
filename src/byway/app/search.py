"""Read-only search session on a data folder, without any part of the crawler."""

import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from byway.core.errors import DataError
from byway.core.model import (
    CrawlWait,
    Document,
    HostRecord,
    Job,
    Page,
    Query,
    ResultPosition,
    Results,
    Signal,
    Status,
    Url,
    UrlId,
    UrlRecord,
    UrlState,
)
from byway.core.model.candidates import Candidates
from byway.core.model.message import NO_REASON, Diagnosis, Reason
from byway.core.settings.schema import Settings
from byway.index.anchors.anchor_store import read_anchors
from byway.index.disk.commit_marker import CommitMarker
from byway.index.disk.generations import Generation
from byway.index.disk.rebuild import open_commit_marker, readable_generation, rebuild_progress
from byway.index.tantivy_index import TantivyIndex
from byway.products.vocabulary.lookup import ProductVocabulary, vocabulary_with_overrides
from byway.search.searcher import Searcher
from byway.search.suggest.autocomplete import suggestions
from byway.storage.data_folder import DataFolder
from byway.storage.rank_arrays import ArrayRankStore
from byway.storage.sqlite.crawl_db import removal, url_queries
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.documents import SqliteDocumentStore, open_documents_to_read
from byway.storage.warc.page_store import WarcPageStore

DOCUMENTS_PER_BATCH = 200
"""Documents read at a time when all are iterated."""
SECONDS_PER_DAY = 86_400


@contextmanager
def search_session(folder: DataFolder, settings: Settings) -> Iterator["SearchSession"]:
    """Open a data folder for searching."""
    folder.require_data()
    with closing(open_to_read(folder.crawl_db)) as db:
        session = SearchSession(folder, settings, db)
        try:
            yield session
        finally:
            session.close()


IndexVersion = tuple[Generation, int]
"""Paths of documents and index, and the inode of the documents file."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenGeneration:
    """Documents, index and searcher of one generation; a rebuild replaces them."""

    documents: SqliteDocumentStore
    index: TantivyIndex
    searcher: Searcher


class SearchSession:
    """Searches a data folder that another process may be writing to."""

    def __init__(self, folder: DataFolder, settings: Settings, db: sqlite3.Connection) -> None:
        self._folder = folder
        self._settings = settings
        self._db = db
        self._ranks = ArrayRankStore(folder.rank)
        self._weights = settings.search.weights
        self._opening = threading.Lock()
        self._next_marker: tuple[Path, CommitMarker] | None = None
        self._version, self._opened = self._open()

    def close(self) -> None:
        """Close the files."""
        self._opened.documents.close()
        self._opened.index.close()

    def _open(self) -> tuple[IndexVersion, OpenGeneration]:
        """The newest generation, opened; its files stay readable even if they are deleted."""
        while True:
            version = self._newest_version()
            try:
                opened = self._open_generation(version[0])
                with suppress(DataError):  # the first search reports the damage
                    opened.index.open_for_search()
            except (DataError, OSError, sqlite3.OperationalError):
                if version == self._newest_version():
                    raise
                continue  # it has been replaced and deleted since
            if version == self._newest_version():
                return version, opened

    def _open_generation(self, generation: Generation) -> OpenGeneration:
        documents = open_documents_to_read(generation.documents)
        index = TantivyIndex(generation.index, self._settings.index)
        return OpenGeneration(documents, index, self._searcher(documents, index, self._weights))

    def searcher(self, weights: Mapping[str, float]) -> Searcher:
        """A searcher with these signal weights."""
        opened = self._current()
        return self._searcher(opened.documents, opened.index, weights)

    def _searcher(
        self, documents: SqliteDocumentStore, index: TantivyIndex, weights: Mapping[str, float]
    ) -> Searcher:
        return Searcher(
            replace(self._settings.search, weights=weights),
            index,
            documents,
            self._ranks,
            find_url_id=lambda url: record.id if (record := self.find_url(url)) else None,
            today=lambda: int(time.time() // SECONDS_PER_DAY),
            vocabulary=lambda: self.vocabulary,
        )

    def _current(self) -> OpenGeneration:
        """The newest generation that can be read, opened."""
        newest = self._newest_version()
        if newest != self._version and newest[1] and self._has_commit(newest[0].index):
            with self._opening:
                if newest != self._version:
                    version, opened = self._open()
                    # An empty or unreadable index does not replace the old one.
                    if opened.index.committed_sequence():
                        self._version, self._opened = version, opened
        return self._opened

    def _has_commit(self, index: Path) -> bool:
        """True if the index has a commit; reads one small file on each search."""
        if self._next_marker is None or self._next_marker[0] != index:
            self._next_marker = index, open_commit_marker(index)
        return bool(self._next_marker[1].committed_sequence())

    def _newest_version(self) -> IndexVersion:
        """The newest generation; the inode tells a replaced file from the open one."""
        generation = readable_generation(self._folder.path)
        try:
            return generation, generation.documents.stat().st_ino
        except FileNotFoundError:
            return generation, 0

    def set_weights(self, weights: Mapping[str, float]) -> None:
        """Use these signal weights from now on."""
        with self._opening:  # a rebuild may replace the generation at any time
            opened = self._opened
            searcher = self._searcher(opened.documents, opened.index, weights)
            self._weights = weights
            self._opened = replace(opened, searcher=searcher)

    @cached_property
    def vocabulary(self) -> ProductVocabulary:
        """The product vocabulary of this folder."""
        return vocabulary_with_overrides(self._folder.read_vocabulary())

    def search(self, query: Query) -> Results:
        """The best hits for a query."""
        try:
            return self._current().searcher.search(query)
        except sqlite3.OperationalError as error:
            raise DataError("search.documents_unreadable", cause=str(error)) from error

    def suggest(self, prefix: str, limit: int) -> list[str]:
        """Autocomplete suggestions for a prefix."""
        return suggestions(self._current().index, prefix, limit)

    def explain(self, text: str, id: UrlId) -> tuple[Signal, ...]:
        """The signals of a page for a query; empty if it does not match."""
        return self._current().searcher.explain(text, id)

    def result_position(self, text: str, id: UrlId) -> ResultPosition:
        """The position of a page in the results, or the duplicate shown instead of it."""
        return self._current().searcher.find_position(text, id)

    def mismatches(self, text: str, id: UrlId) -> tuple[Diagnosis, ...]:
        """The parts of a query that a page does not match."""
        generation = self._current()
        page = generation.documents.get(id)
        return generation.searcher.explain_mismatch(text, id).diagnoses(page)

    def is_indexed(self, id: UrlId) -> bool:
        """True if the page is in the index."""
        return self._current().searcher.is_searchable(id)

    def candidates(self, text: str, limit: int) -> Candidates:
        """The candidates for a query, by index score alone."""
        opened = self._current()
        parsed, _ = opened.searcher.understand(Query(text))
        return opened.index.candidates(parsed, limit)

    def document(self, id: UrlId) -> Document | None:
        """The document of a page."""
        return self._current().documents.get(id)

    def is_extracted(self, id: UrlId) -> bool:
        """True if the page was extracted, even if it has no document."""
        return self._current().documents.has(id)

    def anchor_texts(self, id: UrlId) -> tuple[tuple[str, int], ...]:
        """The anchor texts of links to a page, with their counts."""
        return read_anchors(self._folder.index / "anchors.db", id)

    def unindexed_count(self) -> int:
        """The number of documents that are not indexed yet."""
        opened = self._current()
        return opened.documents.count_documents_since(opened.index.committed_sequence())

    def documents(self) -> Iterator[Document]:
        """All documents, in the order they were stored."""
        last, opened = 0, self._current()
        while rows := opened.documents.changes_since(last, DOCUMENTS_PER_BATCH):
            yield from (document for _, _, document in rows if document is not None)
            last = rows[-1][0]

    def find_url(self, url: Url) -> UrlRecord | None:
        """The record of a URL; None if it is unknown."""
        return url_queries.find_url(self._db, url)

    def removal_reason(self, url: Url) -> Reason:
        """The reason why a URL is removed, alone or with its site; empty if it is not."""
        record = self.find_url(url)
        if record is None:
            site = removal.removed_site_of(removal.removed_sites(self._db), url)
            return removal.removal_reason(site) if site else NO_REASON
        return record.reason if record.state is UrlState.REMOVED else NO_REASON

    def list_removed(self, limit: int) -> tuple[list[str], list[Url], int]:
        """Removed sites, some removed pages, and the number of removed pages."""
        return sorted(removal.removed_sites(self._db)), *removal.removed_pages(self._db, limit)

    def count_removal_targets(
        self, urls: Sequence[Url], site: str, undo: bool = False
    ) -> tuple[int, int]:
        """The number of URLs to remove, and of stored pages among them."""
        targets = removal.resolve_targets(self._db, urls, site, undo)
        return len(targets), sum(one.has_page for one in targets)

    def stored_files(self, urls: Sequence[Url], site: str) -> list[str]:
        """The files in `pages/` with content of these URLs."""
        return removal.stored_files(self._db, removal.resolve_targets(self._db, urls, site))

    def page(self, url: Url) -> Page | None:
        """The newest stored version of a page; None if it is not stored."""
        record = self.find_url(url)
        return WarcPageStore(self._folder.pages, self._db).get(record.id) if record else None

    def previous_version(self, id: UrlId) -> Page | None:
        """The last stored version that differs from the newest; None if there is none."""
        return WarcPageStore(self._folder.pages, self._db).previous_version(id)

    def seeds(self) -> list[Url]:
        """The seed URLs."""
        return url_queries.seeds(self._db)

    def jobs(self) -> list[Job]:
        """The crawl jobs of the folder, with seeds and progress."""
        return url_queries.jobs(self._db)

    def traps(self) -> list[tuple[object, ...]]:
        """The URL patterns that may be crawler traps."""
        return url_queries.traps(self._db)

    def next_revisit_at(self) -> float | None:
        """The time of the next revisit; None if there is none."""
        return url_queries.next_revisit_at(self._db)

    def queue_lengths(self) -> list[tuple[str, int]]:
        """The hosts with queued URLs and their queue lengths, longest queue first."""
        return url_queries.queue_lengths(self._db)

    def hosts(self, limit: int, name_contains: str = "") -> list[HostRecord]:
        """The records of hosts whose name contains this text, longest queue first."""
        return url_queries.hosts(self._db, limit, name_contains)

    def host_count(self, name_contains: str = "") -> int:
        """The number of known hosts whose name contains this text."""
        return url_queries.host_count(self._db, name_contains)

    def failure_reasons(self) -> Mapping[Reason, int]:
        """Failed fetches by reason; scans every URL."""
        return url_queries.failure_reasons(self._db)

    def _crawl_wait(self) -> CrawlWait | None:
        wait = self._folder.crawl_wait()
        seconds = wait[1] - time.time() if wait else 0.0
        return CrawlWait(wait[0], round(seconds, 1)) if wait and seconds > 0 else None

    def status(self) -> Status:
        """The status of crawl and index."""
        states, opened = url_queries.state_counts(self._db), self._current()
        return Status(
            pages=states.get(UrlState.KEPT, 0),
            queued=states.get(UrlState.QUEUED, 0),
            indexed=opened.index.count(),
            crawling=self._folder.crawler_pid() is not None,
            paused=self._folder.is_paused(),
            seeds=tuple(self.seeds()),
            states=states,
            has_products="is" in opened.index.attributes(),
            crawl_wait=self._crawl_wait(),
            rebuild=rebuild_progress(
                self._folder, WarcPageStore(self._folder.pages, self._db).last_sequence()
            ),
        )
