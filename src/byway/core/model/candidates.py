"""Search candidates as columns, one row per page; features by position; collection statistics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from byway.core.fields import FIELDS, Codes
from byway.core.model.query import TermClause

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]
Lengths = NDArray[np.int32]
MIN_LANGUAGE_SHARE = 0.02
"""Minimum share of pages in a language for queries to be analyzed in it."""


def empty_ids() -> Ids:
    """An empty array of ids."""
    return np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class PositionFeatures:
    """Ranking features from query word positions, one row per page."""

    term_counts: NDArray[np.float32]
    """[page, field, word]: frequency of each of `ParsedQuery.words` in each of FIELDS.

    A spelling variant counts its weight once, however often it occurs, if the typed word has
    matches: `rpad` is not a typo of `read`.
    """
    field_lengths: Lengths
    """[page, field]: field length in words, plus one for each break between pieces."""
    adjacent_pairs: NDArray[np.float32]
    """[page, n]: how often query word n is directly followed by query word n + 1 in the text."""
    near_pairs: NDArray[np.float32]
    """[page, n]: how often these two words occur within a few words of each other, in any order."""
    shortest_window: Floats
    """Length in words of the shortest window with all query words; inf if there is none."""
    piece_match: NDArray[np.float32]
    """[page, field]: how closely the best piece of a field, such as a heading, matches the query.

    The share of content words that the piece contains as typed, times the share of the piece that
    is in the query; 1 if they are equal. The body has no such pieces.
    """
    first_position: Floats
    """Position of the first query word in the text, from 0; inf if there is none."""


NO_FEATURES = PositionFeatures(
    term_counts=np.zeros((0, len(FIELDS), 0), np.float32),
    field_lengths=np.zeros((0, len(FIELDS)), np.int32),
    adjacent_pairs=np.zeros((0, 0), np.float32),
    near_pairs=np.zeros((0, 0), np.float32),
    shortest_window=np.zeros(0),
    piece_match=np.zeros((0, len(FIELDS)), np.float32),
    first_position=np.zeros(0),
)
FeatureFunction = Callable[[Codes, Lengths, Sequence[TermClause]], PositionFeatures]
"""Computes the features of words in documents. Takes the concatenated codes of the documents, the
length of each field of each document, and the words."""


class Matches(NamedTuple):
    """Matching pages without features, best first."""

    ids: Ids
    scores: Floats
    """The retrieval score of the index."""
    total: int
    """Total number of matching pages."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidate pages as columns: row `n` of each column belongs to `ids[n]`."""

    ids: Ids
    index_score: Floats
    """The retrieval score of the index."""
    total: int
    """Total number of matching pages."""
    features: PositionFeatures = NO_FEATURES
    host_ids: Ids = field(default_factory=empty_ids)
    """Host ids."""
    epoch_days: Ids = field(default_factory=empty_ids)
    """Publication or modification dates, in days since 1970-01-01; 0 if unknown."""
    duplicate_hashes: Ids = field(default_factory=empty_ids)
    """Hashes of the texts from `simhash.duplicate_hash`; 0 for none."""
    url_hashes: Ids = field(default_factory=empty_ids)
    """Hashes of the URLs."""
    canonical_hashes: Ids = field(default_factory=empty_ids)
    """Hashes of the canonical URLs; usually equal to `url_hashes`."""


@dataclass(frozen=True, slots=True)
class CollectionStatistics:
    """Counts over all pages; the counts of all shards add up."""

    page_count: int = 0
    body_terms: int = 0
    """The total number of terms in all bodies."""
    languages: Mapping[str, int] = field(default_factory=dict)
    """The number of pages in each language."""
    attributes: frozenset[str] = frozenset()
    """The names of the indexed attributes."""
    document_frequencies: Mapping[str, int] = field(default_factory=dict)
    """The number of pages with each requested term; may include deleted pages."""

    @property
    def mean_body_terms(self) -> float:
        """The mean body length in terms, at least 1."""
        return max(1.0, self.body_terms / max(1, self.page_count))

    @property
    def frequent_languages(self) -> tuple[str, ...]:
        """The languages with at least `MIN_LANGUAGE_SHARE` of the pages, most frequent first."""
        pages = self.languages
        least = MIN_LANGUAGE_SHARE * sum(pages.values())
        frequent = [language for language, count in pages.items() if count >= least]
        return tuple(sorted(frequent, key=lambda language: (-pages[language], language)))

    def frequency(self, terms: Sequence[str]) -> int:
        """The document frequency of the rarest of these terms."""
        return min([self.document_frequencies[term] for term in terms], default=0)
