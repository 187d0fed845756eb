"""Index ports: full-text search, the term dictionary, and suggestions.

Results of several shards can be merged: counts add up, and scores are comparable.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from byway.core.model import Document, Sort, UrlId
from byway.core.model.candidates import Candidates, CollectionStatistics, Matches
from byway.core.model.query import ParsedQuery, TermClause
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

    def matches(
        self,
        query: ParsedQuery,
        limit: int,
        sort: Sort = "relevance",
        word_weights: Sequence[float] | None = None,
    ) -> Matches:
        """The best or newest matching pages.

        `word_weights`: the share of each of `query.words` in the score; without it, all matching
        pages are equally good.
        """

    def candidates(self, words: Sequence[TermClause], matches: Matches) -> Candidates:
        """The pages that `matches` has found, with features of these words."""

    def facets(self, query: ParsedQuery) -> Mapping[str, Mapping[str, int]]:
        """Counts of matching pages for all values of site, language, type and year."""


def find_candidates(
    index: SearchIndex,
    query: ParsedQuery,
    limit: int,
    sort: Sort = "relevance",
    word_weights: Sequence[float] | None = None,
) -> Candidates:
    """The best or newest matching pages, with everything ranking needs.

    Without weights, all words of the query weigh the same.
    """
    if word_weights is None:
        word_weights = [1 / len(query.words) for _ in query.words]
    return index.candidates(query.words, index.matches(query, limit, sort, word_weights))


class FuzzyMatch(NamedTuple):
    """A word within a given edit distance of another."""

    word: str
    distance: int
    page_count: int


class TermDictionary(Protocol):
    """The words of all pages with their document frequencies."""

    def fuzzy(self, word: str, max_distance: int) -> list[FuzzyMatch]:
        """Words within this edit distance, nearest first, then by frequency."""

    def prefix(self, prefix: str, limit: int) -> dict[str, int]:
        """The most frequent words with this prefix."""

    def fuzzy_prefix(self, prefix: str, limit: int) -> dict[str, int]:
        """The most frequent words with this prefix, allowing one typo after the first letter."""

    def surface_forms(self, word: str) -> dict[str, int]:
        """The spellings of a folded word on pages, in lower case with accents."""


class Suggestion(NamedTuple):
    """A title that continues a prefix."""

    text: str
    is_inner: bool
    """Whether the prefix matches at a later word of the title; these titles come last."""
    weight: float
    """The weight, based on the sites and links that use the title; highest first in each group."""


class Suggestions(Protocol):
    """Page titles by prefix."""

    def complete(self, prefix: str, limit: int) -> list[Suggestion]:
        """Titles that contain this prefix at the start of any word, best first."""

    def fuzzy_complete(self, prefix: str, limit: int) -> list[Suggestion]:
        """Titles with this prefix, starting at any word, with one typo allowed."""


@dataclass(frozen=True, slots=True)
class IndexPorts:
    """The three ports of one index."""

    index: SearchIndex
    dictionary: TermDictionary
    suggestions: Suggestions
