"""Passages: the terms of a query, grouped into parts, and the window with the most parts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.text import analyze_word, term_spans

MAX_WORD_CHARS = 100
"""Overlap of two scanned passages, so that no word is cut."""
PartMatches = list[tuple[int, int, int]]
"""Query part, start and end of each match."""
SENTENCE_END_PATTERN = re.compile(r"[.!?…]\s+|[。！？]\s*|\n\s*")
STOP_WORD_WEIGHT = 0.01
"""Weight of a stop word: just a tie-breaker between windows with the same content words."""
MAX_TARGET_WEIGHT = 2.0
WHOLE_PHRASE_BONUS = 0.5
"""Extra weight of a complete phrase, so that the scan goes deeper to find one."""


@dataclass(frozen=True, slots=True)
class SnippetPhrase:
    """A phrase of the query."""

    whole_part: int
    """The index of the query part for the complete phrase."""
    word_parts: frozenset[int]
    """The indices of the query parts for its individual words."""
    term_sequences: tuple[tuple[str, ...], ...]
    """Its terms in order, in each of its analyses."""


@dataclass(frozen=True)
class SnippetTerms:
    """The terms of a query, grouped into weighted parts."""

    part_by_term: Mapping[str, int] = field(default_factory=dict)
    """The query part of each term; a second term of the same part adds no weight."""
    part_weights: tuple[float, ...] = ()
    """The weight of each part."""
    stop_parts: frozenset[int] = frozenset()
    """The parts that are stop words."""
    phrases: tuple[SnippetPhrase, ...] = ()

    @cached_property
    def content_terms(self) -> frozenset[str]:
        """The terms that are not stop words: those that are highlighted."""
        return frozenset(
            term for term, part in self.part_by_term.items() if part not in self.stop_parts
        )

    @cached_property
    def stop_terms(self) -> frozenset[str]:
        """The terms of stop words, which only decide between passages with the same others."""
        return frozenset(self.part_by_term) - self.content_terms

    @cached_property
    def target_weight(self) -> float:
        """The weight at which the search for a better window stops: the weight of two words."""
        other_parts = self.stop_parts.union(phrase.whole_part for phrase in self.phrases)
        words = sum(
            weight for part, weight in enumerate(self.part_weights) if part not in other_parts
        )
        bonus = WHOLE_PHRASE_BONUS if self.phrases else 0
        return round(min(MAX_TARGET_WEIGHT, words) + bonus, 6)


def snippet_terms_of(
    query: ParsedQuery, page_language: str = "", query_languages: tuple[str, ...] = ()
) -> SnippetTerms:
    """The snippet terms of a query for a page in this language."""
    part_by_term: dict[str, int] = {}
    weights: list[float] = []
    stop_parts: set[int] = set()
    phrases: list[SnippetPhrase] = []
    words = query.words
    only_stop_words = all(word.is_stop_word for word in words)
    for word in words:
        analyses = _analyses_in(word, page_language, query_languages)
        if not analyses:
            continue
        # Each token of a phrase is a part, so that half a phrase does not count as the whole.
        token_count = len(analyses[0].tokens)
        first = len(weights)
        is_content = only_stop_words or not word.is_stop_word
        weights += [1 / token_count if is_content else STOP_WORD_WEIGHT] * token_count
        stop_parts.update(() if is_content else range(first, len(weights)))
        for analysis in analyses:
            for place, term in enumerate(analysis.tokens):
                # A stop word is a content word if it is also part of a phrase.
                if is_content and part_by_term.get(term) in stop_parts:
                    del part_by_term[term]
                part_by_term.setdefault(term, first + min(place, token_count - 1))
        sequences = tuple(analysis.tokens for analysis in analyses)
        if min(map(len, sequences)) > 1:
            word_parts = frozenset(range(first, len(weights)))
            phrases.append(SnippetPhrase(len(weights), word_parts, sequences))
            weights.append(sum(weights[first:]) + WHOLE_PHRASE_BONUS)
    return SnippetTerms(part_by_term, tuple(weights), frozenset(stop_parts), tuple(phrases))


def _analyses_in(
    word: TermClause, page_language: str, query_languages: tuple[str, ...]
) -> tuple[TermAnalysis, ...]:
    """The analyses, minus those from languages other than the page's and the most frequent.

    `one` is `on` in Polish: on an English page, no `on` is highlighted.
    """
    if len(word.analyses) < 2:
        return word.analyses
    own = analyze_word(word.text, (page_language, *query_languages[:1]))
    foreign = {*analyze_word(word.text, query_languages)}.difference(own)
    return tuple(one for one in word.analyses if one.tokens not in foreign) or word.analyses


class Window(NamedTuple):
    """A passage of the text, and its weight."""

    weight: float = 0.0
    negative_length: int = 0
    """Negative, so that the shorter of two windows with the same weight compares greater."""
    start: int = 0
    end: int = 0


def best_window(
    matches: PartMatches, snippet_terms: SnippetTerms, max_chars: int
) -> tuple[Window, list[tuple[int, int]]]:
    """The shortest window of at most `max_chars` with the highest weight, and all spans with it."""
    best = Window()
    spans: list[tuple[int, int]] = []
    weights = snippet_terms.part_weights
    counts = [0] * len(weights)
    total = rounded = 0.0
    first = 0
    for last, (part, _, end) in enumerate(matches):
        before = total
        total += 0 if counts[part] else weights[part]
        counts[part] += 1
        # Drop a leading part that is repeated later in the window.
        while first < last and (
            counts[matches[first][0]] > 1 or end - matches[first][1] > max_chars
        ):
            dropped = matches[first][0]
            counts[dropped] -= 1
            total -= 0 if counts[dropped] else weights[dropped]
            first += 1
        if total != before:
            # Rounded, because float sums depend on the order of addition.
            rounded = round(total, 6)
        if rounded < best.weight:
            continue
        start = matches[first][1]
        if rounded > best.weight:
            spans.clear()
        spans.append((start, end))
        if rounded > best.weight or start - end > best.negative_length:
            best = Window(rounded, start - end, start, end)
    return best, spans


def with_context(text: str, start: int, end: int, length: int) -> tuple[int, int]:
    """The window extended to `length`, from the start of its sentence if that is near."""
    if len(text) <= length:
        return 0, len(text)
    room = max(0, length - (end - start))
    earliest = max(0, start - room // 2)
    sentence_ends = [match.end() for match in SENTENCE_END_PATTERN.finditer(text, earliest, start)]
    begin = sentence_ends[-1] if sentence_ends else -1
    if begin < 0:
        begin = earliest if earliest == 0 else _word_start(text, earliest, start)
    stop = min(len(text), max(end, begin + length))
    if stop < len(text):
        stop = _word_end(text, end, stop)
    return begin, stop


def _word_start(text: str, earliest: int, start: int) -> int:
    """The start of a word, preferably after white space, which Chinese text and paths lack."""
    for place in range(earliest, start):
        if text[place].isspace():
            return place + 1
    base = max(0, earliest - MAX_WORD_CHARS)
    begins = (base + begin for _, begin, _ in term_spans(text[base:start]))
    return next((place for place in begins if place >= earliest), start)


def _word_end(text: str, end: int, latest: int) -> int:
    """The end of a word, preferably before white space."""
    for place in range(latest - 1, end - 1, -1):
        if text[place].isspace():
            return place
    spans = term_spans(text[end : latest + MAX_WORD_CHARS])
    return max((end + stop for _, _, stop in spans if end + stop <= latest), default=end) or latest
