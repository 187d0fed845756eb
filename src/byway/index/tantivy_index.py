"""The search index: tantivy for which pages, the forward file for where in them the words are.

Text is analysed by `byway.core.text` and reaches tantivy as terms with spaces between, so
documents, queries and snippets are analysed by the same few lines, and tantivy's query parser,
which a few thousand parentheses kill, never sees what a person typed.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

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
from byway.index.disk.checksums import PanicGuard
from byway.index.disk.commit_marker import CommitMarker
from byway.index.disk.open import IndexFiles
from byway.index.forward.reader import ForwardReader
from byway.index.language_bloom import LanguageBloomReader
from byway.index.query.builder import QueryBuilder
from byway.index.query.terms import IndexLanguages
from byway.index.retrieval import RetrievedPages, drop_absent_analyses, inverse_document_frequencies
from byway.index.schema import FACET_FIELDS, build_schema, to_tantivy_document
from byway.index.suggest.suggestion_store import SuggestionStore

INDEX_VERSION = 22
"""Raised whenever fields or analysis change: an index of another version is built anew."""

NO_CANDIDATES = Candidates(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0), 0)
NO_LINKS = PageLinks()
MEAN_LENGTH_AGGREGATION = {"mean": {"avg": {"field": "words"}}}
MAX_FIELD_VALUES = 1000
"""Languages and names of attributes that are looked at."""
MAX_FUZZY_MATCHES = 20
"""Words spelt nearly like another one that are told."""
MAX_ANALYSIS_LANGUAGES = 8
DELETION_CHECK_MAX_FREQUENCY = 200
"""Pages with a word from which on nobody looks whether all of them are gone."""


class TantivyIndex:
    """The index of the data folder. Adding needs the folder's `index` lock; searching does not."""

    def __init__(self, folder: Path, settings: IndexSettings) -> None:
        self._all_numbers = settings.indexed_numbers == "all"
        self._schema = build_schema()
        self._committed = CommitMarker(folder / "state.json", INDEX_VERSION)
        self._files = IndexFiles(folder, settings, self._schema, self._committed)
        self._sound = PanicGuard(self._files.tantivy_path)
        self._forward = ForwardReader(folder)
        self._spoken = LanguageBloomReader(folder)
        self._vocabulary = TermDictionary(folder, settings.max_dictionary_words)
        self._analysis = DocumentAnalyzer(self._vocabulary, self._all_numbers)
        self._phrases = SuggestionStore(folder, settings.max_dictionary_words)
        self._names: dict[str, tuple[int, tuple[str, ...], frozenset[str]]] = {}
        self._asks: QueryBuilder | None = None
        self._mean = -1, 1.0
        self._gone: set[UrlId] = set()

    def add(
        self, documents: Iterable[Document], page_links: Mapping[UrlId, PageLinks] | None = None
    ) -> None:
        writer, forward, spoken = self._files.open_for_writing()
        known = page_links or {}
        named = ((one, known.get(one.id, NO_LINKS).anchors) for one in documents)
        for document, said in self._analysis.analyze(named):
            linked = known.get(document.id, NO_LINKS)
            again = forward.has(document.id)
            if again or not self._files.began_empty:
                writer.delete_documents_by_term("id", document.id)
            is_marked = self._files.tag_policy.needs_tags(document.language, again)
            writer.add_document(
                to_tantivy_document(document, said, linked, self._schema, is_marked)
            )
            forward.add(document.id, said)
            self._gone.discard(document.id)
            spoken.add(document.id, document.language, said.codes)
            self._phrases.add(document, linked)

    def remove(self, ids: Iterable[UrlId]) -> None:
        writer, _, _ = self._files.open_for_writing()
        gone = list(ids)
        for id in gone:
            writer.delete_documents_by_term("id", id)
        self._phrases.remove(gone)
        self._gone.update(gone)

    def commit(self, sequence: int) -> None:
        writer, forward, spoken = self._files.open_for_writing()
        before = self.count()
        forward.sync()
        spoken.sync()
        writer.commit()
        if self._gone:  # before the last number is written: who was interrupted does it again
            forward.erase(self._gone)
            self._gone.clear()
        self._analysis.commit()
        self._vocabulary.commit(before)
        self._phrases.commit(before)
        self._committed.write(sequence)
        self._files.refresh()
        self._names.clear()

    def documents_to_reindex(self, limit: int) -> list[UrlId]:
        self._files.open_for_writing()
        languages = filter(self._files.tag_policy.is_minority, self._named("unmarked")[0])
        return next(filter(None, (self._without_mark(one, limit) for one in languages)), [])

    def committed_sequence(self) -> int:
        return self._committed.committed_sequence()

    def open_for_search(self) -> None:
        """Open what is searched, so that it can be searched even when its files are deleted."""
        self._files.open_for_search()
        self._forward.refresh()

    def count(self) -> int:
        index = self._files.open_for_search()
        return index.searcher().num_docs if index else 0

    def candidates(
        self,
        question: ParsedQuery,
        limit: int,
        only_id: UrlId | None = None,
        sort: Sort = "relevance",
    ) -> Candidates:
        picked = self.retrieve(question, limit, only_id, sort)
        if picked is None:
            return NO_CANDIDATES
        with self._sound:
            return self._looked_at(question, picked, sort)

    def _looked_at(self, question: ParsedQuery, picked: RetrievedPages, sort: Sort) -> Candidates:
        """The second stage: where the words stand in each page, and what else is known of it."""
        searcher, column, ids = picked.searcher, picked.column, picked.ids
        self._forward.refresh()
        spoken = column("spoken") | self._quoted()
        seen = self._forward.position_features(
            ids, drop_absent_analyses(searcher, question.words), spoken
        )
        return Candidates(
            ids=ids,
            index_score=picked.scores if sort != "date" else np.zeros(len(ids)),
            shortest_window=seen.shortest_window,
            title_coverage=seen.title_coverage,
            total=picked.total,
            term_counts=seen.term_counts,
            field_lengths=seen.field_lengths,
            phrase_matches=seen.phrase_matches,
            adjacent_pairs=seen.adjacent_pairs,
            near_pairs=seen.near_pairs,
            piece_match=seen.piece_match,
            first_position=seen.first_position,
            idf=inverse_document_frequencies(searcher, question.words, self._quoted()),
            average_text_length=self._average(searcher),
            host_ids=column("host_number"),
            epoch_days=column("day"),
            duplicate_hashes=column("alike"),
            language_bits=spoken,
            url_hashes=column("own"),
            canonical_hashes=column("canonical"),
        )

    def retrieve(
        self,
        parsed_query: ParsedQuery,
        limit: int,
        only: UrlId | None = None,
        sort: Sort = "relevance",
    ) -> RetrievedPages | None:
        """The first stage alone: which pages match, and their scores; None if there are none."""
        index = self._files.open_for_search()
        if index is None or not parsed_query:
            return None
        searcher = index.searcher()
        query = self._asking(index).build(parsed_query.clauses, only)
        order = "day" if sort == "date" else None
        with self._sound:
            found = searcher.search(query, limit, True, order)
        hits = found.hits  # made anew whenever it is asked for
        if not hits:
            return None
        addresses = [address for _, address in hits]
        total = int(getattr(found, "count", 0)) or len(addresses)  # the stub does not know it
        return RetrievedPages(self._files.tantivy_path, searcher, hits, addresses, total)

    def top_ids(self, question: ParsedQuery, limit: int) -> Ids:
        with self._sound:
            picked = self.retrieve(question, limit)
            return picked.ids if picked else NO_CANDIDATES.ids

    def facets(self, question: ParsedQuery, limit: int) -> Facets:
        index = self._files.open_for_search()
        if index is None or not question:
            return dict.fromkeys(FACET_FIELDS, ())
        query = self._asking(index).build(question.clauses)
        asked = {name: {"terms": {"field": name, "size": limit}} for name in FACET_FIELDS}
        with self._sound:
            found = index.searcher().aggregate(query, asked)
        return {
            name: tuple((one["key"], one["doc_count"]) for one in found[name]["buckets"])
            for name in FACET_FIELDS
        }

    def languages(self) -> tuple[str, ...]:
        return self._named("language")[0]

    def attributes(self) -> frozenset[str]:
        return self._named("has")[1]

    def document_frequency(self, terms: Sequence[str]) -> int:
        index = self._files.open_for_search()
        if index is None or not terms:
            return 0
        searcher = index.searcher()
        return min(searcher.doc_freq("anywhere", term) for term in terms)

    def languages_with(self, terms: Sequence[str]) -> int:
        return self._spoken.languages_with(terms)

    def document_frequency_in(self, language: int, terms: Sequence[str]) -> int:
        return self._spoken.page_groups_with(terms, language)

    def fuzzy_matches(self, word: str, max_distance: int) -> list[tuple[str, int, int]]:
        found = self._vocabulary.fuzzy_matches(word, max_distance)[:MAX_FUZZY_MATCHES]
        return [row for row in found if self._is_there(row[0])]

    def prefix_matches(self, prefix: str, limit: int) -> list[str]:
        return [*filter(self._is_there, self.expand_prefix(prefix, limit))]

    def expand_prefix(self, prefix: str, limit: int) -> list[str]:
        return self._vocabulary.expand_prefix(prefix, limit)

    def fuzzy_prefix_matches(self, prefix: str, limit: int) -> list[str]:
        return [*filter(self._is_there, self._vocabulary.fuzzy_prefix_matches(prefix, limit))]

    def surface_form(self, word: str) -> str:
        return self._vocabulary.surface_form(word)

    def complete_title(self, prefix: str, limit: int) -> list[str]:
        return self._phrases.complete(prefix, limit)

    def fuzzy_complete_title(self, prefix: str, limit: int) -> list[str]:
        return self._phrases.fuzzy_complete(prefix, limit)

    def _is_there(self, word: str) -> bool:
        """Has any page this word still? The vocabulary forgets nothing."""
        index = self._files.open_for_search()
        if index is None:
            return False
        for terms in analyze_word(word, self.languages()[:MAX_ANALYSIS_LANGUAGES]):
            # Removed pages count until tantivy merges them away, but not so many of them.
            if self.document_frequency(terms) > DELETION_CHECK_MAX_FREQUENCY:
                return True
            query = self._asking(index).build((TermClause(word, (TermAnalysis(terms),)),))
            if index.searcher().search(query, 1, count=False).hits:
                return True
        return False

    def _average(self, searcher: tantivy.Searcher) -> float:
        """How many words a text has on average; worked out once a commit."""
        stamp = self._committed.stamp()
        if self._mean[0] != stamp:
            found = searcher.aggregate(tantivy.Query.all_query(), MEAN_LENGTH_AGGREGATION)
            self._mean = stamp, float(found["mean"]["value"] or 1.0)
        return max(1.0, self._mean[1])

    def _asking(self, index: tantivy.Index) -> QueryBuilder:
        # As they were when the question was understood: to look at the file anew takes some time.
        known = self._names.get("language")
        languages = known[1] if known else self.languages()
        asking = self._asks
        if asking is None or not asking.is_for(index, languages):
            # Of pages that are gone the index still tells for a while.
            unmarked = [one for one in self._named("unmarked")[0] if self._without_mark(one, 1)]
            tongues = IndexLanguages(languages, unmarked, self._spoken.languages_with)
            asking = QueryBuilder(index, self._schema, tongues, all_numbers=self._all_numbers)
            self._asks = asking
        return asking

    def _without_mark(self, language: str, limit: int) -> list[UrlId]:
        """Pages in this language that are not marked."""
        index = self._files.open_for_search()
        if index is None:
            return []
        searcher = index.searcher()
        query = tantivy.Query.term_query(self._schema, "unmarked", language)
        hits = searcher.search(query, limit, count=False).hits
        addresses = [address for _, address in hits]
        ids = RetrievedPages(self._files.tantivy_path, searcher, hits, addresses, len(hits)).ids
        return [UrlId(id) for id in ids.tolist()]

    def _quoted(self) -> int:
        """The bits of languages that pages in any other quote: that of most pages, and English."""
        return language_bit(next(iter(self.languages()), "")) | OTHER_LANGUAGES_BIT

    def _named(self, field: str) -> tuple[tuple[str, ...], frozenset[str]]:
        """The values of a field that has few, the most frequent first; looked up once a commit."""
        index = self._files.open_for_search()
        if index is None:
            return (), frozenset()
        now = self._committed.stamp()
        stamp, names, known = self._names.get(field, (-1, (), frozenset()))
        if stamp != now:
            self._spoken.refresh()
            with self._sound:
                with suppress(ValueError):  # thrown away in this very moment: the old one answers
                    index.reload()  # what another process has committed is seen half a second later
                rows = index.searcher().terms_with_prefix(field, "", limit=MAX_FIELD_VALUES)
            names = tuple(name for name, _ in sorted(rows, key=lambda row: (-row[1], row[0])))
            known = frozenset(names)
            self._names[field] = now, names, known
        return names, known

    def close(self) -> None:
        """Let go of the files; what was not committed is forgotten."""
        self._files.close()
        self._vocabulary.close()
        self._phrases.close()
