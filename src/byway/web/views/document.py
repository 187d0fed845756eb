"""Document view: headings and paragraphs with the query terms highlighted."""

import re
from collections.abc import Collection
from typing import NamedTuple

from byway.core.display import sanitize
from byway.core.markdown import heading_levels
from byway.core.model import Document
from byway.core.text import analyze_word, term_spans, tokenize

MAX_SHOWN_CHARS = 200_000
"""Maximum characters shown; longer text is truncated."""
MAX_HIGHLIGHT_WORDS = 32
OPERATOR_PATTERN = re.compile(r"(?<!\S)-?\w+:(\"[^\"]*\"|\S*)|(?<!\S)-(\"[^\"]*\"|\S+)")
"""Operators and excluded words of a query, which are not highlighted."""


class Passage(NamedTuple):
    """A paragraph, or a heading with `level` > 0, in pieces of text; True if highlighted."""

    level: int
    pieces: tuple[tuple[str, bool], ...]


def passages(document: Document, terms: Collection[str]) -> list[Passage]:
    """The passages of a document, up to a maximum length."""
    lines = document.text[:MAX_SHOWN_CHARS].split("\n")
    found = heading_levels(lines, document.headings)
    return [
        Passage(min(6, found.get(place, 0)), highlight(line, terms, document.language))
        for place, line in enumerate(lines)
        if sanitize(line)
    ]


def highlight_terms(query: str, language: str) -> frozenset[str]:
    """The terms of a query in a language."""
    typed = tokenize(OPERATOR_PATTERN.sub(" ", query))[:MAX_HIGHLIGHT_WORDS]
    return frozenset(
        term for word in typed for reading in analyze_word(word, [language]) for term in reading
    )


def highlight(text: str, terms: Collection[str], language: str) -> tuple[tuple[str, bool], ...]:
    """Split a text into pieces; True marks the pieces that are terms."""
    pieces: list[tuple[str, bool]] = []
    here = 0
    for term, start, end in term_spans(text, language) if terms else ():
        if term in terms and start >= here:
            pieces += [(sanitize(text[here:start], strip=False), False)] if start > here else []
            pieces.append((sanitize(text[start:end], strip=False), True))
            here = end
    rest = sanitize(text[here:], strip=False)
    return (*pieces, (rest, False)) if rest else tuple(pieces)
