"""Search index in memory: the reference for query semantics. Slow, but clearly correct."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from byway.core.fields import (
    SEARCHED_FIELDS,
    Pieces,
    canonical_url,
    field_codes,
    field_terms,
    indexed_attributes,
)
from byway.core.model import Document, ShardStatus, Sort, UrlId
from byway.core.model.candidates import (
    FIELDS,
    Candidates,
    CollectionStatistics,
    FeatureFunction,
    Ids,
    Matches,
)
from byway.core.model.query import (
    AllOf,
    AnyOf,
    Clause,
    Filter,
    ParsedQuery,
    TermAnalysis,
    TermClause,
    min_should_match,
)
from byway.core.operators import facet_operators, field_operators, filter_column
from byway.core.ports import IndexPorts, PageLinks
from byway.core.text.simhash import duplicate_hash
from byway.core.url import host_of, url_hash
from byway.storage.memory.term_dictionary import MemorySuggestions, MemoryTermDictionary


@dataclass(frozen=True, slots=True)
class _IndexedDocument:
    """A document, and its terms by field."""

    document: Document
    links: PageLinks
    fields: Mapping[str, Pieces]

    def score(self, query: ParsedQuery, weights: Sequence[float]) -> float:
        """The weighted number of occurrences of the query words."""
        searched = [self.fields[name] for name in SEARCHED_FIELDS]
        return sum(
            weight * sum(_count(pieces, word) for pieces in searched)
            for word, weight in zip(query.words, weights, strict=True)
        )


class MemorySearchIndex:
    """All documents with their terms; each query scans all of them."""

    def __init__(self, features: FeatureFunction) -> None:
        self._features = features
        self._pending: dict[UrlId, _IndexedDocument | None] = {}
        self._indexed: dict[UrlId, _IndexedDocument] = {}
        self._sequence = 0
        self.ports = IndexPorts(
            self, MemoryTermDictionary(self._documents), MemorySuggestions(self._documents)
        )

    def add(
        self, documents: Iterable[Document], page_links: Mapping[UrlId, PageLinks] | None = None
    ) -> None:
        for document in documents:
            links = (page_links or {}).get(document.id, PageLinks())
            fields = field_terms(document, links.anchors)
            self._pending[document.id] = _IndexedDocument(document, links, fields)

    def remove(self, ids: Iterable[UrlId]) -> None:
        self._pending |= dict.fromkeys(ids)

    def commit(self, sequence: int) -> None:
        for id, one in self._pending.items():
            self._indexed.pop(id, None)
            if one is not None:
                self._indexed[id] = one
        self._pending.clear()
        self._sequence = sequence

    def committed_sequence(self) -> int:
        return self._sequence

    def statistics(self, terms: Iterable[str] = ()) -> CollectionStatistics:
        documents = [*self._documents()]
        words = {term: TermClause(term, (TermAnalysis((term,)),)) for term in terms}
        return CollectionStatistics(
            page_count=len(documents),
            body_terms=sum(len(_flat(one.fields["body"])) for one in self._indexed.values()),
            languages=Counter(one.language for one in documents if one.language),
            attributes=frozenset(name for one in documents for name in indexed_attributes(one)[0]),
            document_frequencies={
                term: sum(_matches_word(one, word) for one in self._indexed.values())
                for term, word in words.items()
            },
            shards=(ShardStatus(len(documents), bytes=0),),
        )

    def matches(
        self,
        query: ParsedQuery,
        limit: int,
        sort: Sort = "relevance",
        word_weights: Sequence[float] | None = None,
    ) -> Matches:
        weights = word_weights or [0.0] * len(query.words)
        found = [*self._matching(query)]
        scores = [
            float(one.document.epoch_day) if sort == "date" else one.score(query, weights)
            for one in found
        ]
        matches = Matches(
            ids=_ids(one.document.id for one in found),
            scores=np.array(scores, np.float64),
            url_hashes=_ids(url_hash(one.document.url) for one in found),
            total=len(found),
            locators=found,
        )
        return matches.select(np.lexsort((matches.url_hashes, -matches.scores))[:limit])

    def candidates(self, words: Sequence[TermClause], matches: Matches) -> Candidates:
        found = [one for one in matches.locators if isinstance(one, _IndexedDocument)]
        documents = [one.document for one in found]
        coded = [field_codes(one.fields) for one in found]
        codes = np.concatenate([np.zeros(0, np.uint32), *(codes for codes, _ in coded)])
        lengths = np.array([lengths for _, lengths in coded], np.int32)
        return Candidates(
            ids=_ids(one.id for one in documents),
            index_score=matches.scores,
            total=matches.total,
            features=self._features(codes, lengths.reshape(-1, len(FIELDS)), words),
            host_ids=_ids(url_hash(host_of(one.url)) for one in documents),
            epoch_days=_ids(one.epoch_day for one in documents),
            duplicate_hashes=_ids(
                duplicate_hash(_flat(one.fields["body"]), _flat(one.fields["title"]))
                for one in found
            ),
            url_hashes=matches.url_hashes,
            canonical_hashes=_ids(url_hash(canonical_url(one)) for one in documents),
        )

    def facets(self, query: ParsedQuery) -> Mapping[str, Mapping[str, int]]:
        found = [*self._matching(query)]
        facets = {name: one.facet.values for name, one in facet_operators().items() if one.facet}
        return {
            name: Counter(str(value) for one in found for value in values(one.document, one.links))
            for name, values in facets.items()
        }

    def _documents(self) -> Iterator[Document]:
        return (one.document for one in self._indexed.values())

    def _matching(self, query: ParsedQuery) -> Iterator[_IndexedDocument]:
        documents = self._indexed.values() if query else ()
        return (one for one in documents if _matches_all(one, query.clauses))


def _matches_all(one: _IndexedDocument, clauses: Sequence[Clause]) -> bool:
    optional = [word for word in clauses if isinstance(word, TermClause) and word.is_optional]
    words = [word for word in optional if not word.is_stop_word] or optional
    if sum(_matches(one, word) for word in words) < min_should_match(optional):
        return False
    return all(_matches(one, clause) for clause in clauses if clause not in optional)


def _matches(one: _IndexedDocument, clause: Clause) -> bool:
    if isinstance(clause, TermClause):
        return _matches_word(one, clause)
    if isinstance(clause, Filter):
        return _passes(one, clause)
    if isinstance(clause, AnyOf):
        return any(_matches(one, inner) for inner in clause.clauses)
    if isinstance(clause, AllOf):
        return _matches_all(one, clause.clauses)
    return not _matches(one, clause.exact_clause)


def _matches_word(one: _IndexedDocument, word: TermClause) -> bool:
    parts = {operator.field: operator.field_parts for operator in field_operators()}
    return any(
        _count(one.fields[name], word) or (word.prefix and _has_prefix(one.fields[name], word))
        for name in parts.get(word.field, SEARCHED_FIELDS)
    )


def _has_prefix(pieces: Pieces, word: TermClause) -> bool:
    """Whether a piece matches the prefix: the last word as a term prefix, the others in full."""
    last, analyses = word.prefix.rpartition(" ")[2], word.prefix_context or ((),)
    return any(
        term.startswith(last) and tuple(piece[max(0, place - len(tokens)) : place]) == tokens
        for piece in pieces
        for tokens in analyses
        for place, term in enumerate(piece)
    )


def _passes(one: _IndexedDocument, filter: Filter) -> bool:
    column = filter_column(filter.name)
    if column:
        values = column.values(one.document, one.links)
        if filter.value or not column.is_numeric:
            return not set(column.keys(filter.value) if filter.value else ()).isdisjoint(values)
        return any(filter.minimum <= float(value) <= filter.maximum for value in values)
    texts, numbers = indexed_attributes(one.document)
    ranged = isfinite(filter.minimum) or isfinite(filter.maximum)
    in_range = any(filter.minimum <= n <= filter.maximum for n in numbers.get(filter.name, ()))
    return filter.value in texts.get(filter.name, ()) or (ranged and in_range)


def _count(pieces: Pieces, word: TermClause) -> float:
    """The number of occurrences of a word; analyses below full weight count once."""
    weights = [
        analysis.weight
        for piece in pieces
        for analysis in word.analyses
        for n in range(len(piece) - len(analysis.tokens) + 1)
        if tuple(piece[n : n + len(analysis.tokens)]) == analysis.tokens
    ]
    return weights.count(1) + max((weight for weight in weights if weight != 1), default=0.0)


def _flat(pieces: Pieces) -> list[str]:
    return [term for piece in pieces for term in piece]


def _ids(numbers: Iterable[int]) -> Ids:
    return np.array([*numbers], np.int64)
