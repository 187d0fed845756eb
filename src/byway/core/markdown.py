"""How is a document shown as text? As Markdown: its title, and its headings in their places.

The text of a document has lines and knows no more of them, so all but headings are paragraphs.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence

from byway.core.model import Document, Heading

#: What would be an emphasis, a link, code or a tag.
INLINE_MARKUP_PATTERN = re.compile(r"[\\`*\[\]<]|(?<![^\W_])_|_(?![^\W_])")
#: What would make a line a heading, a quote, an item, a rule or a fence.
BLOCK_MARKUP_PATTERN = re.compile(
    r"^(#{1,6}(?=\s|$)|>|[-+](?=\s|$)|[-=~]{3,}|\d{1,9}(?=[.)](?:\s|$)))"
)


def as_markdown(document: Document) -> str:
    """A document as Markdown; nothing a page says becomes markup by itself."""
    title = document.title or document.url
    lines = document.text.split("\n")
    found = heading_levels(lines, document.headings)
    if lines[0] == title:
        lines[0] = ""
    shown = [
        f"{'#' * found[place]} {_line(line)}" if place in found else _line(line)
        for place, line in enumerate(lines)
        if line
    ]
    return "\n\n".join([f"# {_line(title)}", *shown]) + "\n"


def heading_levels(lines: Sequence[str], headings: Sequence[Heading]) -> dict[int, int]:
    """The levels of those lines that are headings; the title alone is of the first."""
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


def _line(text: str) -> str:
    escaped = INLINE_MARKUP_PATTERN.sub(lambda found: f"\\{found.group()}", " ".join(text.split()))
    return BLOCK_MARKUP_PATTERN.sub(_escaped_start, escaped)


def _escaped_start(found: re.Match[str]) -> str:
    start = found.group()
    return f"{start}\\" if start.isdigit() else f"\\{start}"
