"""How many documents have each word? Words have numbers, so that compiled code can count."""

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from byway.index.analysis.chunk_terms import TermPredicate

MIN_CAPACITY_ROWS = 1 << 14
"""Rows that there is room for from the first on."""

Numbers = NDArray[np.uint32]
GrowableArray = TypeVar("GrowableArray", NDArray[np.uint8], Numbers)


class DocumentFrequencyCounter:
    """Counts words, each once a document; `stamps` says for which document it was counted last."""

    def __init__(self, counts_word: TermPredicate) -> None:
        self.is_counted = counts_word
        """Is this one of the words that are counted?"""
        self._numbers: dict[str, int] = {}
        self.stamps: Numbers = np.zeros(MIN_CAPACITY_ROWS, np.uint32)
        self.counts: Numbers = np.zeros(MIN_CAPACITY_ROWS, np.uint32)
        self.stamp = 0

    def word_ids(self, words: Iterable[str]) -> list[int]:
        """The numbers of these words, which can be counted from now on."""
        numbers = self._numbers
        found = [numbers.setdefault(word, len(numbers)) for word in words]
        self.stamps = ensure_capacity(self.stamps, len(numbers))
        self.counts = ensure_capacity(self.counts, len(numbers))
        return found

    def drain(self) -> dict[str, int]:
        """What was counted since the last time."""
        some = np.flatnonzero(self.counts).tolist()
        names = list(self._numbers)
        found = {names[n]: int(self.counts[n]) for n in some}
        self.counts[:] = 0
        return found

    def __len__(self) -> int:
        return len(self._numbers)


def ensure_capacity(rows: GrowableArray, needed: int) -> GrowableArray:
    """The rows with room for so many."""
    if needed <= len(rows):
        return rows
    larger = np.zeros((2 * needed, *rows.shape[1:]), rows.dtype)
    larger[: len(rows)] = rows
    return larger
