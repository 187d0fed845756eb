"""How is a page shown among the results? By its title, and the words around those asked for."""

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
    """Makes hits of the numbers of pages."""

    def __init__(self, documents: DocumentStore, snippet_chars: int) -> None:
        """`snippet_chars`: how long a snippet is, in letters."""
        self._documents = documents
        self._snippet_chars = snippet_chars

    def build(
        self,
        id: UrlId,
        snippet_terms: SnippetTerms,
        score: float,
        signals: tuple[Signal, ...],
        more_from_host: int,
    ) -> Hit | None:
        """A page; None if it is no more. `more_from_host`: hits of its host that it stands for."""
        document = self._documents.get(id)
        if document is None:
            return None
        found = find_terms(scanned_text(document.text), snippet_terms.terms, document.language)
        headings = find_in_headings(document, snippet_terms.terms)
        product = document.attributes.get(PRODUCT_ATTRIBUTE)
        return Hit(
            url=document.url,
            id=id,
            title=document.title or document.url,
            score=score,
            snippet=self._snippet(document, snippet_terms, found),
            content_type=document.content_type,
            language=document.language,
            published=document.published,
            modified=document.modified,
            signals=signals,
            more_from_host=more_from_host,
            product=product if isinstance(product, dict) else {},
            headings=best_headings(document, headings),
            match_counts=match_counts(document, snippet_terms.terms, headings, found),
            match_positions=match_positions(document, found),
        )

    def _snippet(
        self, document: Document, wanted: SnippetTerms, found: TermMatches
    ) -> HighlightedText:
        length, language = self._snippet_chars, document.language
        shown = snippet_from_matches(document.text, wanted, found, length, language)
        if any(marked for _, marked in shown) or not document.description:
            return shown
        return snippet(document.description, wanted.terms, length, language)
