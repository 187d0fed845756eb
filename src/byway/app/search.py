"""Read-only search session on a collection, without any part of the crawler.

A search reads the index, the documents and the ranks, never the crawler's tables.
"""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from byway.app.storage import open_generations
from byway.app.verticals.vertical_folders import load_verticals
from byway.core.errors import DataError
from byway.core.messages import Diagnosis
from byway.core.model import (
    CrawlWait,
    Document,
    Page,
    Query,
    ResultPosition,
    Results,
    Signal,
    Status,
    Url,
    UrlId,
    UrlState,
)
from byway.core.model.candidates import Candidates
from byway.core.model.query import ParsedQuery
from byway.core.ports import (
    CrawlReader,
    DocumentStore,
    IndexGeneration,
    IndexPorts,
    OpenGeneration,
    SearchIndex,
    Storage,
    find_candidates,
)
from byway.core.settings.schema import Settings
from byway.core.verticals import Vertical
from byway.search.searcher import Searcher
from byway.search.suggest.autocomplete import suggestions

if TYPE_CHECKING:
    from byway.app.processes.worker_memory import WorkerMemory

DOCUMENTS_PER_BATCH = 200
"""Documents read at a time when all are iterated."""
SECONDS_PER_DAY = 86_400


@contextmanager
def search_session(
    storage: Storage, settings: Settings, workers: "WorkerMemory | None" = None
) -> Iterator["SearchSession"]:
    """Open a collection for searching; weights are the same in all of these workers."""
    storage.require_data()
    with storage.reader() as reader:
        session = SearchSession(storage, settings, reader, workers)
        try:
            yield session
        finally:
            session.close()


@dataclass(frozen=True, slots=True, eq=False)
class SearchedGeneration:
    """An open generation and the searcher on it; a rebuild replaces them."""

    stores: OpenGeneration
    searcher: Searcher

    @property
    def documents(self) -> DocumentStore:
        """The documents of the generation."""
        return self.stores.documents

    @property
    def index(self) -> SearchIndex:
        """The index of the generation."""
        return self.stores.ports.index


