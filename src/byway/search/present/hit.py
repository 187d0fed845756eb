"""How is a page shown among the results? By its title, and the words around those asked for."""

from byway.core.model import Document, Hit, Signal, UrlId
from byway.core.ports import DocumentStore
from byway.products.record import ATTRIBUTE
from byway.search.present.match_locations import headings_with, in_headings, places_of, spots_of
from byway.search.present.snippet import Pieces, snippet, snippet_of
from byway.search.present.snippet_terms import Wanted
from byway.search.present.term_locator import Found, looked_at, places


class Showing:
    """Makes hits of the numbers of pages."""

    def __init__(self, documents: DocumentStore, length: int) -> None:
        """`length`: how long a snippet is, in letters."""
        self._documents = documents
        self._length = length

    def hit(
        self,
        id: UrlId,
        wanted: Wanted,
        score: float,
        signals: tuple[Signal, ...],
        more: int,
    ) -> Hit | None:
        """A page; None if it is no more. `more`: hits of its host that it stands for."""
        document = self._documents.get(id)
        if document is None:
            return None
        found = places(looked_at(document.text), wanted.terms, document.language)
        headings = in_headings(document, wanted.terms)
        product = document.attributes.get(ATTRIBUTE)
        return Hit(
            url=document.url,
            id=id,
            title=document.title or document.url,
            score=score,
            snippet=self._snippet(document, wanted, found),
            content_type=document.content_type,
            language=document.language,
            published=document.published,
            modified=document.modified,
            signals=signals,
            more=more,
            product=product if isinstance(product, dict) else {},
            headings=headings_with(document, headings),
            places=places_of(document, wanted.terms, headings, found),
            spots=spots_of(document, found),
        )

    def _snippet(self, document: Document, wanted: Wanted, found: Found) -> Pieces:
        length, language = self._length, document.language
        shown = snippet_of(document.text, wanted, found, length, language)
        if any(marked for _, marked in shown) or not document.description:
            return shown
        return snippet(document.description, wanted.terms, length, language)
