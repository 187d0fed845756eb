"""Where in a page do the words occur? Its headings with them, and how often they stand where."""

from collections.abc import Collection
from urllib.parse import unquote

from byway.model import Document, Heading
from byway.search.finding import Found
from byway.text import terms

MOST_HEADINGS = 3
LOOKED_THROUGH = 200
"""Headings of a page that are looked at; a page that has more is a list of them."""
MOST_SPOTS = 60


def headings_with(document: Document, wanted: Collection[str]) -> tuple[Heading, ...]:
    """The headings that can be linked to and have the most of these terms, in their order."""
    found = []
    for place, heading in enumerate(document.headings[:LOOKED_THROUGH]):
        # The title says it already.
        if heading.anchor and heading.text != document.title:
            had = set(terms(heading.text, document.language)).intersection(wanted)
            found += [(-len(had), place, heading)] if had else []
    return tuple(heading for _, _, heading in sorted(sorted(found)[:MOST_HEADINGS], key=_place))


def _place(found: tuple[int, int, Heading]) -> int:
    return found[1]


def spots_of(document: Document, found: Found) -> tuple[float, ...]:
    """Where in the text the terms stand, as shares of its length."""
    length = max(1, len(document.text))
    return tuple(round(start / length, 3) for _, start, _ in found[:MOST_SPOTS])


def places_of(
    document: Document, wanted: Collection[str], in_text: int
) -> tuple[tuple[str, int], ...]:
    """How often the terms occur in each part of the page, those parts that have none left out."""
    headings = "\n".join(heading.text for heading in document.headings[:LOOKED_THROUGH])
    parts = {
        "title": document.title,
        "url": unquote(document.url.partition("://")[2]),
        "headings": headings,
        "description": document.description,
    }
    counts = {
        name: sum(term in wanted for term in terms(text, document.language))
        for name, text in parts.items()
    }
    return tuple((name, count) for name, count in (*counts.items(), ("text", in_text)) if count)
