"""In-memory search index: the reference for what a query means. Slow, small, obviously correct."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice, pairwise
from math import inf, isfinite

import numpy as np
from numpy.typing import NDArray

from byway.core.fields import (
    FIELDS,
    SEARCHED_FIELDS,
    Pieces,
    canonical_url,
    field_terms,
    indexed_attributes,
    site_filter_values,
)
from byway.core.model import EPOCH_ORDINAL, Document, Sort, UrlId
from byway.core.model.candidates import Candidates, Ids
from byway.core.model.query import (
    AllOf,
    AnyOf,
    Clause,
    Filter,
    ParsedQuery,
    TermAnalysis,
    TermClause,
    content_word_positions,
    min_should_match,
)
from byway.core.ports import Facets, LinkGraph, PageLinks
from byway.core.text import (
    analyze_word,
    fold_surface_form,
    fold_text,
    normalize_phrase,
    page_names,
    surface_forms,
    tokenize,
)
from byway.core.text.simhash import duplicate_hash
from byway.core.url import host_of, site_of, url_hash

MAX_NEAR_DISTANCE = 8
"""Words at most this far apart are near each other."""


class MemoryAnchorStore:
    """Anchor texts by source page."""

    def __init__(self, graph: LinkGraph) -> None:
        self._graph = graph
        self._anchor_counts: dict[UrlId, Counter[tuple[int, str]]] = {}
        self._redirect_targets: dict[int, int] = {}
        self._indexed: dict[UrlId, PageLinks] = {}
        self._sequence = 0

    def update_sources(
        self, sequence: int, sources: Iterable[UrlId], removed: Iterable[UrlId] = ()
    ) -> None:
        if sequence > self._sequence:
            self._sequence = sequence
            for source in sources:
                self._anchor_counts[source] = Counter(
                    (link.id, link.anchor)
                    for link in self._graph.outlinks(source)
                    if not link.nofollow and link.id != source and link.anchor
                )
            for source in removed:
                self._anchor_counts.pop(source, None)

    def anchors_for(self, ids: Sequence[UrlId]) -> Mapping[UrlId, PageLinks]:
        return {id: self._page_links(id) for id in ids}

    def mark_indexed(self, page_links: Mapping[UrlId, PageLinks]) -> None:
        self._indexed |= page_links

    def commit_changes(self) -> None:
        self._redirect_targets = dict(enumerate(self._graph.redirect_targets().tolist()))

    def pages_with_changed_anchors(self, limit: int) -> list[UrlId]:
        changed = (
            id for id, then in self._indexed.items() if self._page_links(id).anchors != then.anchors
        )
        return list(islice(changed, limit))

    def _page_links(self, id: UrlId) -> PageLinks:
        texts: Counter[str] = Counter()
        for anchor_counts in self._anchor_counts.values():
            for (target, text), links in anchor_counts.items():
                if self._redirect_targets.get(target, target) == id:
                    texts[text] += links
        targets = sorted({link.id for link in self._graph.outlinks(id)})
        return PageLinks(tuple(texts.most_common()), tuple(targets))


@dataclass(frozen=True, slots=True)
class _IndexedDocument:
    """A document, and its terms by field."""

    document: Document
    linked: PageLinks
    fields: Mapping[str, Pieces]


class MemorySearchIndex:
    """Every document and its terms; each query scans all of them."""

    def __init__(self) -> None:
        self._pending: dict[UrlId, _IndexedDocument | None] = {}
        self._indexed: dict[UrlId, _IndexedDocument] = {}
        self._last = 0

    def add(
        self, documents: Iterable[Document], page_links: Mapping[UrlId, PageLinks] | None = None
    ) -> None:
        for document in documents:
            linked = (page_links or {}).get(document.id, PageLinks())
            fields = field_terms(document, linked.anchors)
            self._pending[document.id] = _IndexedDocument(document, linked, fields)

    def remove(self, ids: Iterable[UrlId]) -> None:
        self._pending |= dict.fromkeys(ids)

    def commit(self, sequence: int) -> None:
        for id, one in self._pending.items():
            self._indexed.pop(id, None)
            if one is not None:
                self._indexed[id] = one
        self._pending.clear()
        self._last = sequence

    def committed_sequence(self) -> int:
        return self._last

    def count(self) -> int:
        return len(self._indexed)

    def candidates(
        self,
        query: ParsedQuery,
        limit: int,
        only_id: UrlId | None = None,
        sort: Sort = "relevance",
    ) -> Candidates:
        words = query.words
        found, scores = self._ranked(query, limit, only_id, sort)
        counts = [
            [[_count(pieces, word) for word in words] for pieces in one.fields.values()]
            for one in found
        ]
        table = np.array(counts, np.float32).reshape(len(found), len(FIELDS), len(words))
        return Candidates(
            ids=np.array([one.document.id for one in found], np.int64),
            index_score=np.array(scores, np.float64),
            shortest_window=np.array(
                [_shortest_window(one.fields["body"], words) for one in found], np.float64
            ),
            total=len(list(self._matching(query))) if only_id is None else len(found),
            term_counts=table,
            field_lengths=_by_field(found, lambda _, pieces: sum(map(len, pieces))).astype("i4"),
            adjacent_pairs=_pairs(found, words, _are_adjacent),
            near_pairs=_pairs(found, words, _are_near),
            average_text_length=self._average_length(),
            piece_match=_by_field(
                found, lambda name, pieces: 0 if name == "body" else _piece_match(pieces, words)
            ),
            first_position=np.array(
                [_first_position(one.fields["body"], words) for one in found], np.float64
            ),
            idf=np.array([self._idf(word) for word in words], np.float64),
            host_ids=np.array([url_hash(host_of(one.document.url)) for one in found], np.int64),
            epoch_days=np.array([one.document.epoch_day for one in found], np.int64),
            duplicate_hashes=np.array([_duplicate_hash(one.fields) for one in found], np.int64),
            url_hashes=np.array([url_hash(one.document.url) for one in found], np.int64),
            canonical_hashes=np.array(
                [url_hash(canonical_url(one.document)) for one in found], np.int64
            ),
        )

    def top_ids(self, query: ParsedQuery, limit: int) -> Ids:
        return self.candidates(query, limit).ids

    def facets(self, query: ParsedQuery, limit: int) -> Facets:
        counted: dict[str, Counter[str]] = {
            name: Counter() for name in ("site", "language", "type", "year")
        }
        for one in self._matching(query):
            document = one.document
            counted["site"][site_of(document.url)] += 1
            counted["type"][document.document_type] += 1
            if document.language:
                counted["language"][document.language] += 1
            if document.epoch_day:
                counted["year"][str(date.fromordinal(EPOCH_ORDINAL + document.epoch_day).year)] += 1
        return {
            name: tuple(sorted(counts.items(), key=lambda row: (-row[1], row[0]))[:limit])
            for name, counts in counted.items()
        }

    def languages(self) -> Mapping[str, int]:
        languages = (one.document.language for one in self._indexed.values())
        return Counter(language for language in languages if language)

    def attributes(self) -> frozenset[str]:
        return frozenset(
            name for one in self._indexed.values() for name in indexed_attributes(one.document)[0]
        )

    def document_frequency(self, terms: Sequence[str]) -> int:
        def pages(term: str) -> int:
            word = TermClause(term, (TermAnalysis((term,)),))
            return sum(_has(one, word) for one in self._indexed.values())

        return min(map(pages, terms), default=0)

    def fuzzy_matches(self, word: str, max_distance: int) -> list[tuple[str, int, int]]:
        counts, word = self._vocabulary(), fold_text(word)
        found = ((other, _edit_distance(word, other), counts[other]) for other in counts)
        kept = [row for row in found if 0 < row[1] <= max_distance]
        return sorted(kept, key=lambda row: (row[1], -row[2], row[0]))

    def prefix_matches(self, prefix: str, limit: int) -> list[str]:
        known = self._vocabulary()
        found = [word for word in known if word.startswith(prefix)]
        return sorted(found, key=lambda word: (-known[word], word))[:limit]

    expand_prefix = prefix_matches

    def fuzzy_prefix_matches(self, prefix: str, limit: int) -> list[str]:
        known = self._vocabulary()
        cuts = range(len(prefix) - 1, len(prefix) + 2)
        found = [
            word
            for word in known
            if word[0] == prefix[0] and any(_edit_distance(prefix, word[:cut]) == 1 for cut in cuts)
        ]
        return sorted(found, key=lambda word: (-known[word], word))[:limit]

    def surface_form(self, word: str) -> str:
        forms = Counter(
            form
            for one in self._indexed.values()
            for form in {*surface_forms(one.document.title), *surface_forms(one.document.text)}
            if fold_surface_form(form) == word
        )
        return max(forms, key=lambda form: (forms[form], form == word, form), default=word)

    def complete_title(self, prefix: str, limit: int) -> list[str]:
        phrase = normalize_phrase(prefix)
        return self._complete(lambda one: one.startswith(phrase), limit) if phrase else []

    def fuzzy_complete_title(self, prefix: str, limit: int) -> list[str]:
        phrase = normalize_phrase(prefix)
        cuts = range(len(phrase) - 1, len(phrase) + 2)
        return self._complete(
            lambda one: any(_edit_distance(phrase, one[:n]) == 1 for n in cuts), limit
        )

    def _complete(self, begins: Callable[[str], bool], limit: int) -> list[str]:
        """Titles and main headings of pages that match at the start of some word, best first."""
        names: Counter[str] = Counter()
        for one in self._indexed.values():
            main = (heading.text for heading in one.document.headings if heading.level == 1)
            names.update(page_names(one.document.title, main))
        found = []
        for name in names:
            each = normalize_phrase(name).split()
            positions = [n for n in range(len(each)) if begins(" ".join(each[n:]))]
            found += [(positions[0] > 0, -names[name], len(name), name)] if positions else []
        return [name for _, _, _, name in sorted(found)[:limit]]

    def _vocabulary(self) -> Counter[str]:
        return Counter(
            word
            for one in self._indexed.values()
            for word in {*tokenize(one.document.title), *tokenize(one.document.text)}
            if word.isalpha() and len(word) > 2
        )

    def _idf(self, word: TermClause) -> float:
        typed = word.typed_analyses
        pages = max((self.document_frequency(analysis.tokens) for analysis in typed), default=0)
        return float(np.log((self.count() + 1) / (pages + 0.5)))

    def _average_length(self) -> float:
        lengths = [sum(map(len, one.fields["body"])) for one in self._indexed.values()]
        return max(1.0, sum(lengths) / max(1, len(lengths)))

    def _ranked(
        self, query: ParsedQuery, limit: int, only: UrlId | None, sort: Sort
    ) -> tuple[list[_IndexedDocument], list[float]]:
        """The matching documents, best first, and their scores; with `only`, just that document."""
        found = [one for one in self._matching(query) if only in (None, one.document.id)]
        if sort == "date":
            found.sort(key=lambda one: (-one.document.epoch_day, one.document.id))
            return found[:limit], [0.0] * len(found[:limit])
        words = query.words
        scored = [(sum(_score(one, word) for word in words), one) for one in found]
        scored.sort(key=lambda row: (-row[0], row[1].document.id))
        return [one for _, one in scored[:limit]], [score for score, _ in scored[:limit]]

    def _matching(self, query: ParsedQuery) -> Iterator[_IndexedDocument]:
        for one in self._indexed.values() if query else ():
            if _matches_all(one, query.clauses):
                yield one


def _matches_all(one: _IndexedDocument, parts: Sequence[Clause]) -> bool:
    optional = [part for part in parts if isinstance(part, TermClause) and part.is_optional]
    content = [word for word in optional if not word.is_stop_word] or optional
    if sum(_matches(one, word) for word in content) < min_should_match(optional):
        return False
    return all(_matches(one, part) for part in parts if part not in optional)


def _matches(one: _IndexedDocument, part: Clause) -> bool:
    if isinstance(part, TermClause):
        return _has(one, part)
    if isinstance(part, Filter):
        return _passes(one, part)
    if isinstance(part, AnyOf):
        return any(_matches(one, inside) for inside in part.clauses)
    if isinstance(part, AllOf):
        return _matches_all(one, part.clauses)
    return not _matches(one, part.exact_clause)


def _has(one: _IndexedDocument, word: TermClause) -> bool:
    where = {
        "anywhere": SEARCHED_FIELDS,
        "title": ("title",),
        "url": ("url", "host"),
    }[word.field]
    return any(
        _count(one.fields[name], word)
        or (word.prefix and _has_prefix(one.fields[name], word.prefix, one.document.language))
        for name in where
    )


def _has_prefix(pieces: Pieces, prefix: str, language: str) -> bool:
    """Whether a piece has a term with the last word of `prefix`, after the words before it."""
    before, _, last = prefix.rpartition(" ")
    ways = analyze_word(before, [language]) if before else ((),)
    return any(
        term.startswith(last) and tuple(piece[max(0, position - len(way)) : position]) == way
        for piece in pieces
        for way in ways
        for position, term in enumerate(piece)
    )


def _passes(one: _IndexedDocument, part: Filter) -> bool:
    document = one.document
    texts, numbers = indexed_attributes(document)
    if part.name == "site":
        return part.value in site_filter_values(host_of(document.url))
    if part.name == "day":
        return document.epoch_day > 0 and part.minimum <= document.epoch_day <= part.maximum
    if part.name == "link":
        return int(part.value or 0) in one.linked.target_ids
    if part.name == "id":
        return int(part.value) == document.id
    if part.name in ("language", "type"):
        return part.value == (
            document.language if part.name == "language" else document.document_type
        )
    ranged = isfinite(part.minimum) or isfinite(part.maximum)
    in_range = any(part.minimum <= n <= part.maximum for n in numbers.get(part.name, ()))
    return part.value in texts.get(part.name, ()) or (ranged and in_range)


def _score(one: _IndexedDocument, word: TermClause) -> float:
    return sum(_count(one.fields[name], word) for name in SEARCHED_FIELDS)


def _count(pieces: Pieces, word: TermClause) -> float:
    weights = [weight for _, weight in _positions(pieces, word)]
    other = max((weight for weight in weights if weight != 1), default=0.0)
    return weights.count(1) + other


def _positions(pieces: Pieces, word: TermClause) -> Iterator[tuple[int, float]]:
    """Positions of a word and the weight of its analysis; pieces are one position apart."""
    before = 0
    for piece in pieces:
        for analysis in word.analyses:
            size = len(analysis.tokens)
            for n in range(len(piece) - size + 1):
                if tuple(piece[n : n + size]) == analysis.tokens:
                    yield before + n, analysis.weight
        before += len(piece) + 1


TermPosition = tuple[int, int, int]
"""Position, index among the content words of the query, and distance to the next one as typed."""


def _by_field(
    found: Sequence[_IndexedDocument], value: Callable[[str, Pieces], float]
) -> NDArray[np.float32]:
    """The value of a function for each field of each document."""
    each = [[value(*field) for field in one.fields.items()] for one in found]
    return np.array(each, np.float32).reshape(len(found), len(FIELDS))


def _pairs(
    found: Sequence[_IndexedDocument],
    words: Sequence[TermClause],
    together: Callable[[TermPosition, TermPosition], bool],
) -> NDArray[np.float32]:
    """How often consecutive content words pass `together`, with no other query word in between."""
    counts = np.zeros((len(found), len(words)), np.float32)
    content = content_word_positions(words)
    between = [that - this - 1 for this, that in pairwise(content)] + [0]
    for row, one in enumerate(found):
        positions = sorted(
            (position, n, size + between[n])
            for n, word in enumerate(words[each] for each in content)
            for analysis in word.analyses
            for size in [len(analysis.tokens)]
            for position, _ in _positions(one.fields["body"], replace(word, analyses=(analysis,)))
        )
        for this, that in pairwise(positions):
            if together(this, that):
                counts[row, content[min(this[1], that[1])]] += 1
    return counts


def _are_adjacent(this: TermPosition, that: TermPosition) -> bool:
    return that[1] == this[1] + 1 and that[0] - this[0] == this[2]


def _are_near(this: TermPosition, that: TermPosition) -> bool:
    return abs(that[1] - this[1]) == 1 and that[0] - this[0] <= MAX_NEAR_DISTANCE


def _piece_match(pieces: Pieces, words: Sequence[TermClause]) -> float:
    content = content_word_positions(words)
    best = 0.0
    for piece in pieces:
        sizes = {n: _typed_length(piece, word) for n, word in enumerate(words)}
        has = sum(sizes[n] > 0 for n in content) / max(1, len(content))
        best = max(best, has * min(1, sum(sizes.values()) / max(1, len(piece))))
    return best


def _typed_length(piece: list[str], word: TermClause) -> int:
    """The number of terms of a word's first occurrence as typed; 0 if there is none."""
    each = [
        (position, len(analysis.tokens))
        for analysis in word.typed_analyses
        for position, _ in _positions([piece], replace(word, analyses=(analysis,)))
    ]
    return min(each, key=lambda one: one[0])[1] if each else 0


