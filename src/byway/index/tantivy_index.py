"""Search index: tantivy finds the pages, the forward index holds the term positions.

Text is analyzed by `byway.core.text` and reaches tantivy as space-separated terms. So documents,
queries and snippets share one analyzer, and tantivy's query parser, which crashes on a few thousand
parentheses, never sees user input.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import tantivy

from byway.core.model import Document, Sort, UrlId
from byway.core.model.candidates import Candidates, Ids
from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.ports import Facets, PageLinks
from byway.core.settings.schema import IndexSettings
from byway.core.text import analyze_word
from byway.index.analysis.document_analyzer import DocumentAnalyzer
from byway.index.dictionary.term_dictionary import TermDictionary
from byway.index.disk.checksums import PanicGuard, damaged_file_error
from byway.index.disk.commit_marker import CommitMarker
from byway.index.disk.index_files import IndexFiles
from byway.index.forward.reader import ForwardReader
from byway.index.query.builder import QueryBuilder
from byway.index.retrieval import RetrievedPages, drop_absent_analyses, inverse_document_frequencies
from byway.index.schema import ALL_TEXT_FIELD, FACET_FIELDS, build_schema, to_tantivy_document
from byway.index.suggest.suggestion_store import SuggestionStore

NO_CANDIDATES = Candidates(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), 0)
NO_LINKS = PageLinks()
MAX_FIELD_VALUES = 1000
"""Languages, and attribute names, that are read."""
STATISTICS_AGGREGATION: dict[str, dict[str, Any]] = {
    "languages": {"terms": {"field": "language", "size": MAX_FIELD_VALUES}},
    "mean_length": {"avg": {"field": "body_terms"}},
}
MAX_FUZZY_MATCHES = 20
"""Words within the edit distance that are returned."""
MAX_ANALYSIS_LANGUAGES = 8
DELETION_CHECK_MAX_FREQUENCY = 200
"""Above this document frequency, the check for deleted documents is skipped."""


class _Statistics(NamedTuple):
    """Statistics of the whole index that queries need."""

    stamp: int
    """The commit they were computed after."""
    languages: Mapping[str, int]
    """The number of pages in each language, most frequent first."""
    attributes: frozenset[str]
    mean_length: float
    """The mean number of terms of a body."""


NO_STATISTICS = _Statistics(-1, {}, frozenset(), 1.0)


class TantivyIndex:
    """The index in a folder. Writing needs the data folder's `index` lock; searching does not."""

    def __init__(self, folder: Path, settings: IndexSettings) -> None:
        self._all_numbers = settings.indexed_numbers == "all"
        self._schema = build_schema()
        self._commit_marker = CommitMarker(folder)
        self._files = IndexFiles(folder, settings, self._schema, self._commit_marker)
        self._panic_guard = PanicGuard(self._files.tantivy_path)
        self._forward = ForwardReader(folder)
        self._dictionary = TermDictionary(folder, settings.max_dictionary_words)
        self._analyzer = DocumentAnalyzer(self._dictionary, self._all_numbers)
        self._suggestions = SuggestionStore(folder, settings.max_dictionary_words)
        self._statistics: _Statistics | None = None
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
        indexed_before = self.count()
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
        self._statistics = None

    def committed_sequence(self) -> int:
        return self._commit_marker.committed_sequence()

    def open_for_search(self) -> None:
        """Open the files, so that they can be searched even after they are deleted."""
        self._files.open_for_search()
        self._forward.refresh()

    def count(self) -> int:
        index = self._files.open_for_search()
        return index.searcher().num_docs if index else 0

    def candidates(
        self,
        query: ParsedQuery,
        limit: int,
        only_id: UrlId | None = None,
        sort: Sort = "relevance",
    ) -> Candidates:
        retrieved = self.retrieve(query, limit, only_id, sort)
        if retrieved is None:
            return NO_CANDIDATES
        with self._panic_guard:
            return self._with_features(query, retrieved, sort)

    def _with_features(
        self, query: ParsedQuery, retrieved: RetrievedPages, sort: Sort
    ) -> Candidates:
        """The second stage: positional features and columns of the retrieved pages."""
        searcher, column, ids = retrieved.searcher, retrieved.column, retrieved.ids
        self._forward.refresh()
        features = self._forward.position_features(ids, drop_absent_analyses(searcher, query.words))
        return Candidates(
            ids=ids,
            index_score=retrieved.scores if sort != "date" else np.zeros(len(ids)),
            shortest_window=features.shortest_window,
            total=retrieved.total,
            term_counts=features.term_counts,
            field_lengths=features.field_lengths,
            adjacent_pairs=features.adjacent_pairs,
            near_pairs=features.near_pairs,
            piece_match=features.piece_match,
            first_position=features.first_position,
            idf=inverse_document_frequencies(searcher, query.words),
            average_text_length=self._current_statistics().mean_length,
            host_ids=column("host_hash"),
            epoch_days=column("epoch_day"),
            duplicate_hashes=column("duplicate_hash"),
            url_hashes=column("url_hash"),
            canonical_hashes=column("canonical_hash"),
        )

    def retrieve(
        self,
        query: ParsedQuery,
        limit: int,
        only_id: UrlId | None = None,
        sort: Sort = "relevance",
    ) -> RetrievedPages | None:
        """The first stage alone: matching pages and their scores; None if there are none."""
        index = self._files.open_for_search()
        if index is None or not query:
            return None
        searcher = index.searcher()
        tantivy_query = self._query_builder(index).build(query.clauses, only_id)
        order = "epoch_day" if sort == "date" else None
        with self._panic_guard:
            result = searcher.search(tantivy_query, limit, True, order)
        hits = result.hits  # once: the property makes a new list at each access
        if not hits:
            return None
        addresses = [address for _, address in hits]
        total = int(getattr(result, "count", 0)) or len(addresses)  # the type stub lacks it
        return RetrievedPages(self._files.tantivy_path, searcher, hits, addresses, total)

    def top_ids(self, query: ParsedQuery, limit: int) -> Ids:
        with self._panic_guard:
            retrieved = self.retrieve(query, limit)
            return retrieved.ids if retrieved else NO_CANDIDATES.ids

    def facets(self, query: ParsedQuery, limit: int) -> Facets:
        index = self._files.open_for_search()
        if index is None or not query:
            return dict.fromkeys(FACET_FIELDS, ())
        tantivy_query = self._query_builder(index).build(query.clauses)
        aggregations = {name: {"terms": {"field": name, "size": limit}} for name in FACET_FIELDS}
        with self._panic_guard:
            result = self._aggregate(index.searcher(), tantivy_query, aggregations)
        return {
            name: tuple((bucket["key"], bucket["doc_count"]) for bucket in result[name]["buckets"])
            for name in FACET_FIELDS
        }

    def languages(self) -> Mapping[str, int]:
        return self._current_statistics().languages

    def attributes(self) -> frozenset[str]:
        return self._current_statistics().attributes

    def document_frequency(self, terms: Sequence[str]) -> int:
        index = self._files.open_for_search()
        if index is None or not terms:
            return 0
        searcher = index.searcher()
        return min(searcher.doc_freq(ALL_TEXT_FIELD, term) for term in terms)

    def fuzzy_matches(self, word: str, max_distance: int) -> list[tuple[str, int, int]]:
        matches = self._dictionary.fuzzy_matches(word, max_distance)[:MAX_FUZZY_MATCHES]
        return [row for row in matches if self._is_live(row[0])]

    def prefix_matches(self, prefix: str, limit: int) -> list[str]:
        return [*filter(self._is_live, self.expand_prefix(prefix, limit))]

    def expand_prefix(self, prefix: str, limit: int) -> list[str]:
        return self._dictionary.expand_prefix(prefix, limit)

    def fuzzy_prefix_matches(self, prefix: str, limit: int) -> list[str]:
        return [*filter(self._is_live, self._dictionary.fuzzy_prefix_matches(prefix, limit))]

    def surface_form(self, word: str) -> str:
        return self._dictionary.surface_form(word)

    def complete_title(self, prefix: str, limit: int) -> list[str]:
        return self._suggestions.complete(prefix, limit)

    def fuzzy_complete_title(self, prefix: str, limit: int) -> list[str]:
        return self._suggestions.fuzzy_complete(prefix, limit)

    def _is_live(self, word: str) -> bool:
        """Whether a live page has this word: the dictionary keeps words of deleted pages."""
        index = self._files.open_for_search()
        if index is None:
            return False
        for terms in analyze_word(word, [*self.languages()][:MAX_ANALYSIS_LANGUAGES]):
            # Deleted pages count until tantivy merges segments, but there are never that many.
            if self.document_frequency(terms) > DELETION_CHECK_MAX_FREQUENCY:
                return True
            clause = TermClause(word, (TermAnalysis(terms),))
            tantivy_query = self._query_builder(index).build((clause,))
            if index.searcher().search(tantivy_query, 1, count=False).hits:
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
        # The languages as they were when the query was parsed: checking the file again costs time.
        statistics = self._statistics or self._current_statistics()
        builder = self._builder
        if builder is None or not builder.is_for(index, statistics.languages):
            builder = self._builder = QueryBuilder(
                index, self._schema, statistics.languages, all_numbers=self._all_numbers
            )
        return builder

    def _current_statistics(self) -> _Statistics:
        """The statistics of the live pages; computed once per commit."""
        index = self._files.open_for_search()
        if index is None:
            return NO_STATISTICS
        stamp = self._commit_marker.stamp()
        statistics = self._statistics
        if statistics is None or statistics.stamp != stamp:
            with self._panic_guard:
                with suppress(ValueError):  # deleted in this moment: the old one answers
                    index.reload()  # tantivy itself sees other processes' commits .5 s later
                searcher = index.searcher()
                names = searcher.terms_with_prefix("attribute_name", "", limit=MAX_FIELD_VALUES)
                found = self._aggregate(searcher, tantivy.Query.all_query(), STATISTICS_AGGREGATION)
            statistics = self._statistics = _Statistics(
                stamp,
                {bucket["key"]: bucket["doc_count"] for bucket in found["languages"]["buckets"]},
                frozenset(name for name, _ in names),
                max(1.0, float(found["mean_length"]["value"] or 1.0)),
            )
        return statistics

    def close(self) -> None:
        """Close the files; uncommitted changes are dropped."""
        self._files.close()
        self._dictionary.close()
        self._suggestions.close()
