"""Search candidates as columns: index scores and features, one row per page."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from byway.core.fields import FIELDS

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


def empty_ids() -> Ids:
    """An empty array of ids."""
    return np.zeros(0, np.int64)


def _empty_floats() -> Floats:
    return np.zeros(0)


def _empty_counts() -> NDArray[np.float32]:
    return np.zeros((0, len(FIELDS), 0), np.float32)


def _empty_lengths() -> NDArray[np.int32]:
    return np.zeros((0, len(FIELDS)), np.int32)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidate pages as columns: row `n` of each belongs to `ids[n]`."""

    ids: Ids
    index_score: Floats
    """The retrieval score of the index."""
    shortest_window: Floats
    """Length in words of the shortest window with all query words; inf if there is none."""
    total: int
    """Total number of matching pages."""
    term_counts: NDArray[np.float32] = field(default_factory=_empty_counts)
    """[page, field, word]: frequency of each of `ParsedQuery.words` in each of FIELDS.

    A spelling variant counts its weight once, however often it occurs, if the typed word has
    matches: `rpad` is not a typo of `read`.
    """
    field_lengths: NDArray[np.int32] = field(default_factory=_empty_lengths)
    """[page, field]: field length in words."""
    adjacent_pairs: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), "f4"))
    """[page, n]: how often query word n is directly followed by the next in the text."""
    near_pairs: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), "f4"))
    """[page, n]: how often the two occur within a few words of each other, in any order."""
    piece_match: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((0, len(FIELDS)), "f4")
    )
    """[page, field]: how closely the best piece of a field, such as a heading, matches the query.

    The share of the content words that the piece has as typed, times the share of the piece that
    is in the query; 1 if equal. The body has no such pieces.
    """
    first_position: Floats = field(default_factory=_empty_floats)
    """Position of the first query word in the text, from 0; inf if there is none."""
    idf: Floats = field(default_factory=_empty_floats)
    """For each of `ParsedQuery.words`: ln(all pages / pages with it); near 0 for `the`."""
    average_text_length: float = 1.0
    """Average text length in words, over all pages."""
    host_ids: Ids = field(default_factory=empty_ids)
    """Host numbers."""
    epoch_days: Ids = field(default_factory=empty_ids)
    """Days of publication or modification, in days since 1970-01-01; 0 if unknown."""
    duplicate_hashes: Ids = field(default_factory=empty_ids)
    """Hashes of the texts by `simhash.duplicate_hash`; 0 for none."""
    url_hashes: Ids = field(default_factory=empty_ids)
    """Hashes of the URLs."""
    canonical_hashes: Ids = field(default_factory=empty_ids)
    """Hashes of the canonical URLs; usually equal to `url_hashes`."""