def _first_position(pieces: Pieces, words: Sequence[TermClause]) -> float:
    content = [words[n] for n in content_word_positions(words)]
    positions = (position for word in content for position, _ in _positions(pieces, word))
    return float(min(positions, default=inf))


def _shortest_window(pieces: Pieces, words: Sequence[TermClause]) -> float:
    words = [words[n] for n in content_word_positions(words)]
    if len(words) < 2:
        return inf
    hits = sorted(
        (position, n) for n, word in enumerate(words) for position, _ in _positions(pieces, word)
    )
    last: dict[int, int] = {}
    best = inf
    for position, n in hits:
        last[n] = position
        if len(last) == len(words):
            best = min(best, position - min(last.values()) + 1)
    return best


def _edit_distance(one: str, other: str) -> int:
    """Edit distance: substitutions, deletions, insertions and transpositions."""
    before: list[int] = []
    line = list(range(len(other) + 1))
    for n, letter in enumerate(one, 1):
        here = [n]
        for m, against in enumerate(other, 1):
            best = min(here[-1] + 1, line[m] + 1, line[m - 1] + (letter != against))
            if n > 1 and m > 1 and letter == other[m - 2] and one[n - 2] == against:
                best = min(best, before[m - 2] + 1)
            here.append(best)
        before, line = line, here
    return line[-1]


def _duplicate_hash(fields: Mapping[str, Pieces]) -> int:
    return duplicate_hash(_flat(fields["body"]), _flat(fields["title"]))


def _flat(pieces: Pieces) -> list[str]:
    return [term for piece in pieces for term in piece]
