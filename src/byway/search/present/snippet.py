"""Which words of a page answer best? The shortest window with the most of what was asked for."""

import re
from bisect import bisect_left
from collections.abc import Collection
from operator import itemgetter
from typing import NamedTuple

from byway.core.text import LANGUAGES, spans
from byway.search.present.phrase_matches import Parts, marked_of, parts_of
from byway.search.present.snippet_terms import Wanted, each_of
from byway.search.present.term_locator import (
    FURTHER,
    LONGEST_WORD,
    LOOKED_AT,
    Found,
    further,
    looked_at,
    places,
)

SENTENCE_END = re.compile(r"[.!?…]\s+|[。！？]\s*|\n\s*")

Pieces = tuple[tuple[str, bool], ...]
"""Text in order; True marks the words that were asked for."""


def snippet(
    text: str,
    wanted: Collection[str],
    length: int,
    language: str = "",
) -> Pieces:
    """The best `length` characters of a text in that language, with the wanted terms marked."""
    each = each_of(frozenset(wanted))
    found = places(looked_at(text), each.terms, language)
    return snippet_of(text, each, found, length, language)


def snippet_of(text: str, wanted: Wanted, found: Found, length: int, language: str) -> Pieces:
    """The same for who knows where the terms stand in the part that is always looked at."""
    seen = looked_at(text)
    window = _window(parts_of(seen, found, wanted, language), wanted, length)
    shown = length + LONGEST_WORD  # beyond what is looked at, so that no word is cut there
    if window.worth < wanted.enough and len(text) > LOOKED_AT:
        text = looked_at(text, FURTHER + shown)
        for there in further(text, wanted.telling, language):
            other = _window(parts_of(text, there, wanted, language), wanted, length)
            window = max(window, other, key=itemgetter(0, 1))
            if window.worth >= wanted.enough:
                break
    else:
        text = looked_at(text, LOOKED_AT + shown)
    start, end = _widened(text, window.start, window.end, length)
    if end <= len(seen) and _is_all_found(text, start, end, language):
        inside = found[_before(found, start) : _before(found, end)]
    else:
        each = spans(text[start:end], language)
        inside = [(term, start + a, start + b) for term, a, b in each if term in wanted.parts]
    return _marked(text, start, end, _joined(marked_of(text, inside, wanted, language)))


def _is_all_found(text: str, start: int, end: int, language: str) -> bool:
    """Are the words of this stretch those that are found there in the whole text?

    They are with spaces on both sides, where no stemmer changes more letters than `places` knows.
    """
    apart = not text[max(0, start - 1) : start].strip() and not text[end : end + 1].strip()
    return apart and language not in LANGUAGES


def _before(found: Found, place: int) -> int:
    """How many begin before this place."""
    return bisect_left(found, place, key=itemgetter(1))


class _Window(NamedTuple):
    """A stretch of text, and what it is worth."""

    worth: float = 0.0
    length: int = 0
    """Negative, so that of two that are worth the same the shorter one is the greater."""
    start: int = 0
    end: int = 0


def _window(found: Parts, wanted: Wanted, length: int) -> _Window:
    """The shortest stretch, no longer than `length`, with the most that was asked for."""
    best = _Window()
    times = [0] * len(wanted.worth)
    worth = value = 0.0
    first = 0
    for last, (part, _, end) in enumerate(found):
        before = worth
        worth += 0 if times[part] else wanted.worth[part]
        times[part] += 1
        # What comes again further on need not be in the window twice.
        while first < last and (times[found[first][0]] > 1 or end - found[first][1] > length):
            gone = found[first][0]
            times[gone] -= 1
            worth -= 0 if times[gone] else wanted.worth[gone]
            first += 1
        if worth != before:
            # Rounded, since sums of the same numbers in another order may not be the same.
            value = round(worth, 6)
        start = found[first][1]
        if value > best.worth or (value == best.worth and start - end > best.length):
            best = _Window(value, start - end, start, end)
    return best


def _widened(text: str, start: int, end: int, length: int) -> tuple[int, int]:
    """The window with its surroundings: from the start of its sentence if that is near."""
    if len(text) <= length:
        return 0, len(text)
    room = max(0, length - (end - start))
    earliest = max(0, start - room // 2)
    ends = [found.end() for found in SENTENCE_END.finditer(text, earliest, start)]
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
    base = max(0, earliest - LONGEST_WORD)
    begins = (base + begin for _, begin, _ in spans(text[base:start]))
    return next((place for place in begins if place >= earliest), start)


def _word_end(text: str, end: int, latest: int) -> int:
    """Where a word ends, before a space if there is one."""
    for place in range(latest - 1, end - 1, -1):
        if text[place].isspace():
            return place
    each = spans(text[end : latest + LONGEST_WORD])
    return max((end + stop for _, _, stop in each if end + stop <= latest), default=end) or latest


def _joined(found: Found) -> list[tuple[int, int]]:
    """Where the terms stand, with those made one that share a character: 日本 and 本語 do."""
    joined: list[tuple[int, int]] = []
    for _, begin, stop in found:
        if joined and begin < joined[-1][1]:
            joined[-1] = joined[-1][0], max(stop, joined[-1][1])
        else:
            joined.append((begin, stop))
    return joined


def _marked(text: str, start: int, end: int, found: list[tuple[int, int]]) -> Pieces:
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
