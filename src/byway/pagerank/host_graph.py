"""Who speaks for whom among hosts, or sites? Many links from one to another are one vote."""

import numpy as np
from numpy.typing import NDArray

from byway.core.arrays import sorted_unique

Pairs = NDArray[np.int64]

EDGES_BEFORE_MERGE = 4_000_000
"""Votes that are kept before those that are there twice are thrown out."""


class HostGraph:
    """Takes links in chunks, and keeps one vote for each pair."""

    def __init__(self) -> None:
        self._chunks: list[Pairs] = []
        self._kept = 0

    def add(self, sources: NDArray[np.integer], targets: NDArray[np.integer]) -> None:
        """Take the votes in these links; nobody votes for himself."""
        between = sources != targets
        pairs = sources[between].astype(np.int64) << 32 | targets[between]
        self._chunks.append(sorted_unique(pairs))
        self._kept += len(self._chunks[-1])
        if self._kept > EDGES_BEFORE_MERGE:
            self._chunks = [self._merged()]
            # What remains is really different; wait until as much has come again.
            self._kept = 0

    def edges(self) -> tuple[Pairs, Pairs]:
        """Sources and targets of all votes."""
        pairs = self._merged()
        return pairs >> 32, pairs & 0xFFFFFFFF

    def _merged(self) -> Pairs:
        return sorted_unique(np.concatenate(self._chunks or [np.zeros(0, np.int64)]))
