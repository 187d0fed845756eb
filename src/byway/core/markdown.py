"""Converts documents to Markdown: title, headings and paragraphs.

The lines of a document have no other structure, so everything but headings is a paragraph.
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
    """A document as Markdown, with markup characters escaped."""
    title = document.title or document.url
    lines = document.text.split("\n")
    levels = heading_levels(lines, document.headings)
    if lines[0] == title:
        lines[0] = ""
    blocks = [
        f"{'#' * levels[n]} {_escape(line)}" if n in levels else _escape(line)
        for n, line in enumerate(lines)
        if line
    ]
    return "\n\n".join([f"# {_escape(title)}", *blocks]) + "\n"


def heading_levels(lines: Sequence[str], headings: Sequence[Heading]) -> dict[int, int]:
    """Heading levels by line number; only the title has level 1."""
    numbers_by_line: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        numbers_by_line.setdefault(line, []).append(number)
    levels: dict[int, int] = {}
    last = -1
    for heading in headings:
        line_numbers = numbers_by_line.get(heading.text, [])
        index = bisect_right(line_numbers, last)
        if index < len(line_numbers):
            last = line_numbers[index]
            levels[last] = max(2, heading.level)
    return levels


def _escape(text: str) -> str:
    escaped = INLINE_MARKUP_PATTERN.sub(lambda match: f"\\{match.group()}", " ".join(text.split()))
    return BLOCK_MARKUP_PATTERN.sub(_escape_start, escaped)


def _escape_start(match: re.Match[str]) -> str:
    start = match.group()
    return f"{start}\\" if start.isdigit() else f"\\{start}"
