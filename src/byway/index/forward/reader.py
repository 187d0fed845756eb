"""The forward file: the terms of each document in order, for what tantivy cannot tell.

    forward.terms   for each document: how long each field is, then uint32 codes of all its terms
    forward.table   for each URL number: where its document starts, and how long it is

Both are memory-mapped by readers; `writer` fills them.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from byway.core.fields import FIELDS
from byway.core.model.candidates import Ids
from byway.core.model.query import TermClause
from byway.index.disk.checksums import damaged_file_error
from byway.index.forward.position_features import Codes, PositionFeatures, compute_position_features

ROW_DTYPE = np.dtype([("start", "<i8"), ("length", "<i8")])


class ForwardReader:
    """Looks documents' terms up by number."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._terms: Codes = np.zeros(0, np.uint32)
        self._table: NDArray[np.void] = np.zeros(0, ROW_DTYPE)

    def refresh(self) -> None:
        """See what was added since."""
        terms, table = self._folder / "forward.terms", self._folder / "forward.table"
        with suppress(FileNotFoundError):  # not made yet, or deleted since another took its place
            rows, codes = table.stat().st_size // ROW_DTYPE.itemsize, terms.stat().st_size // 4
            if not codes or not rows:  # an empty file cannot be mapped
                return
            # As plain arrays over the map: slices of a memmap are ten times as slow to make.
            if rows != len(self._table):
                self._table = np.asarray(np.memmap(table, ROW_DTYPE, "r"))
            if codes != len(self._terms):
                self._terms = np.asarray(np.memmap(terms, np.uint32, "r"))

    def position_features(
        self, ids: Ids, words: Sequence[TermClause], language_bits: Ids
    ) -> PositionFeatures:
        """Where these words stand in these documents, each as it is read in what they speak."""
        codes, lengths = self._gathered(ids)
        return compute_position_features(codes, lengths, words, language_bits)

    def _gathered(self, ids: Ids) -> tuple[Codes, NDArray[np.int32]]:
        """All the codes of these documents in a row, and how long each field of each is."""
        known = ids < len(self._table)
        rows = np.zeros(len(ids), ROW_DTYPE)
        rows[known] = self._table[ids[known]]
        starts, ends = rows["start"], rows["start"] + rows["length"]
        # A row of a file that is shorter than it was is as good as not there.
        there = (rows["length"] >= len(FIELDS)) & (ends <= len(self._terms)) & (starts >= 0)
        starts, ends = starts[there] + len(FIELDS), ends[there]
        lengths = np.zeros((len(ids), len(FIELDS)), np.int32)
        lengths[there] = self._terms[starts[:, None] - np.arange(len(FIELDS), 0, -1)]
        both = zip(starts.tolist(), ends.tolist(), strict=True)
        pieces = [self._terms[start:end] for start, end in both]
        if lengths.sum(dtype=np.int64) != sum(map(len, pieces)) or lengths.min(initial=0) < 0:
            raise damaged_file_error(self._folder / "forward.terms", "lengths that do not add up")
        return np.concatenate(pieces) if pieces else np.zeros(0, np.uint32), lengths
