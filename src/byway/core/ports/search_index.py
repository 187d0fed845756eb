"""Ports of the index: pages by their terms, the term dictionary, and suggestions.

Results of several shards can be merged: counts add up, scores are comparable, and whatever was
cut off is known by its limit.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from byway.core.model import Document, Sort, UrlId
from byway.core.model.candidates import Candidates, CollectionStatistics, Matches
from byway.core.model.query import ParsedQuery
from byway.core.ports.anchor_store import PageLinks


class SearchIndex(Protocol):
    """A full-text index of pages."""

    def add(
        self, documents: Iterable[Document], page_links: Mapping[UrlId, PageLinks] | None = None
    ) -> None:
        """Index these documents, replacing those with the same ids."""

    def remove(self, ids: Iterable[UrlId]) -> None: ...

    def commit(self, sequence: int) -> None:
        """Make all changes visible, and record that the index is current up to `sequence`."""

    def committed_sequence(self) -> int:
        """The sequence number of the last commit."""

    def statistics(self, terms: Iterable[str] = ()) -> CollectionStatistics:
        """Counts over all pages, with the document frequencies of these terms."""

    def matches(self, query: ParsedQuery, limit: int) -> Matches:
        """The best matching pages, without features."""

    def candidates(self, query: ParsedQuery, limit: int, sort: Sort = "relevance") -> Candidates:
        """The best or the newest matching pages, with all that ranking needs."""

    def facets(self, query: ParsedQuery) -> Mapping[str, Mapping[str, int]]:
        """The matching pages by site, language, type and year: all values with their counts."""


class FuzzyMatch(NamedTuple):
    """A word within some edit distance of another."""

    word: str
    distance: int
    page_count: int


class TermDictionary(Protocol):
    """The words of the pages, each with the number of pages that have it."""

    def fuzzy(self, word: str, max_distance: int) -> list[FuzzyMatch]:
        """Words within this edit distance: nearest first, then the most frequent."""

    def prefix(self, prefix: str, limit: int) -> dict[str, int]:
        """The most frequent words with this prefix."""

    def fuzzy_prefix(self, prefix: str, limit: int) -> dict[str, int]:
        """The most frequent words with this prefix up to one typo after the first letter."""

    def surface_forms(self, word: str) -> dict[str, int]:
        """The forms in which pages write a folded word, in lower case with accents."""


class Suggestion(NamedTuple):
    """A title that continues a prefix."""

    text: str
    is_inner: bool
    """Whether the prefix is at a later word of the title; such titles come last."""
    weight: float
    """By the sites and links that use the title; of others, the heaviest comes first."""


class Suggestions(Protocol):
    """Titles of pages by their beginnings."""

    def complete(self, prefix: str, limit: int) -> list[Suggestion]:
        """Titles in which some word and those after it have this prefix, best first."""

    def fuzzy_complete(self, prefix: str, limit: int) -> list[Suggestion]:
        """The same, up to one typo."""


@dataclass(frozen=True, slots=True)
class IndexPorts:
    """The three ports of one index."""

    index: SearchIndex
    dictionary: TermDictionary
    suggestions: Suggestions
