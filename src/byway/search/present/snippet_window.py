"""Snippet window: the passage of a text with the most query parts, extended to whole words."""

import re
from typing import NamedTuple

from byway.core.text import term_spans
from byway.search.present.snippet_terms import SnippetTerms

MAX_WORD_CHARS = 100
"""Overlap of two scanned passages, so that no word is cut."""
PartMatches = list[tuple[int, int, int]]
"""Query part, start and end of each match."""
SENTENCE_END_PATTERN = re.compile(r"[.!?…]\s+|[。！？]\s*|\n\s*")


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
