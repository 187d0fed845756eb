"""Which printed lines are one paragraph? Those that go on where the line before was full.

>>> paragraphs(["The keeper of the lighthouse at the cape lit his lamp every eve-", "ning."])
['The keeper of the lighthouse at the cape lit his lamp every evening.']
>>> paragraphs(["Contents", "Lamps", "oil"])
['Contents', 'Lamps', 'oil']
"""

from collections.abc import Sequence

MIN_FULL_LINE_CHARS = 30
"""Letters of a full line, at least: what is narrower is a label, a cell or a list."""
LINE_WIDTH_QUANTILE = 0.9
"""The share of lines that are no longer than a full one: a few stand out of their column."""
FULL_LINE_SHARE = 0.85
NEARLY_FULL_LINE_SHARE = 0.6
"""What of a full line a line must have to go on with a capital, and with a small letter."""
HYPHENS = "-\N{HYPHEN}\N{SOFT HYPHEN}"
SENTENCE_END_CHARS = ".!?:;…"
OPENING_CHARS = "(\"'“„«‘"
HANGING_HYPHEN_WORDS = frozenset(
    ("and", "bis", "bzw.", "et", "oder", "och", "og", "or", "und", "y")
)
"""Words behind a hyphen that belongs there: `Haupt- und Nebensatz`."""


def paragraphs(printed_lines: Sequence[str]) -> list[str]:
    """The paragraphs of one sheet; an empty line ends one."""
    lines = [" ".join(line.split()) for line in printed_lines]
    lengths = sorted(map(len, filter(None, lines)))
    width = lengths[int(LINE_WIDTH_QUANTILE * len(lengths))] if lengths else 0
    found: list[list[str]] = []
    before = ""
    for line in lines:
        if _is_parted(before, line):
            found[-1][-1] = found[-1][-1][:-1]
            found[-1].append(line)
        elif _goes_on(before, line, width):
            # `Soekarno-` goes on with `Hatta`, and is no word that was parted.
            double = before[-1] in HYPHENS and not line[0].islower()
            found[-1].append(line if double else f" {line}")
        elif line:
            found.append([line])
        before = line
    return ["".join(pieces) for pieces in found]


def _is_parted(before: str, line: str) -> bool:
    """Does a word that the end of the line has parted go on here?"""
    parted = before[-1:] in HYPHENS and before[-2:-1].islower() and line[:1].islower()
    return parted and line.split(" ", 1)[0] not in HANGING_HYPHEN_WORDS


def _goes_on(before: str, line: str, width: int) -> bool:
    """Does the sentence of the line before go on in this one?"""
    if not before or not line or width < MIN_FULL_LINE_CHARS:
        return False
    if line[0].islower():
        return (
            len(before) >= NEARLY_FULL_LINE_SHARE * width and before[-1] not in SENTENCE_END_CHARS
        )
    # Rows and items begin with a number, and end with one, more often than sentences go on so.
    begun = line[0].isalpha() or line[0] in OPENING_CHARS
    unended = before[-1].islower() or before[-1] in f",{HYPHENS}"
    return begun and unended and len(before) >= FULL_LINE_SHARE * width
