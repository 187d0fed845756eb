"""Index shard: tantivy finds the pages, the forward index holds the term positions.

Text is analyzed by `byway.core.text` and reaches tantivy as space-separated terms. So documents,
queries and snippets share one analyzer, and tantivy's query parser, which crashes on a few thousand
parentheses, never sees user input.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tantivy

from byway.core.files import size_of
from byway.core.messages import Damage
from byway.core.model import Document, ShardStatus, Sort, UrlId
from byway.core.model.candidates import (
    NO_MATCHES,
    Candidates,
    Codes,
    CollectionStatistics,
    FeatureFunction,
    Ids,
    Matches,
    term_code,
)
from byway.core.model.query import ParsedQuery, TermClause
from byway.core.operators import facet_operators
from byway.core.ports import PageLinks
from byway.core.settings.schema import IndexSettings
from byway.index.analysis.document_analyzer import DocumentAnalyzer
from byway.index.forward_index import (
    NO_CODES,
    NO_COUNTS,
    CodeCounts,
    ForwardReader,
    LiveFrequencies,
    recount,
)
from byway.index.index_files import CommitMarker, IndexFiles, PanicGuard, damaged_file_error
from byway.index.query_builder import QueryBuilder, weight_by_clause
from byway.index.schema import (
    ALL_TEXT_FIELD,
    DATE_KEY_FIELD,
    ID_SPREAD_INVERSE,
    TIE_BREAKER_FIELD,
    build_schema,
    to_tantivy_document,
)

NO_CANDIDATES = Candidates(np.zeros(0, np.int64), np.zeros(0), 0)
NO_LINKS = PageLinks()
NO_STATISTICS = CollectionStatistics(shards=(ShardStatus(0, 0),))
INT64_DTYPE = np.dtype(np.int64)
MAX_FIELD_VALUES = 50_000
"""Maximum number of facet values and attribute names read: tantivy refuses to count 65,000."""
STATISTICS_AGGREGATION: dict[str, dict[str, Any]] = {
    "languages": {"terms": {"field": "language", "size": MAX_FIELD_VALUES}},
    "attributes": {"terms": {"field": "attribute_name", "size": MAX_FIELD_VALUES}},
    "body_terms": {"sum": {"field": "body_terms"}},
}
PAGES_PER_COUNT = 5000
"""Pages whose words are counted at once."""
EXTRA_HITS = 16
"""Hits retrieved beyond the limit, among which ties are broken."""


class _Snapshot(NamedTuple):
    """tantivy's state at the time of a search."""

    folder: Path
    searcher: tantivy.Searcher

    def column(self, name: str, addresses: Sequence[Any]) -> Ids:
        """The values of a numeric column for these pages."""
        try:
            values = self.searcher.fast_field_values(name, [*addresses])
            return np.fromiter(values, INT64_DTYPE, len(values))
        except ValueError as error:
            raise damaged_file_error(self.folder, error) from error
        except TypeError as error:
            raise damaged_file_error(self.folder, Damage("missing_value", field=name)) from error

    def ids(self, addresses: Sequence[Any]) -> Ids:
        """The ids of these pages.

        tantivy stores consecutive integers as line segments, and opening such a column takes longer
        per query (11 µs of 20, for 100,000 pages) than looking up 200 values. So ids are
        spread over 64 bits by an invertible multiplication.
        """
        ids = self.column("spread_id", addresses)
        np.multiply(ids, ID_SPREAD_INVERSE, ids)  # modulo 2⁶⁴
        return ids


class ShardChanges(NamedTuple):
    """What a commit to a shard changed in the collection's term dictionary."""

    words: Mapping[str, int]
    """The number of added documents with each word."""
    removed_words: Mapping[int, int]
    """The number of replaced or removed documents with each word, by the word's code."""
    documents: int
    """The number of added documents."""


