"""Match locations: headings with query terms, counts by field, positions in the text."""

from bisect import bisect_right
from itertools import accumulate
from urllib.parse import unquote

from byway.core.model import Document, Heading
from byway.core.text import terms
from byway.search.present.term_locator import SNIPPET_SCAN_CHARS, TermMatches, find_terms

MAX_HIT_HEADINGS = 3
MAX_SCANNED_HEADINGS = 200
"""Headings of a page that are searched; a page with more is a list of headings."""
MAX_MATCH_POSITIONS = 60


def find_in_headings(document: Document, wanted_terms: frozenset[str]) -> TermMatches:
    """Matches of the terms in the headings, joined by newlines."""
    headings = document.headings[:MAX_SCANNED_HEADINGS]
    joined = "\n".join(heading.text for heading in headings)[:SNIPPET_SCAN_CHARS]
    return find_terms(joined, wanted_terms, document.language)


def best_headings(document: Document, matches: TermMatches) -> tuple[Heading, ...]:
    """The headings with an anchor and the most terms, in the order of the page."""
    terms_by_heading: dict[int, set[str]] = {}
    ends = list(
        accumulate(len(heading.text) + 1 for heading in document.headings[:MAX_SCANNED_HEADINGS])
    )
    for term, start, _ in matches:
        terms_by_heading.setdefault(bisect_right(ends, start), set()).add(term)
    ranked = sorted(
        (-len(terms), place)
        for place, terms in terms_by_heading.items()
        # A heading that repeats the title adds nothing to the hit.
        if document.headings[place].anchor and document.headings[place].text != document.title
    )
    best = sorted(place for _, place in ranked[:MAX_HIT_HEADINGS])
    return tuple(document.headings[place] for place in best)


def match_positions(document: Document, matches: TermMatches) -> tuple[float, ...]:
    """Positions of the matches, as shares of the length of the text."""
    length = max(1, len(document.text))
    return tuple([round(start / length, 3) for _, start, _ in matches[:MAX_MATCH_POSITIONS]])


def match_counts(
    document: Document,
    wanted_terms: frozenset[str],
    heading_matches: TermMatches,
    text_matches: TermMatches,
) -> tuple[tuple[str, int], ...]:
    """Occurrences of the terms by field; fields without any are left out."""

    def count(text: str) -> int:
        return sum(map(wanted_terms.__contains__, terms(text, document.language)))

    counts = {
        "title": count(document.title),
        "url": count(unquote(document.url.partition("://")[2])),
        "headings": len(heading_matches),
        "description": count(document.description),
        "text": len(text_matches),
    }
    return tuple((name, count) for name, count in counts.items() if count)
