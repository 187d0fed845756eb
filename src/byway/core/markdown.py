"""Documents as Markdown: title, headings and paragraphs.

The text of a document has lines without further structure, so all but headings are paragraphs.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence

from byway.core.model import Document, Heading

#: Characters that would start emphasis, a link, code or a tag.
INLINE_MARKUP_PATTERN = re.compile(r"[\\`*\[\]<]|(?<![^\W_])_|_(?![^\W_])")
#: Line starts that would make a heading, quote, list item, rule or fence.
BLOCK_MARKUP_PATTERN = re.compile(
    r"^(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|[-=~]{3,}|\d{1,9}(?=[.)](?:\s|$)))"
)


def as_markdown(document: Document) -> str:
    """A document as Markdown; markup characters of the page are escaped."""
    title = document.title or document.url
    lines = document.text.split("\n")
    levels = heading_levels(lines, document.headings)
    if lines[0] == title:
        lines[0] = ""
    blocks = [
        f"{'#' * levels[n]} {_escaped(line)}" if n in levels else _escaped(line)
        for n, line in enumerate(lines)
        if line
    ]
    return "\n\n".join([f"# {_escaped(title)}", *blocks]) + "\n"


def heading_levels(lines: Sequence[str], headings: Sequence[Heading]) -> dict[int, int]:
    """Heading levels by line number; only the title has level 1."""
    places: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        places.setdefault(line, []).append(place)
    found: dict[int, int] = {}
    last = -1
    for heading in headings:
        there = places.get(heading.text, [])
        index = bisect_right(there, last)
        if index < len(there):
            last = there[index]
            found[last] = max(2, heading.level)
    return found


def _escaped(text: str) -> str:
    escaped = INLINE_MARKUP_PATTERN.sub(lambda found: f"\\{found.group()}", " ".join(text.split()))
    return BLOCK_MARKUP_PATTERN.sub(_escaped_start, escaped)


def _escaped_start(found: re.Match[str]) -> str:
    start = found.group()
    return f"{start}\\" if start.isdigit() else f"\\{start}"
