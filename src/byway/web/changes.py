"""What has changed between two texts? Their lines side by side, as far as one cares to read."""

from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from byway.web.shown import clean

MOST_LINES = 1000
"""Lines of each text that are compared: the work grows with their product."""
LONGEST_LINE = 2000
AROUND = 2
"""Lines shown around a change."""


class Line(NamedTuple):
    """One line: whether it is new, gone or the same; a gap stands for some that are the same."""

    kind: Literal["added", "removed", "same", "gap"]
    text: str = ""


def changes(before: str, after: str) -> tuple[list[Line], bool]:
    """The lines that differ with some around them, and whether the texts go on."""
    old, new = _lines(before), _lines(after)
    cut = max(len(old), len(new)) > MOST_LINES
    old, new = old[:MOST_LINES], new[:MOST_LINES]
    shown: list[Line] = []
    last = 0
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(AROUND):
        if group[0][1] > last:
            shown.append(Line("gap"))
        for tag, start, end, begin, stop in group:
            if tag == "equal":
                shown += [Line("same", text) for text in old[start:end]]
            else:
                shown += [Line("removed", text) for text in old[start:end]]
                shown += [Line("added", text) for text in new[begin:stop]]
            last = end
    return shown, cut


def _lines(text: str) -> list[str]:
    found = (clean(line[:LONGEST_LINE]) for line in text[: MOST_LINES * LONGEST_LINE].split("\n"))
    return [line for line in found if line]
