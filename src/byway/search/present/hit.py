"""Hit builder: title, snippet, headings and match counts of a result."""

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from urllib.parse import unquote

from byway.core.model import Document, Heading, Hit, Signal, UrlId
from byway.core.ports import DocumentStore
from byway.core.text import terms
from byway.search.present.snippet import (
    HighlightedText,
    SnippetTerms,
    snippet,
    snippet_from_matches,
)
from byway.search.present.term_locator import (
    SNIPPET_SCAN_CHARS,
    TermMatches,
    find_terms,
    scanned_text,
)

MAX_HIT_HEADINGS = 3
MAX_SCANNED_HEADINGS = 200
"""Headings searched per page; a page with more is a list of headings."""
MAX_MATCH_POSITIONS = 60


def find_in_headings(document: Document, wanted_terms: frozenset[str]) -> TermMatches:
    """Matches of the terms in the headings, joined by newlines."""
    headings = document.headings[:MAX_SCANNED_HEADINGS]
    joined = "\n".join(heading.text for heading in headings)[:SNIPPET_SCAN_CHARS]
    return find_terms(joined, wanted_terms, document.language)


def best_headings(document: Document, matches: TermMatches) -> tuple[Heading, ...]:
    """The headings with an anchor and the most terms, in page order."""
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
    """Positions of the matches, as fractions of the text length."""
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


class HitBuilder:
    """Builds hits from page ids."""

    def __init__(self, documents: DocumentStore, snippet_chars: int) -> None:
        self._documents = documents
        self._snippet_chars = snippet_chars

    def build(
        self,
        id: UrlId,
        terms_in_language: Callable[[str], SnippetTerms],
        score: float,
        signals: tuple[Signal, ...],
        more_from_host: int,
    ) -> Hit | None:
        """The hit for a page; None if the page is gone. `more_from_host` hits were demoted.

        `terms_in_language` returns the snippet terms for a page in a language.
        """
        document = self._documents.get(id)
        if document is None:
            return None
        snippet_terms = terms_in_language(document.language)
        matches = find_terms(scanned_text(document.text), snippet_terms.terms, document.language)
        headings = find_in_headings(document, snippet_terms.terms)
        return Hit(
            url=document.url,
            id=id,
            title=document.title or document.url,
            score=score,
            snippet=self._snippet(document, snippet_terms, matches),
            content_type=document.content_type,
            language=document.language,
            published=document.published,
            modified=document.modified,
            signals=signals,
            more_from_host=more_from_host,
            records=document.records,
            headings=best_headings(document, headings),
            match_counts=match_counts(document, snippet_terms.terms, headings, matches),
            match_positions=match_positions(document, matches),
        )

    def _snippet(
        self, document: Document, snippet_terms: SnippetTerms, matches: TermMatches
    ) -> HighlightedText:
        """A snippet of the text, or of the description if the text has none of the terms."""
        length, language = self._snippet_chars, document.language
        from_text = snippet_from_matches(document.text, snippet_terms, matches, length, language)
        if any(highlighted for _, highlighted in from_text) or not document.description:
            return from_text
        return snippet(document.description, snippet_terms.terms, length, language)
