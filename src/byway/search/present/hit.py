"""Hit builder: title, snippet, headings and match counts of a result."""

from collections.abc import Callable

from byway.core.model import Document, Hit, Signal, UrlId
from byway.core.ports import DocumentStore
from byway.products.record import PRODUCT_ATTRIBUTE
from byway.search.present.match_locations import (
    best_headings,
    find_in_headings,
    match_counts,
    match_positions,
)
from byway.search.present.snippet import HighlightedText, snippet, snippet_from_matches
from byway.search.present.snippet_terms import SnippetTerms
from byway.search.present.term_locator import TermMatches, find_terms, scanned_text


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
        """The hit of a page; None if the page is gone. `more_from_host` hits were demoted.

        `terms_in_language` returns the snippet terms for a page in a language.
        """
        document = self._documents.get(id)
        if document is None:
            return None
        snippet_terms = terms_in_language(document.language)
        matches = find_terms(scanned_text(document.text), snippet_terms.terms, document.language)
        headings = find_in_headings(document, snippet_terms.terms)
        product = document.attributes.get(PRODUCT_ATTRIBUTE)
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
            product=product if isinstance(product, dict) else {},
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
