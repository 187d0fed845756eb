"""Search index: tantivy finds the pages, the forward index has the term positions in them.

Text is analyzed by `byway.core.text` and reaches tantivy as space-separated terms. So documents,
queries and snippets share one analyzer, and tantivy's query parser, which a few thousand
parentheses crash, never sees user input.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import tantivy

from byway.core.model import Document, Sort, UrlId
from byway.core.model.candidates import Candidates, Ids
from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.ports import Facets, PageLinks
from byway.core.settings.schema import IndexSettings
from byway.core.text import OTHER_LANGUAGES_BIT, analyze_word, language_bit
from byway.index.analysis.document_analyzer import DocumentAnalyzer
from byway.index.dictionary.term_dictionary import TermDictionary
from byway.index.disk.checksums import PanicGuard, damaged_file_error
from byway.index.disk.commit_marker import CommitMarker
from byway.index.disk.index_files import IndexFiles
from byway.index.forward.reader import ForwardReader
from byway.index.language_bloom import LanguageBloomReader
from byway.index.query.builder import QueryBuilder
from byway.index.query.terms import IndexLanguages
from byway.index.retrieval import RetrievedPages, drop_absent_analyses, inverse_document_frequencies
from byway.index.schema import ALL_TEXT_FIELD, FACET_FIELDS, build_schema, to_tantivy_document
from byway.index.suggest.suggestion_store import SuggestionStore

NO_CANDIDATES = Candidates(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0), 0)
NO_LINKS = PageLinks()
MEAN_LENGTH_AGGREGATION = {"mean": {"avg": {"field": "body_terms"}}}
MAX_FIELD_VALUES = 1000
"""Languages, and attribute names, that are read."""
MAX_FUZZY_MATCHES = 20
"""Words within the edit distance that are returned."""
MAX_ANALYSIS_LANGUAGES = 8
DELETION_CHECK_MAX_FREQUENCY = 200
"""Above this document frequency, the check for deleted documents is skipped."""


class TantivyIndex:
    """The index in a folder. Writing needs the data folder's `index` lock; searching does not."""

    def __init__(self, folder: Path, settings: IndexSettings) -> None:
        self._all_numbers = settings.indexed_numbers == "all"
        self._schema = build_schema()
        self._commit_marker = CommitMarker(folder)
        self._files = IndexFiles(folder, settings, self._schema, self._commit_marker)
        self._panic_guard = PanicGuard(self._files.tantivy_path)
        self._forward = ForwardReader(folder)
        self._language_bloom = LanguageBloomReader(folder)
        self._dictionary = TermDictionary(folder, settings.max_dictionary_words)
        self._analyzer = DocumentAnalyzer(self._dictionary, self._all_numbers)
        self._suggestions = SuggestionStore(folder, settings.max_dictionary_words)
        self._values_by_field: dict[str, tuple[int, tuple[str, ...], frozenset[str]]] = {}
        self._builder: QueryBuilder | None = None
        self._mean_length = -1, 1.0
        self._removed: set[UrlId] = set()

    def add(
        self, documents: Iterable[Document], page_links: Mapping[UrlId, PageLinks] | None = None
    ) -> None:
        writer, forward, language_bloom = self._files.open_for_writing()
        links_by_id = page_links or {}
        with_anchors = (
            (document, links_by_id.get(document.id, NO_LINKS).anchors) for document in documents
        )
        for document, analyzed in self._analyzer.analyze(with_anchors):
            links = links_by_id.get(document.id, NO_LINKS)
            is_reindexed = forward.has(document.id)
            if is_reindexed or not self._files.began_empty:
                writer.delete_documents_by_term("id", document.id)
            needs_tags = self._files.tag_policy.needs_tags(document.language, is_reindexed)
            writer.add_document(
                to_tantivy_document(document, analyzed, links, self._schema, needs_tags)
            )
            forward.add(document.id, analyzed)
            self._removed.discard(document.id)
            language_bloom.add(document.id, document.language, analyzed.codes)
            self._suggestions.add(document, links)

    def remove(self, ids: Iterable[UrlId]) -> None:
        writer, _, _ = self._files.open_for_writing()
        removed = list(ids)
        for id in removed:
            writer.delete_documents_by_term("id", id)
        self._suggestions.remove(removed)
        self._removed.update(removed)

    def commit(self, sequence: int) -> None:
        writer, forward, language_bloom = self._files.open_for_writing()
        indexed_before = self.count()
        forward.sync()
        language_bloom.sync()
        writer.commit()
        if self._removed:  # before the commit marker: after a crash it is done again
            forward.erase(self._removed)
            self._removed.clear()
        self._analyzer.commit()
        self._dictionary.commit(indexed_before)
        self._suggestions.commit(indexed_before)
        self._commit_marker.write(sequence)
        self._files.refresh()
        self._values_by_field.clear()

    def documents_to_reindex(self, limit: int) -> list[UrlId]:
        self._files.open_for_writing()
        untagged = self._field_values("untagged_language")[0]
        minorities = filter(self._files.tag_policy.is_minority, untagged)
        return next(
            filter(None, (self._untagged_pages(language, limit) for language in minorities)), []
        )

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
        language_bits = column("language_bit") | self._quoted_languages()
        features = self._forward.position_features(
            ids, drop_absent_analyses(searcher, query.words), language_bits
        )
        return Candidates(
            ids=ids,
            index_score=retrieved.scores if sort != "date" else np.zeros(len(ids)),
            shortest_window=features.shortest_window,
            title_coverage=features.title_coverage,
            total=retrieved.total,
            term_counts=features.term_counts,
            field_lengths=features.field_lengths,
            phrase_matches=features.phrase_matches,
            adjacent_pairs=features.adjacent_pairs,
            near_pairs=features.near_pairs,
            piece_match=features.piece_match,
            first_position=features.first_position,
            idf=inverse_document_frequencies(searcher, query.words, self._quoted_languages()),
            average_text_length=self._average_text_length(searcher),
            host_ids=column("host_hash"),
            epoch_days=column("epoch_day"),
            duplicate_hashes=column("duplicate_hash"),
            language_bits=language_bits,
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

    def languages(self) -> tuple[str, ...]:
        return self._field_values("language")[0]

    def attributes(self) -> frozenset[str]:
        return self._field_values("attribute_name")[1]

    def document_frequency(self, terms: Sequence[str]) -> int:
        index = self._files.open_for_search()
        if index is None or not terms:
            return 0
        searcher = index.searcher()
        return min(searcher.doc_freq(ALL_TEXT_FIELD, term) for term in terms)

    def languages_with(self, terms: Sequence[str]) -> int:
        return self._language_bloom.languages_with(terms)

    def document_frequency_in(self, language: int, terms: Sequence[str]) -> int:
        return self._language_bloom.page_groups_with(terms, language)

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
        for terms in analyze_word(word, self.languages()[:MAX_ANALYSIS_LANGUAGES]):
            # Deleted pages count until tantivy merges segments; there are fewer than this.
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

    def _average_text_length(self, searcher: tantivy.Searcher) -> float:
        """The mean number of terms of a body; computed once a commit."""
        stamp = self._commit_marker.stamp()
        if self._mean_length[0] != stamp:
            result = self._aggregate(searcher, tantivy.Query.all_query(), MEAN_LENGTH_AGGREGATION)
            self._mean_length = stamp, float(result["mean"]["value"] or 1.0)
        return max(1.0, self._mean_length[1])

    def _query_builder(self, index: tantivy.Index) -> QueryBuilder:
        # The languages as they were when the query was parsed: checking the file again costs time.
        cached = self._values_by_field.get("language")
        languages = cached[1] if cached else self.languages()
        builder = self._builder
        if builder is None or not builder.is_for(index, languages):
            # The term dictionary still lists languages whose pages are all deleted.
            untagged = [
                language
                for language in self._field_values("untagged_language")[0]
                if self._untagged_pages(language, 1)
            ]
            index_languages = IndexLanguages(
                languages, untagged, self._language_bloom.languages_with
            )
            builder = QueryBuilder(
                index, self._schema, index_languages, all_numbers=self._all_numbers
            )
            self._builder = builder
        return builder

    def _untagged_pages(self, language: str, limit: int) -> list[UrlId]:
        """Pages in this language without language-tagged terms."""
        index = self._files.open_for_search()
        if index is None:
            return []
        searcher = index.searcher()
        tantivy_query = tantivy.Query.term_query(self._schema, "untagged_language", language)
        hits = searcher.search(tantivy_query, limit, count=False).hits
        addresses = [address for _, address in hits]
        ids = RetrievedPages(self._files.tantivy_path, searcher, hits, addresses, len(hits)).ids
        return [UrlId(id) for id in ids.tolist()]

    def _quoted_languages(self) -> int:
        """The bits of languages that pages in any other quote: that of most pages, and English."""
        return language_bit(next(iter(self.languages()), "")) | OTHER_LANGUAGES_BIT

    def _field_values(self, field: str) -> tuple[tuple[str, ...], frozenset[str]]:
        """The values of a field that has few, the most frequent first; read once a commit."""
        index = self._files.open_for_search()
        if index is None:
            return (), frozenset()
        current = self._commit_marker.stamp()
        stamp, values, value_set = self._values_by_field.get(field, (-1, (), frozenset()))
        if stamp != current:
            self._language_bloom.refresh()
            with self._panic_guard:
                with suppress(ValueError):  # deleted in this moment: the old one answers
                    index.reload()  # tantivy itself sees other processes' commits .5 s later
                rows = index.searcher().terms_with_prefix(field, "", limit=MAX_FIELD_VALUES)
            values = tuple(value for value, _ in sorted(rows, key=lambda row: (-row[1], row[0])))
            value_set = frozenset(values)
            self._values_by_field[field] = current, values, value_set
        return values, value_set

    def close(self) -> None:
        """Close the files; uncommitted changes are dropped."""
        self._files.close()
        self._dictionary.close()
        self._suggestions.close()
