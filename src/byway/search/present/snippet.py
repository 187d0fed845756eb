"""Which words of a page answer best? The shortest window with the most of what was asked for."""

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
"""Text in order; True marks the words that were asked for."""


def snippet(
    text: str,
    wanted_terms: Collection[str],
    max_chars: int,
    language: str = "",
) -> HighlightedText:
    """The best `max_chars` characters of a text in that language, with the wanted terms marked."""
    each = equally_weighted(frozenset(wanted_terms))
    found = find_terms(scanned_text(text), each.terms, language)
    return snippet_from_matches(text, each, found, max_chars, language)


def snippet_from_matches(
    text: str, snippet_terms: SnippetTerms, matches: TermMatches, max_chars: int, language: str
) -> HighlightedText:
    """The same for who knows where the terms stand in the part that is always looked at."""
    seen = scanned_text(text)
    window = _window(match_parts(seen, matches, snippet_terms, language), snippet_terms, max_chars)
    shown = max_chars + MAX_WORD_CHARS  # beyond what is looked at, so that no word is cut there
    if window.weight < snippet_terms.target_weight and len(text) > SNIPPET_SCAN_CHARS:
        text = scanned_text(text, SNIPPET_DEEP_SCAN_CHARS + shown)
        for there in find_terms_beyond(text, snippet_terms.content_terms, language):
            other = _window(
                match_parts(text, there, snippet_terms, language), snippet_terms, max_chars
            )
            window = max(window, other, key=itemgetter(0, 1))
            if window.weight >= snippet_terms.target_weight:
                break
    else:
        text = scanned_text(text, SNIPPET_SCAN_CHARS + shown)
    start, end = _widened(text, window.start, window.end, max_chars)
    if end <= len(seen) and _is_all_found(text, start, end, language):
        inside = matches[_before(matches, start) : _before(matches, end)]
    else:
        each = term_spans(text[start:end], language)
        inside = [
            (term, start + a, start + b)
            for term, a, b in each
            if term in snippet_terms.part_by_term
        ]
    return _marked(
        text, start, end, _joined(highlighted_matches(text, inside, snippet_terms, language))
    )


def _is_all_found(text: str, start: int, end: int, language: str) -> bool:
    """Are the words of this stretch those that are found there in the whole text?

    They are with spaces on both sides, where no stemmer changes more letters than `find_terms`
    knows.
    """
    apart = not text[max(0, start - 1) : start].strip() and not text[end : end + 1].strip()
    return apart and language not in LANGUAGES


def _before(found: TermMatches, place: int) -> int:
    """How many begin before this place."""
    return bisect_left(found, place, key=itemgetter(1))


class _Window(NamedTuple):
    """A stretch of text, and what it is worth."""

    weight: float = 0.0
    negative_length: int = 0
    """Negative, so that of two that are worth the same the shorter one is the greater."""
    start: int = 0
    end: int = 0


def _window(found: PartMatches, wanted: SnippetTerms, length: int) -> _Window:
    """The shortest stretch, no longer than `length`, with the most that was asked for."""
    best = _Window()
    times = [0] * len(wanted.part_weights)
    worth = value = 0.0
    first = 0
    for last, (part, _, end) in enumerate(found):
        before = worth
        worth += 0 if times[part] else wanted.part_weights[part]
        times[part] += 1
        # What comes again further on need not be in the window twice.
        while first < last and (times[found[first][0]] > 1 or end - found[first][1] > length):
            gone = found[first][0]
            times[gone] -= 1
            worth -= 0 if times[gone] else wanted.part_weights[gone]
            first += 1
        if worth != before:
            # Rounded, since sums of the same numbers in another order may not be the same.
            value = round(worth, 6)
        start = found[first][1]
        if value > best.weight or (value == best.weight and start - end > best.negative_length):
            best = _Window(value, start - end, start, end)
    return best


def _widened(text: str, start: int, end: int, length: int) -> tuple[int, int]:
    """The window with its surroundings: from the start of its sentence if that is near."""
    if len(text) <= length:
        return 0, len(text)
    room = max(0, length - (end - start))
    earliest = max(0, start - room // 2)
    ends = [found.end() for found in SENTENCE_END_PATTERN.finditer(text, earliest, start)]
    begin = ends[-1] if ends else -1
    if begin < 0:
        begin = earliest if earliest == 0 else _word_start(text, earliest, start)
    stop = min(len(text), max(end, begin + length))
    if stop < len(text):
        stop = _word_end(text, end, stop)
    return begin, stop


def _word_start(text: str, earliest: int, start: int) -> int:
    """Where a word begins, behind a space if there is one: Chinese has none, and a path few."""
    for place in range(earliest, start):
        if text[place].isspace():
            return place + 1
    base = max(0, earliest - MAX_WORD_CHARS)
    begins = (base + begin for _, begin, _ in term_spans(text[base:start]))
    return next((place for place in begins if place >= earliest), start)


def _word_end(text: str, end: int, latest: int) -> int:
    """Where a word ends, before a space if there is one."""
    for place in range(latest - 1, end - 1, -1):
        if text[place].isspace():
            return place
    each = term_spans(text[end : latest + MAX_WORD_CHARS])
    return max((end + stop for _, _, stop in each if end + stop <= latest), default=end) or latest


def _joined(found: TermMatches) -> list[tuple[int, int]]:
    """Where the terms stand, with those made one that share a character: 日本 and 本語 do."""
    joined: list[tuple[int, int]] = []
    for _, begin, stop in found:
        if joined and begin < joined[-1][1]:
            joined[-1] = joined[-1][0], max(stop, joined[-1][1])
        else:
            joined.append((begin, stop))
    return joined


def _marked(text: str, start: int, end: int, found: list[tuple[int, int]]) -> HighlightedText:
    pieces: list[tuple[str, bool]] = []
    if start > 0:
        pieces.append(("… ", False))
    here = start
    for begin, stop in found:
        if begin >= here and stop <= end:
            if begin > here:
                pieces.append((_flat(text[here:begin]), False))
            pieces.append((text[begin:stop], True))
            here = stop
    if here < end:
        pieces.append((_flat(text[here:end]), False))
    if end < len(text):
        pieces.append((" …", False))
    return tuple(pieces)


def _flat(text: str) -> str:
    """Line ends as spaces, runs of them as one; the ends are kept, for words stand beside them."""
    flat = " ".join(text.split())
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and flat else ""
    return before + flat + after
