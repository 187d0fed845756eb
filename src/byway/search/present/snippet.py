"""Snippets: the shortest window of a text with the most query terms, highlighted."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from operator import itemgetter
from typing import NamedTuple

from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.text import LANGUAGES, analyze_word, term_spans
from byway.search.present.term_locator import (
    MAX_WORD_CHARS,
    SNIPPET_DEEP_SCAN_CHARS,
    SNIPPET_SCAN_CHARS,
    TermMatch,
    TermMatches,
    find_terms,
    find_terms_beyond,
    scanned_text,
)

MAX_CHARS_PER_WORD = 100
"""Maximum characters of a phrase per word, separators included."""

MAX_PHRASE_CHECK_CHARS = 100_000
"""Characters analyzed to verify phrases. Only a page that repeats a long phrase and little else has
more; its words are then counted individually."""

PartMatches = list[tuple[int, int, int]]
"""Query part, start and end of each match."""
STOP_WORD_WEIGHT = 0.01
"""Weight of a stop word: just a tie-breaker between windows with the same content words."""
MAX_TARGET_WEIGHT = 2.0
WHOLE_PHRASE_BONUS = 0.5
"""Extra weight of a complete phrase, so that the scan goes deeper to find one."""


@dataclass(frozen=True, slots=True)
class SnippetPhrase:
    """A phrase of the query."""

    whole_part: int
    """The query part of the complete phrase."""
    word_parts: frozenset[int]
    """The query parts of its individual words."""
    term_sequences: tuple[tuple[str, ...], ...]
    """Its terms in order, in each of its analyses."""


@dataclass(frozen=True)
class SnippetTerms:
    """The terms of a query, grouped into weighted parts."""

    part_by_term: Mapping[str, int] = field(default_factory=dict)
    """The query part of each term; a second term of the same part adds no weight."""
    part_weights: tuple[float, ...] = ()
    """The weight of each part."""
    phrases: tuple[SnippetPhrase, ...] = ()

    @cached_property
    def terms(self) -> frozenset[str]:
        """All terms."""
        return frozenset(self.part_by_term)

    @cached_property
    def target_weight(self) -> float:
        """The weight at which the search for a better window stops: two words, if there are two."""
        phrase_parts = {phrase.whole_part for phrase in self.phrases}
        words = sum(
            weight
            for part, weight in enumerate(self.part_weights)
            if weight > STOP_WORD_WEIGHT and part not in phrase_parts
        )
        bonus = WHOLE_PHRASE_BONUS if phrase_parts else 0
        return round(min(MAX_TARGET_WEIGHT, words) + bonus, 6)

    @cached_property
    def content_terms(self) -> frozenset[str]:
        """The terms that are not stop words."""
        return frozenset(
            term
            for term, part in self.part_by_term.items()
            if self.part_weights[part] > STOP_WORD_WEIGHT
        )


def snippet_terms_of(
    query: ParsedQuery, page_language: str = "", query_languages: tuple[str, ...] = ()
) -> SnippetTerms:
    """The snippet terms of a query for a page in this language."""
    part_by_term: dict[str, int] = {}
    weights: list[float] = []
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
        for analysis in analyses:
            for place, term in enumerate(analysis.tokens):
                part_by_term.setdefault(term, first + min(place, token_count - 1))
        sequences = tuple(analysis.tokens for analysis in analyses)
        if min(map(len, sequences)) > 1:
            word_parts = frozenset(range(first, len(weights)))
            phrases.append(SnippetPhrase(len(weights), word_parts, sequences))
            weights.append(sum(weights[first:]) + WHOLE_PHRASE_BONUS)
    return SnippetTerms(part_by_term, tuple(weights), tuple(phrases))


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


def equally_weighted(terms: frozenset[str]) -> SnippetTerms:
    """Terms of equal weight, each its own part."""
    return SnippetTerms(
        {term: part for part, term in enumerate(sorted(terms))}, (1.0,) * len(terms)
    )


def match_parts(
    text: str, matches: TermMatches, snippet_terms: SnippetTerms, language: str
) -> PartMatches:
    """The matches as query parts: a complete phrase is one part and replaces its words."""
    if not snippet_terms.phrases:  # the usual case
        return [(snippet_terms.part_by_term[term], start, end) for term, start, end in matches]
    parts: PartMatches = []
    single_words = matches
    for phrase in snippet_terms.phrases:
        occurrences = list(_phrase_occurrences(text, matches, phrase, language))
        if occurrences:
            parts += [(phrase.whole_part, words[0][1], words[-1][2]) for words in occurrences]
            single_words = [
                match
                for match in single_words
                if snippet_terms.part_by_term[match[0]] not in phrase.word_parts
            ]
    parts += [(snippet_terms.part_by_term[term], start, end) for term, start, end in single_words]
    return sorted(parts, key=lambda part: part[1:])


def highlighted_matches(
    text: str, matches: TermMatches, snippet_terms: SnippetTerms, language: str
) -> TermMatches:
    """The matches to highlight; if a phrase occurs in full, only its full occurrences."""
    highlighted = set(matches)
    for phrase in snippet_terms.phrases:
        occurrences = _phrase_occurrences(text, matches, phrase, language)
        phrase_words = {match for words in occurrences for match in words}
        if phrase_words:
            parts = phrase.word_parts
            single = {one for one in matches if snippet_terms.part_by_term[one[0]] in parts}
            highlighted -= single - phrase_words
    return [match for match in matches if match in highlighted]


def _phrase_occurrences(
    text: str, matches: TermMatches, phrase: SnippetPhrase, language: str
) -> Iterator[Sequence[TermMatch]]:
    """The full occurrences of a phrase: its words in order, with no others in between."""
    chars_left = MAX_PHRASE_CHECK_CHARS

    @cache  # a repeated phrase is usually written the same way
    def analyze(passage: str) -> tuple[str, ...]:
        return tuple(term for term, _, _ in term_spans(passage, language))

    for terms in phrase.term_sequences:
        for n, (first, start, _) in enumerate(matches):
            if first != terms[0]:
                continue
            words = matches[n : n + len(terms)]
            if tuple(term for term, _, _ in words) != terms:
                continue
            passage = text[start : min(words[-1][2], start + MAX_CHARS_PER_WORD * len(terms))]
            chars_left -= len(passage)
            if chars_left < 0:
                return
            if analyze(passage) == terms:
                yield words


SENTENCE_END_PATTERN = re.compile(r"[.!?…]\s+|[。！？]\s*|\n\s*")

HighlightedText = tuple[tuple[str, bool], ...]
"""Pieces of text in order; True marks matches."""


def snippet(
    text: str,
    wanted_terms: Collection[str],
    max_chars: int,
    language: str = "",
) -> HighlightedText:
    """The best `max_chars` characters of a text, with the wanted terms highlighted."""
    snippet_terms = equally_weighted(frozenset(wanted_terms))
    matches = find_terms(scanned_text(text), snippet_terms.terms, language)
    return snippet_from_matches(text, snippet_terms, matches, max_chars, language)


def snippet_from_matches(
    text: str, snippet_terms: SnippetTerms, matches: TermMatches, max_chars: int, language: str
) -> HighlightedText:
    """The snippet of a text whose matches in `scanned_text(text)` are known."""
    scanned = scanned_text(text)
    window = _best_window(
        match_parts(scanned, matches, snippet_terms, language), snippet_terms, max_chars
    )
    margin = max_chars + MAX_WORD_CHARS  # beyond the scanned text, so that no word is cut
    if window.weight < snippet_terms.target_weight and len(text) > SNIPPET_SCAN_CHARS:
        text = scanned_text(text, SNIPPET_DEEP_SCAN_CHARS + margin)
        for deeper in find_terms_beyond(text, snippet_terms.content_terms, language):
            parts = match_parts(text, deeper, snippet_terms, language)
            other = _best_window(parts, snippet_terms, max_chars)
            window = max(window, other, key=itemgetter(0, 1))
            if window.weight >= snippet_terms.target_weight:
                break
    else:
        text = scanned_text(text, SNIPPET_SCAN_CHARS + margin)
    start, end = _with_context(text, window.start, window.end, max_chars)
    if end <= len(scanned) and _has_same_matches(text, start, end, language):
        inside = matches[_count_before(matches, start) : _count_before(matches, end)]
    else:
        inside = [
            (term, start + term_start, start + term_end)
            for term, term_start, term_end in term_spans(text[start:end], language)
            if term in snippet_terms.part_by_term
        ]
    highlighted = highlighted_matches(text, inside, snippet_terms, language)
    return _pieces(text, start, end, _merge_overlaps(highlighted))


def _has_same_matches(text: str, start: int, end: int, language: str) -> bool:
    """Whether a passage analyzed on its own has the same matches as within the whole text.

    True if white space surrounds it and the language has no stemmer of its own.
    """
    is_separate = not text[max(0, start - 1) : start].strip() and not text[end : end + 1].strip()
    return is_separate and language not in LANGUAGES


def _count_before(matches: TermMatches, position: int) -> int:
    """The number of matches that start before this position."""
    return bisect_left(matches, position, key=itemgetter(1))


class _Window(NamedTuple):
    """A passage of the text, and its weight."""

    weight: float = 0.0
    negative_length: int = 0
    """Negative, so that the shorter of two windows with the same weight compares greater."""
    start: int = 0
    end: int = 0


def _best_window(matches: PartMatches, snippet_terms: SnippetTerms, max_chars: int) -> _Window:
    """The shortest window of at most `max_chars` with the highest weight."""
    best = _Window()
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
        start = matches[first][1]
        if rounded > best.weight or (rounded == best.weight and start - end > best.negative_length):
            best = _Window(rounded, start - end, start, end)
    return best


def _with_context(text: str, start: int, end: int, length: int) -> tuple[int, int]:
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
    """The start of a word, after white space if possible; Chinese text and paths have little."""
    for place in range(earliest, start):
        if text[place].isspace():
            return place + 1
    base = max(0, earliest - MAX_WORD_CHARS)
    begins = (base + begin for _, begin, _ in term_spans(text[base:start]))
    return next((place for place in begins if place >= earliest), start)


def _word_end(text: str, end: int, latest: int) -> int:
    """The end of a word, before white space if possible."""
    for place in range(latest - 1, end - 1, -1):
        if text[place].isspace():
            return place
    spans = term_spans(text[end : latest + MAX_WORD_CHARS])
    return max((end + stop for _, _, stop in spans if end + stop <= latest), default=end) or latest


def _merge_overlaps(matches: TermMatches) -> list[tuple[int, int]]:
    """The spans of the matches, merged where they overlap, as 日本 and 本語 do."""
    spans: list[tuple[int, int]] = []
    for _, begin, stop in matches:
        if spans and begin < spans[-1][1]:
            spans[-1] = spans[-1][0], max(stop, spans[-1][1])
        else:
            spans.append((begin, stop))
    return spans


def _pieces(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> HighlightedText:
    pieces: list[tuple[str, bool]] = []
    if start > 0:
        pieces.append(("… ", False))
    position = start
    for begin, stop in spans:
        if begin >= position and stop <= end:
            if begin > position:
                pieces.append((_collapse_spaces(text[position:begin]), False))
            pieces.append((text[begin:stop], True))
            position = stop
    if position < end:
        pieces.append((_collapse_spaces(text[position:end]), False))
    if end < len(text):
        pieces.append((" …", False))
    return tuple(pieces)


def _collapse_spaces(text: str) -> str:
    """The text with each run of white space collapsed to one space, including at both ends."""
    collapsed = " ".join(text.split())
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and collapsed else ""
    return before + collapsed + after
