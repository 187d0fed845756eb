"""Search index: tantivy finds the pages, the forward index holds the term positions.

Text is analyzed by `byway.core.text` and reaches tantivy as space-separated terms. So documents,
queries and snippets share one analyzer, and tantivy's query parser, which crashes on a few thousand
parentheses, never sees user input.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tantivy

from byway.core.messages import Damage
from byway.core.model import Document, Sort, UrlId
from byway.core.model.candidates import (
    Candidates,
    CollectionStatistics,
    FeatureFunction,
    Ids,
    Matches,
)
from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.operators import facet_operators
from byway.core.ports import IndexPorts, PageLinks
from byway.core.settings.schema import IndexSettings
from byway.core.text import analyze_word, is_indexable_term
from byway.index.analysis.document_analyzer import DocumentAnalyzer
from byway.index.dictionary.term_dictionary import StoredTermDictionary
from byway.index.forward_index import ForwardReader
from byway.index.index_files import CommitMarker, IndexFiles, PanicGuard, damaged_file_error
from byway.index.query_builder import QueryBuilder
from byway.index.schema import (
    ALL_TEXT_FIELD,
    ID_SPREAD_INVERSE,
    build_schema,
    to_tantivy_document,
)
from byway.index.suggest.suggestion_store import SuggestionStore

NO_CANDIDATES = Candidates(np.zeros(0, np.int64), np.zeros(0), 0)
NO_MATCHES = Matches(np.zeros(0, np.int64), np.zeros(0), 0)
NO_LINKS = PageLinks()
INT64_DTYPE = np.dtype(np.int64)
MAX_FIELD_VALUES = 50_000
"""Maximum number of facet values and attribute names read: tantivy refuses to count 65,000."""
STATISTICS_AGGREGATION: dict[str, dict[str, Any]] = {
    "languages": {"terms": {"field": "language", "size": MAX_FIELD_VALUES}},
    "body_terms": {"sum": {"field": "body_terms"}},
}
MAX_ANALYSIS_LANGUAGES = 8
DELETION_CHECK_MAX_FREQUENCY = 200
"""Above this document frequency, the check for deleted documents is skipped."""


class _RetrievedPages(NamedTuple):
    """The hits of a tantivy query, best first."""

    folder: Path
    searcher: tantivy.Searcher
    hits: Sequence[tuple[float, tantivy.DocAddress]]
    addresses: list[tantivy.DocAddress]
    total: int

    def matches(self) -> Matches:
        """Ids and scores of the pages.

        tantivy stores consecutive integers as line segments, and opening such a column takes longer
        per query (11 µs of 20, for 100,000 pages) than looking up 200 values. So ids are
        spread over 64 bits by an invertible multiplication.
        """
        ids = self.column("spread_id")
        np.multiply(ids, ID_SPREAD_INVERSE, ids)  # modulo 2⁶⁴
        scores = np.array([score for score, _ in self.hits], np.float64)
        return Matches(ids, scores, self.total)

    def column(self, name: str) -> Ids:
        """The values of a numeric column for the pages."""
        try:
            values = self.searcher.fast_field_values(name, self.addresses)
            return np.fromiter(values, INT64_DTYPE, len(values))
        except ValueError as error:
            raise damaged_file_error(self.folder, error) from error
        except TypeError as error:
            raise damaged_file_error(self.folder, Damage("missing_value", field=name)) from error


class TantivyIndex:
    """The index in a folder. Writing needs the data folder's `index` lock; searching does not."""

    def __init__(self, folder: Path, settings: IndexSettings, features: FeatureFunction) -> None:
        """`features` computes ranking features from the positions in the forward index."""
        self._features = features
        self._all_numbers = settings.indexed_numbers == "all"
        self._schema = build_schema()
        self._commit_marker = CommitMarker(folder)
        self._files = IndexFiles(folder, settings, self._schema, self._commit_marker)
        self._panic_guard = PanicGuard(self._files.tantivy_path)
        self._forward = ForwardReader(folder)
        self._dictionary = StoredTermDictionary(
            folder, settings.max_dictionary_words, self._is_live
        )
        self._analyzer = DocumentAnalyzer(self._dictionary, self._all_numbers)
        self._suggestions = SuggestionStore(folder, settings.max_dictionary_words)
        self.ports = IndexPorts(self, self._dictionary, self._suggestions)
        """The ports that searches use."""
        self._statistics: tuple[int, CollectionStatistics] = -1, CollectionStatistics()
        """The last commit, and the statistics after it."""
        self._builder: QueryBuilder | None = None
        self._removed: set[UrlId] = set()

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
                writer.delete_documents_by_term("id", document.id)
            writer.add_document(to_tantivy_document(document, analyzed, links, self._schema))
            forward.add(document.id, analyzed)
            self._removed.discard(document.id)
            self._suggestions.add(document, links)

    def remove(self, ids: Iterable[UrlId]) -> None:
        writer, _ = self._files.open_for_writing()
        removed = list(ids)
        for id in removed:
            writer.delete_documents_by_term("id", id)
        self._suggestions.remove(removed)
        self._removed.update(removed)

    def commit(self, sequence: int) -> None:
        writer, forward = self._files.open_for_writing()
        indexed_before = self._page_count()
        forward.sync()
        writer.commit()
        if self._removed:  # before the commit marker: after a crash it is done again
            forward.erase(self._removed)
            self._removed.clear()
        self._analyzer.commit()
        self._dictionary.commit(indexed_before)
        self._suggestions.commit(indexed_before)
        self._commit_marker.write(sequence)
        self._files.refresh()
        self._statistics = -1, self._statistics[1]

    def committed_sequence(self) -> int:
        return self._commit_marker.committed_sequence()

    def open_for_search(self) -> None:
        """Open the files, so that they stay searchable even after they are deleted."""
        self._files.open_for_search()
        self._forward.refresh()

    def statistics(self, terms: Iterable[str] = ()) -> CollectionStatistics:
        index = self._files.open_for_search()
        if index is None:
            return CollectionStatistics(document_frequencies=dict.fromkeys(terms, 0))
        statistics = self._current_statistics(index)
        searcher = index.searcher()
        frequencies = {term: searcher.doc_freq(ALL_TEXT_FIELD, term) for term in terms}
        return replace(statistics, document_frequencies=frequencies)

    def matches(self, query: ParsedQuery, limit: int) -> Matches:
        retrieved = self._retrieve(query, limit)
        with self._panic_guard:
            return retrieved.matches() if retrieved else NO_MATCHES

    def candidates(self, query: ParsedQuery, limit: int, sort: Sort = "relevance") -> Candidates:
        retrieved = self._retrieve(query, limit, sort)
        if retrieved is None:
            return NO_CANDIDATES
        with self._panic_guard:
            ids, scores, total = retrieved.matches()
            self._forward.refresh()
            words = _without_absent_analyses(retrieved.searcher, query.words)
            column = retrieved.column
            return Candidates(
                ids=ids,
                index_score=scores if sort != "date" else np.zeros(len(ids)),
                total=total,
                features=self._features(*self._forward.read(ids), words),
                host_ids=column("host_hash"),
                epoch_days=column("epoch_day"),
                duplicate_hashes=column("duplicate_hash"),
                url_hashes=column("url_hash"),
                canonical_hashes=column("canonical_hash"),
            )

    def _retrieve(
        self, query: ParsedQuery, limit: int, sort: Sort = "relevance"
    ) -> _RetrievedPages | None:
        """Matching pages and their scores; None if there are none."""
        index = self._files.open_for_search()
        if index is None or not query:
            return None
        searcher = index.searcher()
        tantivy_query = self._query_builder(index).build(query.clauses)
        order = "epoch_day" if sort == "date" else None
        with self._panic_guard:
            result = searcher.search(tantivy_query, limit, True, order)
        hits = result.hits  # once: the property builds a new list on each access
        if not hits:
            return None
        addresses = [address for _, address in hits]
        total = int(getattr(result, "count", 0)) or len(addresses)  # the type stub lacks it
        return _RetrievedPages(self._files.tantivy_path, searcher, hits, addresses, total)

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

    def _is_live(self, word: str) -> bool:
        """Whether a live page has this word: the dictionary keeps words of deleted pages."""
        index = self._files.open_for_search()
        if index is None:
            return False
        searcher = index.searcher()
        languages = self._statistics[1].languages or self._current_statistics(index).languages
        for terms in analyze_word(word, [*languages][:MAX_ANALYSIS_LANGUAGES]):
            # Deleted pages count until tantivy merges segments, but there are never that many.
            frequency = min(searcher.doc_freq(ALL_TEXT_FIELD, term) for term in terms)
            if frequency > DELETION_CHECK_MAX_FREQUENCY:
                return True
            clause = TermClause(word, (TermAnalysis(terms),))
            tantivy_query = self._query_builder(index).build((clause,))
            if frequency and searcher.search(tantivy_query, 1, count=False).hits:
                return True
        return False

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

    def _query_builder(self, index: tantivy.Index) -> QueryBuilder:
        # The languages from when the query was parsed: checking the file again costs time.
        stamp, statistics = self._statistics
        if stamp < 0:
            statistics = self._current_statistics(index)
        builder = self._builder
        if builder is None or not builder.is_for(index, statistics.languages):
            builder = self._builder = QueryBuilder(
                index, self._schema, statistics.languages, all_numbers=self._all_numbers
            )
        return builder

    def _current_statistics(self, index: tantivy.Index) -> CollectionStatistics:
        """The statistics of the live pages; computed once per commit."""
        stamp = self._commit_marker.stamp()
        if self._statistics[0] != stamp:
            with self._panic_guard:
                with suppress(ValueError):  # deleted just now: the old one answers
                    index.reload()  # tantivy itself would see other processes' commits 0.5 s later
                searcher = index.searcher()
                names = searcher.terms_with_prefix("attribute_name", "", limit=MAX_FIELD_VALUES)
                found = self._aggregate(searcher, tantivy.Query.all_query(), STATISTICS_AGGREGATION)
            statistics = CollectionStatistics(
                page_count=searcher.num_docs,
                body_terms=int(found["body_terms"]["value"] or 0),
                languages=_counts(found["languages"]),
                attributes=frozenset(name for name, _ in names),
            )
            self._statistics = stamp, statistics
        return self._statistics[1]

    def _page_count(self) -> int:
        index = self._files.open_for_search()
        return index.searcher().num_docs if index else 0

    def close(self) -> None:
        """Close the files; uncommitted changes are dropped."""
        self._files.close()
        self._dictionary.close()
        self._suggestions.close()


def _without_absent_analyses(
    searcher: tantivy.Searcher, words: Sequence[TermClause]
) -> list[TermClause]:
    """Remove analyses that no page can match: each would be checked on every page."""

    def may_match(analysis: TermAnalysis) -> bool:
        return all(
            searcher.doc_freq(ALL_TEXT_FIELD, term) or not is_indexable_term(term)
            for term in analysis.tokens
        )

    return [word.with_analyses(tuple(filter(may_match, word.analyses))) for word in words]


def _counts(aggregated: dict[str, Any]) -> dict[str, int]:
    """The values of a field with their page counts, most frequent first."""
    return {bucket["key"]: bucket["doc_count"] for bucket in aggregated["buckets"]}