class SearchSession:
    """Searches a collection that another process may be writing to."""

    def __init__(
        self,
        storage: Storage,
        settings: Settings,
        reader: CrawlReader,
        workers: "WorkerMemory | None" = None,
    ) -> None:
        self._storage = storage
        self._settings = settings
        self.catalog = reader.catalog
        """The URLs of the collection."""
        self._pages = reader.pages
        self._generations = open_generations(storage, settings)
        self._ranks = storage.ranks()
        self._weights = settings.search.weights
        self._weights_version = 0.0
        self._workers = workers
        self._opening = threading.Lock()
        self._seeds = tuple(self.catalog.seeds())
        self._generation, self._opened = self._open()

    def close(self) -> None:
        """Close the files."""
        self._opened.stores.close()

    def _open(self) -> tuple[IndexGeneration, SearchedGeneration]:
        """Open the newest generation, which stays readable even if it is deleted."""
        while True:
            generation = self._generations.readable()
            try:
                stores = generation.open_for_search()
            except (DataError, OSError):
                if generation == self._generations.readable():
                    raise
                continue  # it was replaced and deleted meanwhile
            if generation == self._generations.readable():
                searcher = self._searcher(stores.documents, stores.ports, self._weights)
                return generation, SearchedGeneration(stores, searcher)

    def searcher(self, weights: Mapping[str, float]) -> Searcher:
        """A searcher with these signal weights."""
        opened = self._current()
        return self._searcher(opened.documents, opened.stores.ports, weights)

    def _searcher(
        self, documents: DocumentStore, ports: IndexPorts, weights: Mapping[str, float]
    ) -> Searcher:
        return Searcher(
            replace(self._settings.search, weights=weights),
            ports,
            documents,
            self._ranks,
            today=lambda: int(time.time() // SECONDS_PER_DAY),
            verticals=self.verticals,
        )

    def _current(self) -> SearchedGeneration:
        """The newest readable generation, opened, with the newest weights."""
        if self._workers and self._workers.weights_version != self._weights_version:
            with self._opening:
                self._weights_version, weights = self._workers.read_weights()
                self._use_weights(weights)
        newest = self._generations.readable()
        # An empty or unreadable index does not replace the old one.
        if newest != self._generation and newest.committed_sequence():
            with self._opening:
                if newest != self._generation:
                    generation, opened = self._open()
                    if opened.index.committed_sequence():
                        self._generation, self._opened = generation, opened
        return self._opened

    def set_weights(self, weights: Mapping[str, float]) -> None:
        """Use these signal weights from now on, in all web workers."""
        with self._opening:  # a rebuild may replace the generation at any time
            self._use_weights(weights)
        if self._workers:
            self._workers.publish_weights(weights)

    def _use_weights(self, weights: Mapping[str, float]) -> None:
        opened = self._opened
        searcher = self._searcher(opened.documents, opened.stores.ports, weights)
        self._weights = weights
        self._opened = replace(opened, searcher=searcher)

    @property
    def weights(self) -> Mapping[str, float]:
        """The current signal weights that differ from the default."""
        self._current()
        return self._weights

    @cached_property
    def verticals(self) -> tuple[Vertical, ...]:
        """The verticals, including this folder's own."""
        return load_verticals(str(self._storage.path))

    def _verticals_with_records(self, index: SearchIndex) -> Iterator[str]:
        if "is" in index.statistics().attributes:
            for vertical in self.verticals:
                if index.matches(ParsedQuery((vertical.is_filter,)), 1).total:
                    yield vertical.name

    def search(self, query: Query) -> Results:
        """The best hits for a query."""
        return self._current().searcher.search(query)

    def suggest(self, prefix: str, limit: int) -> list[str]:
        """Autocomplete suggestions for a prefix."""
        return suggestions(self._current().stores.ports, prefix, limit)

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
        """Whether the page is in the index."""
        return self._current().searcher.is_searchable(id)

    def candidates(self, text: str, limit: int) -> Candidates:
        """The candidates for a query, by index score alone."""
        opened = self._current()
        parsed, _ = opened.searcher.understand(Query(text))
        return find_candidates(opened.index, parsed, limit)

    def document(self, id: UrlId) -> Document | None:
        """The document of a page."""
        return self._current().documents.get(id)

    def is_extracted(self, id: UrlId) -> bool:
        """Whether the page was extracted, even if it has no document."""
        return self._current().documents.has(id)

    def anchor_texts(self, id: UrlId) -> tuple[tuple[str, int], ...]:
        """The anchor texts of links to a page, with their counts."""
        return self._generations.live().anchor_texts(id)

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

    def page(self, url: Url) -> Page | None:
        """The newest stored version of a page; None if it is not stored."""
        record = self.catalog.find_url(url)
        return self._pages.get(record.id) if record else None

    def previous_version(self, id: UrlId) -> Page | None:
        """The last stored version that differs from the newest; None if there is none."""
        return self._pages.previous_version(id)

    def _crawl_wait(self) -> CrawlWait | None:
        wait = self._storage.crawl_wait()
        seconds = wait[1] - time.time() if wait else 0.0
        return CrawlWait(wait[0], round(seconds, 1)) if wait and seconds > 0 else None

    def index_status(self) -> Status:
        """The status of the index, with the last known seeds; for the search page."""
        opened = self._current()
        collection = opened.index.statistics()
        return Status(
            indexed=collection.page_count,
            shards=collection.shards,
            crawling=self._storage.crawler_pid() is not None,
            seeds=self._seeds,
            verticals=tuple(self._verticals_with_records(opened.index)),
        )

    def status(self) -> Status:
        """The status of crawl and index."""
        self._seeds = tuple(self.catalog.seeds())
        states = self.catalog.state_counts()
        return replace(
            self.index_status(),
            pages=states.get(UrlState.KEPT, 0),
            queued=states.get(UrlState.QUEUED, 0),
            paused=self._storage.is_paused(),
            states=states,
            crawl_wait=self._crawl_wait(),
            processes=self._storage.process_states().read(),
            rebuild=self._generations.progress(self._pages.last_sequence()),
        )
