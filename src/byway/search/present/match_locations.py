"""Where in a page do the words occur? Its headings with them, and how often they stand where."""

from bisect import bisect_right
from itertools import accumulate
from urllib.parse import unquote

from byway.core.model import Document, Heading
from byway.core.text import terms
from byway.search.present.term_locator import SNIPPET_SCAN_CHARS, TermMatches, find_terms

MAX_HIT_HEADINGS = 3
MAX_SCANNED_HEADINGS = 200
"""Headings of a page that are looked at; a page that has more is a list of them."""
MAX_MATCH_POSITIONS = 60


def find_in_headings(document: Document, wanted_terms: frozenset[str]) -> TermMatches:
    """Where the terms stand in the headings, one below the other."""
    each = document.headings[:MAX_SCANNED_HEADINGS]
    said = "\n".join(heading.text for heading in each)[:SNIPPET_SCAN_CHARS]
    return find_terms(said, wanted_terms, document.language)


def best_headings(document: Document, matches: TermMatches) -> tuple[Heading, ...]:
    """The headings that can be linked to and have the most of what was found in them, in order."""
    had: dict[int, set[str]] = {}
    ends = list(
        accumulate(len(heading.text) + 1 for heading in document.headings[:MAX_SCANNED_HEADINGS])
    )
    for term, start, _ in matches:
        had.setdefault(bisect_right(ends, start), set()).add(term)
    each = ((-len(terms), place, document.headings[place]) for place, terms in had.items())
    # The title says it already.
    best = [one for one in each if one[2].anchor and one[2].text != document.title]
    return tuple(heading for _, _, heading in sorted(sorted(best)[:MAX_HIT_HEADINGS], key=_place))


def _place(found: tuple[int, int, Heading]) -> int:
    return found[1]


def match_positions(document: Document, matches: TermMatches) -> tuple[float, ...]:
    """Where in the text the terms stand, as shares of its length."""
    length = max(1, len(document.text))
    return tuple([round(start / length, 3) for _, start, _ in matches[:MAX_MATCH_POSITIONS]])


def match_counts(
    document: Document,
    wanted_terms: frozenset[str],
    heading_matches: TermMatches,
    text_matches: TermMatches,
) -> tuple[tuple[str, int], ...]:
    """How often the terms occur in each part of the page, those parts that have none left out."""

    def times(part: str) -> int:
        return sum(map(wanted_terms.__contains__, terms(part, document.language)))

    counts = {
        "title": times(document.title),
        "url": times(unquote(document.url.partition("://")[2])),
        "headings": len(heading_matches),
        "description": times(document.description),
        "text": len(text_matches),
    }
    return tuple((name, count) for name, count in counts.items() if count)