class IndexShard:
    """The pages of some slots. Writing needs the data folder's `index` lock; searching does not."""

    def __init__(self, folder: Path, settings: IndexSettings, features: FeatureFunction) -> None:
        """`features` computes ranking features from the positions in the forward index."""
        self.folder = folder
        self._features = features
        self._all_numbers = settings.indexed_numbers == "all"
        self._schema = build_schema()
        self._commit_marker = CommitMarker(folder)
        self._files = IndexFiles(folder, settings, self._schema, self._commit_marker)
        self._panic_guard = PanicGuard(self._files.tantivy_path)
        self._forward = ForwardReader(folder)
        self._analyzer = DocumentAnalyzer(self._all_numbers)
        self._removed_words: list[Codes] = []
        self._added = 0
        self._frequencies = LiveFrequencies(folder)
        self._statistics: tuple[int, CollectionStatistics] = -1, CollectionStatistics()
        """The last commit, and the statistics after it."""

    def add(
        self, documents: Iterable[Document], page_links: Mapping[UrlId, PageLinks] | None = None
    ) -> None:
        writer, forward = self._files.open_for_writing()
        links_by_id = page_links or {}
        with_anchors = (
            (document, links_by_id.get(document.id, NO_LINKS).anchors) for document in documents
        )
        for document, analyzed in self._analyzer.analyze(with_anchors):
            links = links_by_id.get(document.id, NO_LINKS)
            if forward.has(document.id) or not self._files.began_empty:
                self._delete(document.id)
            writer.add_document(to_tantivy_document(document, analyzed, links, self._schema))
            forward.add(document.id, analyzed)
            self._frequencies.add(analyzed.distinct_codes)
            self._added += 1

    def remove(self, ids: Iterable[UrlId]) -> None:
        _, forward = self._files.open_for_writing()
        for id in ids:
            self._delete(id)
            forward.remove(id)

    def _delete(self, id: UrlId) -> None:
        """Delete the indexed version of a page, if there is one."""
        writer, forward = self._files.open_for_writing()
        writer.delete_documents_by_term("id", id)
        codes, words = forward.stored_codes(id)
        self._frequencies.remove(codes)
        self._removed_words.append(words)

    def commit(self, sequence: int) -> None:
        self.commit_changes(sequence)

    def commit_changes(self, sequence: int) -> ShardChanges:
        """Commit; return what changes in the term dictionary."""
        self._files.open_for_writing()
        self._load_frequencies()
        frequency_files = self._frequencies.prepare()
        self._files.commit(frequency_files)
        self._files.mark_committed(sequence, frequency_files)
        self._frequencies.commit(frequency_files)
        self._statistics = -1, self._statistics[1]
        codes, counts = np.unique(
            np.concatenate([NO_CODES, *self._removed_words]), return_counts=True
        )
        removed = dict(zip(codes.tolist(), counts.tolist(), strict=True))
        added, self._added = self._added, 0
        self._removed_words.clear()
        return ShardChanges(self._analyzer.drain_words(), removed, added)

    def word_frequencies(self) -> CodeCounts:
        """The number of live pages with each dictionary word, by code, counted anew."""
        self._forward.refresh()
        counts, ids = NO_COUNTS, self._forward.live_ids().tolist()
        for start in range(0, len(ids), PAGES_PER_COUNT):
            batch = ids[start : start + PAGES_PER_COUNT]
            counts = counts.plus(recount(self._forward.word_codes(id) for id in batch))
        return counts

    def committed_sequence(self) -> int:
        return self._commit_marker.committed_sequence()

    @property
    def is_open(self) -> bool:
        """Whether tantivy's files are open."""
        return self._files.is_open

    def open_for_search(self) -> None:
        """Open the files, so that they stay searchable even after they are deleted."""
        self._files.open_for_search()
        self._forward.refresh()

    def statistics(self, terms: Iterable[str] = ()) -> CollectionStatistics:
        statistics = self.collection_statistics()
        return replace(statistics, document_frequencies=self.document_frequencies([*terms]))

    def collection_statistics(self) -> CollectionStatistics:
        """The statistics without document frequencies: the same object until the next commit."""
        index = self._files.open_for_search()
        return self._current_statistics(index) if index else NO_STATISTICS

    def document_frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """The number of live pages with each term, as of `collection_statistics`."""
        index = self._files.open_for_search()
        if index is None or not terms:
            return dict.fromkeys(terms, 0)
        searcher = index.searcher()
        codes = np.array([term_code(term) for term in terms], np.uint32)
        counts = dict(zip(terms, self._frequencies.of(codes).tolist(), strict=True))
        for term, count in counts.items():
            if count:  # tantivy counts deleted pages, but no other terms with the same code
                counts[term] = min(count, searcher.doc_freq(ALL_TEXT_FIELD, term))
        return counts

    def matches(
        self,
        query: ParsedQuery,
        limit: int,
        sort: Sort = "relevance",
        word_weights: Sequence[float] | None = None,
    ) -> Matches:
        index = self._files.open_for_search()
        if index is None or not query:
            return NO_MATCHES
        searcher = index.searcher()
        weights = None
        if word_weights is not None and sort != "date":
            weights = weight_by_clause(query, word_weights)
        tantivy_query = self._query_builder(index, weights).build(query.clauses)
        if not weights:
            tantivy_query = tantivy.Query.const_score_query(tantivy_query, 1.0)
        with self._panic_guard:
            return self._best(searcher, tantivy_query, limit, sort == "date")

    def _best(
        self, searcher: tantivy.Searcher, query: tantivy.Query, limit: int, by_date: bool
    ) -> Matches:
        """The pages with the highest scores or dates; among equal ones, by URL hash."""
        order_field = DATE_KEY_FIELD if by_date else None
        weight_field = None if by_date else TIE_BREAKER_FIELD
        wanted = limit + EXTRA_HITS
        while True:
            result = searcher.search(query, wanted, True, order_field, weight_by_field=weight_field)
            hits = result.hits  # once: the property builds a new list on each access
            if len(hits) < wanted or hits[-1][0] < hits[limit - 1][0]:
                break
            wanted *= 2  # pages equal to the last one: all are needed to choose among them
        if not hits:
            return NO_MATCHES
        snapshot = _Snapshot(self._files.tantivy_path, searcher)
        addresses = [address for _, address in hits]
        found = Matches(
            ids=snapshot.ids(addresses),
            scores=np.array([score for score, _ in hits], np.float64),
            url_hashes=snapshot.column("url_hash", addresses),
            total=_total(result),
            locators=addresses,
            snapshot=snapshot,
        )
        return found.select(np.lexsort((found.url_hashes, -found.scores))[:limit])

    def candidates(self, words: Sequence[TermClause], matches: Matches) -> Candidates:
        snapshot = matches.snapshot
        if not isinstance(snapshot, _Snapshot):
            return NO_CANDIDATES
        with self._panic_guard:
            self._forward.refresh()
            column = partial(snapshot.column, addresses=matches.locators)
            return Candidates(
                ids=matches.ids,
                index_score=matches.scores,
                total=matches.total,
                features=self._features(*self._forward.read(matches.ids), words),
                host_ids=column("host_hash"),
                epoch_days=column("epoch_day"),
                duplicate_hashes=column("duplicate_hash"),
                url_hashes=matches.url_hashes,
                canonical_hashes=column("canonical_hash"),
            )

    def facets(self, query: ParsedQuery) -> Mapping[str, Mapping[str, int]]:
        index = self._files.open_for_search()
        facets = facet_operators()
        if index is None or not query:
            return {name: {} for name in facets}
        tantivy_query = self._query_builder(index).build(query.clauses)
        counted = {name: {"terms": {"field": name, "size": MAX_FIELD_VALUES}} for name in facets}
        with self._panic_guard:
            result = self._aggregate(index.searcher(), tantivy_query, counted)
        return {name: _counts(result[name]) for name in facets}

    def _aggregate(
        self,
        searcher: tantivy.Searcher,
        tantivy_query: tantivy.Query,
        aggregations: dict[str, dict[str, Any]],
    ) -> dict[str, Any]:
        try:
            return searcher.aggregate(tantivy_query, aggregations)
        except ValueError as error:
            raise damaged_file_error(self._files.tantivy_path, error) from error

    def _query_builder(
        self, index: tantivy.Index, weights: Mapping[TermClause, float] | None = None
    ) -> QueryBuilder:
        return QueryBuilder(index, self._schema, self._all_numbers, weights)

    def _load_frequencies(self) -> None:
        if names := self._commit_marker.frequency_files():
            try:
                self._frequencies.load(names)
            except (FileNotFoundError, ValueError, EOFError) as error:
                if names == self._commit_marker.frequency_files():
                    raise damaged_file_error(self.folder, error) from error
                self._load_frequencies()  # another process has committed, and deleted them

    def _current_statistics(self, index: tantivy.Index) -> CollectionStatistics:
        """The statistics of the live pages; computed once per commit."""
        stamp = self._commit_marker.stamp()
        if self._statistics[0] != stamp:
            with self._panic_guard:
                with suppress(ValueError):  # deleted just now: the old one answers
                    index.reload()  # tantivy itself would see other processes' commits 0.5 s later
                searcher = index.searcher()
                self._load_frequencies()
                found = self._aggregate(searcher, tantivy.Query.all_query(), STATISTICS_AGGREGATION)
            statistics = CollectionStatistics(
                page_count=searcher.num_docs,
                body_terms=int(found["body_terms"]["value"] or 0),
                languages=_counts(found["languages"]),
                attributes=frozenset(_counts(found["attributes"])),
                shards=(ShardStatus(searcher.num_docs, size_of(self.folder)),),
            )
            self._statistics = stamp, statistics
        return self._statistics[1]

    def close(self) -> None:
        """Close the files; uncommitted changes are dropped."""
        self._files.close()


def _total(result: tantivy.SearchResult) -> int:
    """The number of matching pages."""
    return int(getattr(result, "count", 0) or 0)  # the type stub lacks it


def _counts(aggregated: dict[str, Any]) -> dict[str, int]:
    """The values of a field with their page counts, most frequent first."""
    return {bucket["key"]: bucket["doc_count"] for bucket in aggregated["buckets"]}
