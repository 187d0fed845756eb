"""Search index port: documents by their terms, facets, and the term dictionary."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from byway.core.model import Document, Sort, UrlId
from byway.core.model.candidates import Candidates, Ids
from byway.core.model.query import ParsedQuery
from byway.core.ports.anchor_store import PageLinks

Facets = Mapping[str, tuple[tuple[str, int], ...]]


class SearchIndex(Protocol):
    """Documents, found by their words."""

    def add(
        self, documents: Iterable[Document], page_links: Mapping[UrlId, PageLinks] | None = None
    ) -> None:
        """Make these findable, in place of what stood under their numbers."""

    def remove(self, ids: Iterable[UrlId]) -> None: ...

    def commit(self, sequence: int) -> None:
        """Show everything added so far; remember that the index is up to date until there."""

    def documents_to_reindex(self, limit: int) -> list[UrlId]:
        """Some of the documents that would be found faster if they were added again."""

    def committed_sequence(self) -> int:
        """The sequence number of the last commit."""

    def count(self) -> int:
        """How many documents can be found."""

    def candidates(
        self,
        query: ParsedQuery,
        limit: int,
        only_id: UrlId | None = None,
        sort: Sort = "relevance",
    ) -> Candidates:
        """The most promising pages, best first; with `only_id`, that page if it matches at all."""

    def top_ids(self, query: ParsedQuery, limit: int) -> Ids:
        """The most promising pages, best first, for those who ask nothing else about them."""

    def facets(self, query: ParsedQuery, limit: int) -> Facets:
        """How many matching pages each site, language, type and year has, the most first."""

    def languages(self) -> tuple[str, ...]:
        """The languages that documents are in, the most frequent first."""

    def attributes(self) -> frozenset[str]:
        """The names of the attributes that documents have."""

    def document_frequency(self, terms: Sequence[str]) -> int:
        """About how many documents have the rarest of these terms."""

    def languages_with(self, terms: Sequence[str]) -> int:
        """The bits, as in `text.BITS`, of all languages in which documents have these terms.

        There may be more of them than that, but never fewer.
        """

    def document_frequency_in(self, language: int, terms: Sequence[str]) -> int:
        """Bits for the documents in this language that have these terms, or for groups of them.

        Where the bits of several words have none in common, no document has all of those.
        """

    def fuzzy_matches(self, word: str, max_distance: int) -> list[tuple[str, int, int]]:
        """Words of the documents that are spelt like this one, but for `max_distance` letters.

        Each comes with its distance and with how many documents have it, the nearest first.
        """

    def prefix_matches(self, prefix: str, limit: int) -> list[str]:
        """Words of the documents that begin like this, the most frequent first."""

    def expand_prefix(self, prefix: str, limit: int) -> list[str]:
        """The same, soon; documents that had some of them may be gone."""

    def fuzzy_prefix_matches(self, prefix: str, limit: int) -> list[str]:
        """Words that begin like this, but for one slip behind the first letter."""

    def surface_form(self, word: str) -> str:
        """One of these words as most documents write it, in small letters, with its accents."""

    def complete_title(self, prefix: str, limit: int) -> list[str]:
        """What pages are called, where a word and what follows begins like this; best first."""

    def fuzzy_complete_title(self, prefix: str, limit: int) -> list[str]:
        """The same, but for one slip."""
