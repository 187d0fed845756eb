"""A data folder to ask, and never to write: what searching needs, and none of the crawler."""

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
from byway.core.model.message import NO_REASON, Reason
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
"""Documents read at a time, when all are asked for."""
SECONDS_PER_DAY = 86_400


@contextmanager
def search_session(folder: DataFolder, settings: Settings) -> Iterator["SearchSession"]:
    """Open a folder for questions."""
    folder.require_data()
    with closing(open_to_read(folder.crawl_db)) as db:
        opened = SearchSession(folder, settings, db)
        try:
            yield opened
        finally:
            opened.close()


IndexVersion = tuple[Generation, int]
"""Documents and an index, by their names and by the number of the documents' file."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenGeneration:
    """What is derived from the pages, as it is now: a rebuild puts others in the place of these."""

    documents: SqliteDocumentStore
    index: TantivyIndex
    searcher: Searcher


class SearchSession:
    """Questions to a data folder that another process may be writing to."""

    def __init__(self, folder: DataFolder, settings: Settings, db: sqlite3.Connection) -> None:
        self._folder = folder
        self._settings = settings
        self._db = db
        self._ranks = ArrayRankStore(folder.rank)
        self._weights = settings.search.weights
        self._opening = threading.Lock()
        self._next: tuple[Path, CommitMarker] | None = None
        self._version, self._opened = self._open()

    def close(self) -> None:
        """Let go of the files."""
        self._opened.documents.close()
        self._opened.index.close()

    def _open(self) -> tuple[IndexVersion, OpenGeneration]:
        """Documents and index of one pair, held open; nobody can take them away from here on."""
        while True:
            version = self._newest()
            try:
                opened = self._open_pair(version[0])
                with suppress(DataError):  # who asks it is told of the damage
                    opened.index.open_for_search()
            except (DataError, OSError, sqlite3.OperationalError):
                if version == self._newest():
                    raise
                continue  # another pair took its place, and it was deleted under our hands
            if version == self._newest():
                return version, opened

    def _open_pair(self, pair: Generation) -> OpenGeneration:
        documents = open_documents_to_read(pair.documents)
        index = TantivyIndex(pair.index, self._settings.index)
        return OpenGeneration(documents, index, self._searcher(documents, index, self._weights))

    def searcher(self, weights: Mapping[str, float]) -> Searcher:
        """Answers with signals that count so."""
        opened = self._now()
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

    def _now(self) -> OpenGeneration:
        """The documents and the index that are to be asked now."""
        newest = self._newest()
        if newest != self._version and newest[1] and self._answers(newest[0].index):
            with self._opening:
                if newest != self._version:
                    version, opened = self._open()
                    if (
                        opened.index.committed_sequence()
                    ):  # nothing yet, or made by other code: the old one
                        self._version, self._opened = version, opened
        return self._opened

    def _answers(self, index: Path) -> bool:
        """Has an index anything that we can read? Looked at in one small file, at each question."""
        if self._next is None or self._next[0] != index:
            self._next = index, open_commit_marker(index)
        return bool(self._next[1].committed_sequence())

    def _newest(self) -> IndexVersion:
        """Tells one pair from the next: a file that is open keeps its number to itself."""
        pair = readable_generation(self._folder.path)
        try:
            return pair, pair.documents.stat().st_ino
        except FileNotFoundError:
            return pair, 0

    def set_weights(self, weights: Mapping[str, float]) -> None:
        """Have signals count so from now on."""
        with self._opening:  # a rebuild may put others in the place of these at any time
            opened = self._opened
            searcher = self._searcher(opened.documents, opened.index, weights)
            self._weights = weights
            self._opened = replace(opened, searcher=searcher)

    @cached_property
    def vocabulary(self) -> ProductVocabulary:
        """What goods are called here."""
        return vocabulary_with_overrides(self._folder.read_vocabulary())

    def search(self, query: Query) -> Results:
        """The best hits for a query."""
        try:
            return self._now().searcher.search(query)
        except sqlite3.OperationalError as error:
            raise DataError(f"what pages say cannot be read just now: {error}") from error

    def suggest(self, prefix: str, limit: int) -> list[str]:
        """How what somebody has begun to type might go on."""
        return suggestions(self._now().index, prefix, limit)

    def explain(self, text: str, id: UrlId) -> tuple[Signal, ...]:
        """Why a page stands where it does; nothing if it does not match."""
        return self._now().searcher.explain(text, id)

    def result_position(self, text: str, id: UrlId) -> ResultPosition:
        """Where a page stands for a query, or which one is shown instead of it."""
        return self._now().searcher.find_position(text, id)

    def mismatches(self, text: str, id: UrlId) -> list[str]:
        """What of a query a page does not have, in sentences."""
        opened = self._now()
        return opened.searcher.explain_mismatch(text, id).sentences(opened.documents.get(id))

    def is_indexed(self, id: UrlId) -> bool:
        """Could this page be found, if the right words were asked for?"""
        return self._now().searcher.is_searchable(id)

    def candidates(self, text: str, limit: int) -> Candidates:
        """The pages whose words match a query best, whatever else speaks for them."""
        opened = self._now()
        question, _ = opened.searcher.understand(Query(text))
        return opened.index.candidates(question, limit)

    def document(self, id: UrlId) -> Document | None:
        """What a page says."""
        return self._now().documents.get(id)

    def is_extracted(self, id: UrlId) -> bool:
        """Was this page read, even if nothing can be found in it?"""
        return self._now().documents.has(id)

    def anchor_texts(self, id: UrlId) -> tuple[tuple[str, int], ...]:
        """What links call a page, and how many do."""
        return read_anchors(self._folder.index / "anchors.db", id)

    def unindexed_count(self) -> int:
        """How many documents could be found, were they indexed."""
        opened = self._now()
        return opened.documents.count_documents_since(opened.index.committed_sequence())

    def documents(self) -> Iterator[Document]:
        """What every page says, in the order in which they were put."""
        last, opened = 0, self._now()
        while rows := opened.documents.changes_since(last, DOCUMENTS_PER_BATCH):
            yield from (document for _, _, document in rows if document is not None)
            last = rows[-1][0]

    def find_url(self, url: Url) -> UrlRecord | None:
        """What became of a URL; None if we never heard of it."""
        return url_queries.find_url(self._db, url)

    def removal_reason(self, url: Url) -> Reason:
        """How a URL was removed by hand, or would be if it were found; empty if it is not."""
        record = self.find_url(url)
        if record is None:
            site = removal.removed_site_of(removal.removed_sites(self._db), url)
            return removal.removal_reason(site) if site else NO_REASON
        return record.reason if record.state is UrlState.REMOVED else NO_REASON

    def list_removed(self, limit: int) -> tuple[list[str], list[Url], int]:
        """The sites and some pages that were taken out, and how many such pages there are."""
        return sorted(removal.removed_sites(self._db)), *removal.removed_pages(self._db, limit)

    def count_removal_targets(
        self, urls: Sequence[Url], site: str, undo: bool = False
    ) -> tuple[int, int]:
        """How many URLs are meant, and how many pages there are of them."""
        chosen = removal.resolve_targets(self._db, urls, site, undo)
        return len(chosen), sum(one.has_page for one in chosen)

    def stored_files(self, urls: Sequence[Url], site: str) -> list[str]:
        """The files of `pages/` that hold something of these."""
        return removal.stored_files(self._db, removal.resolve_targets(self._db, urls, site))

    def page(self, url: Url) -> Page | None:
        """The newest version of a page, as it came; None if it is not kept."""
        record = self.find_url(url)
        return WarcPageStore(self._folder.pages, self._db).get(record.id) if record else None

    def previous_version(self, id: UrlId) -> Page | None:
        """The last version of a page that was not as the newest is; None if there is none."""
        return WarcPageStore(self._folder.pages, self._db).previous_version(id)

    def seeds(self) -> list[Url]:
        """The URLs people named."""
        return url_queries.seeds(self._db)

    def jobs(self) -> list[Job]:
        """The crawls that share the folder, each with its seeds and how far it has come."""
        return url_queries.jobs(self._db)

    def traps(self) -> list[tuple[object, ...]]:
        """What is known of parts of hosts that may have no end."""
        return url_queries.traps(self._db)

    def next_revisit_at(self) -> float | None:
        """When the first kept page should be seen again; None when there is none."""
        return url_queries.next_revisit_at(self._db)

    def queue_lengths(self) -> list[tuple[str, int]]:
        """The hosts of which URLs wait, and how many, the longest queue first."""
        return url_queries.queue_lengths(self._db)

    def hosts(self, limit: int, name_contains: str = "") -> list[HostRecord]:
        """How the URLs of each host with this in its name stand, the longest queues first."""
        return url_queries.hosts(self._db, limit, name_contains)

    def host_count(self, name_contains: str = "") -> int:
        """How many hosts are known, with this in their name."""
        return url_queries.host_count(self._db, name_contains)

    def failure_reasons(self) -> Mapping[Reason, int]:
        """Why URLs that were asked for gave no page; looks at every URL."""
        return url_queries.failure_reasons(self._db)

    def _waiting(self) -> CrawlWait | None:
        told = self._folder.crawl_wait()
        left = told[1] - time.time() if told else 0.0
        return CrawlWait(told[0], round(left, 1)) if told and left > 0 else None

    def status(self) -> Status:
        """How things stand."""
        states, opened = url_queries.state_counts(self._db), self._now()
        return Status(
            pages=states.get(UrlState.KEPT, 0),
            queued=states.get(UrlState.QUEUED, 0),
            indexed=opened.index.count(),
            crawling=self._folder.crawler_pid() is not None,
            paused=self._folder.is_paused(),
            seeds=tuple(self.seeds()),
            states=states,
            has_products="is" in opened.index.attributes(),
            crawl_wait=self._waiting(),
            rebuild=rebuild_progress(
                self._folder, WarcPageStore(self._folder.pages, self._db).last_sequence()
            ),
        )
