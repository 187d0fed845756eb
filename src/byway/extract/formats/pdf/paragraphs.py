"""Paragraphs of a printed page: joins lines that continue a full line, and undoes hyphenation.

>>> paragraphs(["The keeper of the lighthouse at the cape lit his lamp every eve-", "ning."])
['The keeper of the lighthouse at the cape lit his lamp every evening.']
>>> paragraphs(["Contents", "Lamps", "oil"])
['Contents', 'Lamps', 'oil']
"""

from collections.abc import Sequence

MIN_FULL_LINE_CHARS = 30
"""Minimum width of a full line: narrower lines are labels, cells or lists."""
LINE_WIDTH_QUANTILE = 0.9
"""Quantile of line lengths used as the column width: a few lines are longer."""
FULL_LINE_SHARE = 0.85
NEARLY_FULL_LINE_SHARE = 0.6
"""Minimum length of a line that the next line continues, as a share of the width, if the next line
begins with an upper-case or a lower-case letter."""
HYPHENS = "-\N{HYPHEN}\N{SOFT HYPHEN}"
SENTENCE_END_CHARS = ".!?:;…"
OPENING_CHARS = "(\"'“„«‘"
HANGING_HYPHEN_WORDS = frozenset(
    ("and", "bis", "bzw.", "et", "oder", "och", "og", "or", "und", "y")
)
"""Words after a suspended hyphen, which is kept: `Haupt- und Nebensatz`."""


def paragraphs(printed_lines: Sequence[str]) -> list[str]:
    """The paragraphs of one page; an empty line ends a paragraph."""
    lines = [" ".join(line.split()) for line in printed_lines]
    lengths = sorted(map(len, filter(None, lines)))
    width = lengths[int(LINE_WIDTH_QUANTILE * len(lengths))] if lengths else 0
    paragraph_lines: list[list[str]] = []
    previous = ""
    for line in lines:
        if _is_hyphenated(previous, line):
            paragraph_lines[-1][-1] = paragraph_lines[-1][-1][:-1]
            paragraph_lines[-1].append(line)
        elif _continues(previous, line, width):
            # `Soekarno-` continues with `Hatta`: a compound that keeps its hyphen.
            is_compound = previous[-1] in HYPHENS and not line[0].islower()
            paragraph_lines[-1].append(line if is_compound else f" {line}")
        elif line:
            paragraph_lines.append([line])
        previous = line
    return ["".join(pieces) for pieces in paragraph_lines]


def _is_hyphenated(previous: str, line: str) -> bool:
    """Whether the line begins with the second half of a hyphenated word."""
    is_split = previous[-1:] in HYPHENS and previous[-2:-1].islower() and line[:1].islower()
    return is_split and line.split(" ", 1)[0] not in HANGING_HYPHEN_WORDS


def _continues(previous: str, line: str, width: int) -> bool:
    """Whether the line continues the previous line's sentence."""
    if not previous or not line or width < MIN_FULL_LINE_CHARS:
        return False
    if line[0].islower():
        is_nearly_full = len(previous) >= NEARLY_FULL_LINE_SHARE * width
        return is_nearly_full and previous[-1] not in SENTENCE_END_CHARS
    # Rows and items begin or end with a number more often than continued sentences do.
    begins_with_word = line[0].isalpha() or line[0] in OPENING_CHARS
    is_unfinished = previous[-1].islower() or previous[-1] in f",{HYPHENS}"
    return begins_with_word and is_unfinished and len(previous) >= FULL_LINE_SHARE * width
