"""Which words of a page answer best? The shortest window with the most of what was asked for."""

import re
from collections import Counter
from collections.abc import Collection

from byway.search.finding import Found, looked_at, places
from byway.text import spans

SENTENCE_END = re.compile(r"[.!?…]\s+|[。！？]\s*|\n\s*")

Pieces = tuple[tuple[str, bool], ...]
"""Text in order; True marks the words that were asked for."""


def snippet(
    text: str,
    wanted: Collection[str],
    length: int,
    language: str = "",
    found: Found | None = None,
) -> Pieces:
    """The best `length` characters of a text in that language, with the wanted terms marked.

    `found` is where they stand in the text that is looked at, for who knows it already.
    """
    text = looked_at(text)
    if found is None:
        found = places(text, frozenset(wanted), language)
    start, end = _window(found, length) if found else (0, 0)
    start, end = _widened(text, start, end, length)
    inside = [
        (term, start + begin, start + stop)
        for term, begin, stop in spans(text[start:end], language)
        if term in wanted
    ]
    return _marked(text, start, end, _joined(inside))


def _window(found: Found, length: int) -> tuple[int, int]:
    """The shortest stretch, no longer than `length`, with the most different terms."""
    best = (0, 0)
    best_score = (0, 0)
    inside: Counter[str] = Counter()
    first = different = 0
    for last, (term, _, end) in enumerate(found):
        different += not inside[term]
        inside[term] += 1
        # What comes again further on need not be in the window twice.
        while first < last and (inside[found[first][0]] > 1 or end - found[first][1] > length):
            inside[found[first][0]] -= 1
            different -= not inside[found[first][0]]
            first += 1
        start = found[first][1]
        if (different, start - end) > best_score:
            best, best_score = (start, end), (different, start - end)
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
        stop = next((n for n in range(stop - 1, end - 1, -1) if text[n].isspace()), stop)
    return begin, stop


def _word_start(text: str, earliest: int, start: int) -> int:
    return next((n + 1 for n in range(earliest, start) if text[n].isspace()), earliest)


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
