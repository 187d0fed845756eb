"""Snippets: the shortest window of a text with the most query terms, highlighted."""

import re
from bisect import bisect_left
from collections.abc import Collection
from operator import itemgetter
from typing import NamedTuple

from byway.core.text import LANGUAGES, term_spans
from byway.search.present.phrase_matches import PartMatches, highlighted_matches, match_parts
from byway.search.present.snippet_terms import SnippetTerms, equally_weighted
from byway.search.present.term_locator import (
    MAX_WORD_CHARS,
    SNIPPET_DEEP_SCAN_CHARS,
    SNIPPET_SCAN_CHARS,
    TermMatches,
    find_terms,
    find_terms_beyond,
    scanned_text,
)

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
    margin = max_chars + MAX_WORD_CHARS  # after the scanned text, so that no word is cut
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

    This holds if white space surrounds it and the language has no stemmer of its own.
    """
    is_separate = not text[max(0, start - 1) : start].strip() and not text[end : end + 1].strip()
    return is_separate and language not in LANGUAGES


def _count_before(matches: TermMatches, position: int) -> int:
    """The number of matches that begin before this position."""
    return bisect_left(matches, position, key=itemgetter(1))


class _Window(NamedTuple):
    """A passage of the text, and its weight."""

    weight: float = 0.0
    negative_length: int = 0
    """Negative, so that of two windows with the same weight the shorter one compares greater."""
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
            # Rounded, because float sums depend on the order of their numbers.
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
    """The text with each run of white space collapsed to one space, also at both ends."""
    collapsed = " ".join(text.split())
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and collapsed else ""
    return before + collapsed + after
