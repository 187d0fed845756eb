"""Search index port: documents by their terms, facets, and the term dictionary."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from byway.core.model import Document, Sort, UrlId
from byway.core.model.candidates import Candidates, Ids
from byway.core.model.query import ParsedQuery
from byway.core.ports.anchor_store import PageLinks

Facets = Mapping[str, tuple[tuple[str, int], ...]]


class SearchIndex(Protocol):
    """A full-text index with its term dictionary and autocomplete."""

    def add(
        self, documents: Iterable[Document], page_links: Mapping[UrlId, PageLinks] | None = None
    ) -> None:
        """Index these documents, replacing those with the same ids."""

    def remove(self, ids: Iterable[UrlId]) -> None: ...

    def commit(self, sequence: int) -> None:
        """Make all changes visible, and record that the index is current up to `sequence`."""

    def committed_sequence(self) -> int:
        """The sequence number of the last commit."""

    def count(self) -> int:
        """The number of indexed documents."""

    def candidates(
        self,
        query: ParsedQuery,
        limit: int,
        only_id: UrlId | None = None,
        sort: Sort = "relevance",
    ) -> Candidates:
        """The best candidates in order; with `only_id`, only that page if it matches."""

    def top_ids(self, query: ParsedQuery, limit: int) -> Ids:
        """The ids of the best candidates in order, without features."""

    def facets(self, query: ParsedQuery, limit: int) -> Facets:
        """Facet counts of the matching pages by site, language, type and year, highest first."""

    def languages(self) -> Mapping[str, int]:
        """The number of documents in each language."""

    def attributes(self) -> frozenset[str]:
        """The names of the indexed attributes."""

    def document_frequency(self, terms: Sequence[str]) -> int:
        """Approximate document frequency of the rarest of these terms."""

    def fuzzy_matches(self, word: str, max_distance: int) -> list[tuple[str, int, int]]:
        """Indexed words within this edit distance, nearest first.

        Each comes with its distance and its document frequency.
        """

    def prefix_matches(self, prefix: str, limit: int) -> list[str]:
        """Indexed words with this prefix, most frequent first."""

    def expand_prefix(self, prefix: str, limit: int) -> list[str]:
        """The same, faster; may include words of deleted documents."""

    def fuzzy_prefix_matches(self, prefix: str, limit: int) -> list[str]:
        """Indexed words with this prefix up to one typo after the first letter."""

    def surface_form(self, word: str) -> str:
        """The most frequent surface form of a folded word, in lower case with accents."""

    def complete_title(self, prefix: str, limit: int) -> list[str]:
        """Titles that have this prefix at the start of some word, best first."""

    def fuzzy_complete_title(self, prefix: str, limit: int) -> list[str]:
        """The same, up to one typo."""
