"""Which pages may answer, and what does the index know of each? Columns, a row for each page."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from byway.core.fields import FIELDS

Ids = NDArray[np.int64]
Floats = NDArray[np.float64]


def empty_ids() -> Ids:
    """Of no page."""
    return np.zeros(0, np.int64)


def _none() -> Floats:
    return np.zeros(0)


def _nowhere() -> NDArray[np.float32]:
    return np.zeros((0, len(FIELDS), 0), np.float32)


def _no_lengths() -> NDArray[np.int32]:
    return np.zeros((0, len(FIELDS)), np.int32)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Pages that may answer, as columns: row `n` of each belongs to `ids[n]`."""

    ids: Ids
    index_score: Floats
    """What the words alone say: the index's own score."""
    shortest_window: Floats
    """How many words the shortest stretch with all the question's words spans; inf: none has."""
    title_coverage: Floats
    """The share of the question's words that are in the title."""
    total: int
    """How many pages match in all."""
    term_counts: NDArray[np.float32] = field(default_factory=_nowhere)
    """[page, field, word]: how often each of `question.words` stands in each of FIELDS.

    Where it is spelt otherwise than typed, and pages have what was, it is its weight once, however
    often: who types rpad does not mean read.
    """
    field_lengths: NDArray[np.int32] = field(default_factory=_no_lengths)
    """[page, field]: how many words each field has."""
    phrase_matches: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((0, len(FIELDS)), "f4")
    )
    """[page, field]: 1 where the words stand side by side as they were typed."""
    adjacent_pairs: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), "f4"))
    """[page, n]: how often word n of the question is followed at once by the next, in the text."""
    near_pairs: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), "f4"))
    """[page, n]: how often the two stand within a few words, in any order, none between them."""
    piece_match: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((0, len(FIELDS)), "f4")
    )
    """[page, field]: how nearly one piece of a field, a heading say, is the question: 1 if it is.

    The share of the telling words that it has, as they were typed, times the share of it that was
    asked for. The text itself is no such piece.
    """
    first_position: Floats = field(default_factory=_none)
    """Which word of the text is the first that was asked for, from 0; inf: none is."""
    idf: Floats = field(default_factory=_none)
    """For each of `question.words`: ln(pages in all / pages that have it); near 0 for `the`."""
    average_text_length: float = 1.0
    """How many words the text of a page has on average, over all pages."""
    host_ids: Ids = field(default_factory=empty_ids)
    """A number for the host; pages with the same are of one host."""
    epoch_days: Ids = field(default_factory=empty_ids)
    """When it was published or changed, in days from 1970; 0: nobody knows."""
    duplicate_hashes: Ids = field(default_factory=empty_ids)
    """What the text says, as `likeness` has it; 0: nothing."""
    language_bits: Ids = field(default_factory=empty_ids)
    """Bits for the languages in which its words are read: its own, and those that all quote."""
    url_hashes: Ids = field(default_factory=empty_ids)
    """The hash of its URL."""
    canonical_hashes: Ids = field(default_factory=empty_ids)
    """The hash of the URL that the page itself calls its own; mostly it is that."""
