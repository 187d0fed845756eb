"""Where in a page do the words occur? Its headings with them, and how often they stand where."""

from bisect import bisect_right
from itertools import accumulate
from urllib.parse import unquote

from byway.core.model import Document, Heading
from byway.core.text import terms
from byway.search.present.term_locator import LOOKED_AT, Found, places

MOST_HEADINGS = 3
LOOKED_THROUGH = 200
"""Headings of a page that are looked at; a page that has more is a list of them."""
MOST_SPOTS = 60


def in_headings(document: Document, wanted: frozenset[str]) -> Found:
    """Where the terms stand in the headings, one below the other."""
    each = document.headings[:LOOKED_THROUGH]
    said = "\n".join(heading.text for heading in each)[:LOOKED_AT]
    return places(said, wanted, document.language)


def headings_with(document: Document, found: Found) -> tuple[Heading, ...]:
    """The headings that can be linked to and have the most of what was found in them, in order."""
    had: dict[int, set[str]] = {}
    ends = list(accumulate(len(heading.text) + 1 for heading in document.headings[:LOOKED_THROUGH]))
    for term, start, _ in found:
        had.setdefault(bisect_right(ends, start), set()).add(term)
    each = ((-len(terms), place, document.headings[place]) for place, terms in had.items())
    # The title says it already.
    best = [one for one in each if one[2].anchor and one[2].text != document.title]
    return tuple(heading for _, _, heading in sorted(sorted(best)[:MOST_HEADINGS], key=_place))


def _place(found: tuple[int, int, Heading]) -> int:
    return found[1]


def spots_of(document: Document, found: Found) -> tuple[float, ...]:
    """Where in the text the terms stand, as shares of its length."""
    length = max(1, len(document.text))
    return tuple([round(start / length, 3) for _, start, _ in found[:MOST_SPOTS]])


def places_of(
    document: Document, wanted: frozenset[str], headings: Found, text: Found
) -> tuple[tuple[str, int], ...]:
    """How often the terms occur in each part of the page, those parts that have none left out."""

    def times(part: str) -> int:
        return sum(map(wanted.__contains__, terms(part, document.language)))

    counts = {
        "title": times(document.title),
        "url": times(unquote(document.url.partition("://")[2])),
        "headings": len(headings),
        "description": times(document.description),
        "text": len(text),
    }
    return tuple((name, count) for name, count in counts.items() if count)
