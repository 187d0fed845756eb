"""Which words of a page answer best? The shortest window with the most of what was asked for."""

import re
from collections import Counter
from collections.abc import Collection

from byway.text import spans

LOOKED_AT = 20_000
"""Characters of a text that are looked at: a snippet from further down would not be worth it."""

SENTENCE_END = re.compile(r"[.!?…]\s+|[。！？]\s*|\n\s*")

Pieces = tuple[tuple[str, bool], ...]
"""Text in order; True marks the words that were asked for."""


def snippet(text: str, wanted: Collection[str], length: int, language: str = "") -> Pieces:
    """The best `length` characters of a text in that language, with the wanted terms marked."""
    text = text[:LOOKED_AT].strip()
    found = [(term, start, end) for term, start, end in spans(text, language) if term in wanted]
    start, end = _window(found, length) if found else (0, 0)
    start, end = _widened(text, start, end, length)
    return _marked(text, start, end, found)


def _window(found: list[tuple[str, int, int]], length: int) -> tuple[int, int]:
    """The shortest stretch, no longer than `length`, with the most different terms."""
    best = (0, 0)
    best_score = (0, 0)
    inside: Counter[str] = Counter()
    first = 0
    for last, (term, _, end) in enumerate(found):
        inside[term] += 1
        # What comes again further on need not be in the window twice.
        while first < last and (inside[found[first][0]] > 1 or end - found[first][1] > length):
            inside[found[first][0]] -= 1
            first += 1
        start = found[first][1]
        score = (sum(map(bool, inside.values())), start - end)
        if score > best_score:
            best, best_score = (start, end), score
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
        stop = max((n for n in range(end, stop) if text[n].isspace()), default=stop)
    return begin, stop


def _word_start(text: str, earliest: int, start: int) -> int:
    return next((n + 1 for n in range(earliest, start) if text[n].isspace()), earliest)


def _marked(text: str, start: int, end: int, found: list[tuple[str, int, int]]) -> Pieces:
    pieces: list[tuple[str, bool]] = []
    if start > 0:
        pieces.append(("… ", False))
    here = start
    for _, begin, stop in found:
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
