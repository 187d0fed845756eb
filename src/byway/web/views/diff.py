"""Line diff of two versions of a text."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from byway.core.display import sanitize

MAX_DIFF_LINES = 1000
"""Maximum lines per text: the work, at most 10 ms, grows with the product of the line counts."""
MAX_LINE_CHARS = 2000
CONTEXT_LINES = 2
"""Unchanged lines shown around a change."""


class DiffLine(NamedTuple):
    """A line of the diff; a gap marks omitted unchanged lines."""

    kind: Literal["added", "removed", "same", "gap"]
    text: str = ""


def diff_lines(before: str, after: str) -> tuple[list[DiffLine], bool]:
    """The changed lines with context, and whether a text was truncated."""
    old, new = _lines(before), _lines(after)
    cut = max(len(old), len(new)) > MAX_DIFF_LINES
    merged = list(_merged(old[:MAX_DIFF_LINES], new[:MAX_DIFF_LINES]))
    changed = [place for place, line in enumerate(merged) if line.kind != "same"]
    near = {place + step for place in changed for step in range(-CONTEXT_LINES, CONTEXT_LINES + 1)}
    shown: list[DiffLine] = []
    for place, line in enumerate(merged):
        if place in near:
            shown.append(line)
        elif not shown or shown[-1].kind != "gap":
            shown.append(DiffLine("gap"))
    if shown and shown[-1].kind == "gap":
        shown.pop()
    return shown, cut


def _merged(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffLine]:
    """All lines of both texts, in order."""
    i = j = 0
    for same, also in [*_common(old, new), (len(old), len(new))]:
        yield from (DiffLine("removed", text) for text in old[i:same])
        yield from (DiffLine("added", text) for text in new[j:also])
        yield from (DiffLine("same", text) for text in old[same : same + 1])
        i, j = same + 1, also + 1


def _common(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The positions of a longest common subsequence of lines.

    Bit-parallel (Hyyrö 2004). difflib took 10 s for a text with the same line a thousand times.
    """
    places: dict[str, int] = {}
    for place, line in enumerate(new):
        places[line] = places.get(line, 0) | 1 << place
    full = (1 << len(new)) - 1
    rows = [full]
    for line in old:
        # A bit is 0 where one more line of `new` makes the common part longer.
        row = rows[-1]
        hits = row & places.get(line, 0)
        rows.append((row + hits | row - hits) & full)
    found: list[tuple[int, int]] = []
    i, j = len(old), len(new)
    while i and j:
        if old[i - 1] == new[j - 1]:
            i, j = i - 1, j - 1
            found.append((i, j))
        elif rows[i] >> (j - 1) & 1:
            j -= 1
        else:
            i -= 1
    return found[::-1]


def _lines(text: str) -> list[str]:
    found = (
        sanitize(line[:MAX_LINE_CHARS])
        for line in text[: MAX_DIFF_LINES * MAX_LINE_CHARS].split("\n")
    )
    return [line for line in found if line]
