"""Forward index reader: each document's terms in order, since tantivy-py exposes no positions.

    forward.terms     for each document: the length of each field, then the uint32 term codes
    forward.offsets   for each URL id: the start and the length of its document in forward.terms

Readers map both files into memory; `writer` fills them.
"""

from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from byway.core.fields import FIELDS, Codes
from byway.core.model.candidates import Ids, Lengths
from byway.core.model.message import Damage
from byway.index.disk.checksums import damaged_file_error

TERMS_FILE, OFFSETS_FILE = "forward.terms", "forward.offsets"
ROW_DTYPE = np.dtype([("start", "<i8"), ("length", "<i8")])


class ForwardReader:
    """Looks up the terms of documents by URL id."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._terms: Codes = np.zeros(0, np.uint32)
        self._offsets: NDArray[np.void] = np.zeros(0, ROW_DTYPE)

    def refresh(self) -> None:
        """Map the files again if they have grown."""
        terms, offsets = self._folder / TERMS_FILE, self._folder / OFFSETS_FILE
        with suppress(FileNotFoundError):  # not written yet, or its generation was deleted
            rows, codes = offsets.stat().st_size // ROW_DTYPE.itemsize, terms.stat().st_size // 4
            if not codes or not rows:  # an empty file cannot be mapped
                return
            # Plain arrays over the map: slicing a memmap is ten times slower.
            if rows != len(self._offsets):
                self._offsets = np.asarray(np.memmap(offsets, ROW_DTYPE, "r"))
            if codes != len(self._terms):
                self._terms = np.asarray(np.memmap(terms, np.uint32, "r"))

    def read(self, ids: Ids) -> tuple[Codes, Lengths]:
        """The concatenated codes of these documents, and the length of each of their fields."""
        in_range = ids < len(self._offsets)
        rows = np.zeros(len(ids), ROW_DTYPE)
        rows[in_range] = self._offsets[ids[in_range]]
        starts, ends = rows["start"], rows["start"] + rows["length"]
        # A row that points beyond a truncated file counts as missing.
        valid = (rows["length"] >= len(FIELDS)) & (ends <= len(self._terms)) & (starts >= 0)
        starts, ends = starts[valid] + len(FIELDS), ends[valid]
        lengths = np.zeros((len(ids), len(FIELDS)), np.int32)
        lengths[valid] = self._terms[starts[:, None] - np.arange(len(FIELDS), 0, -1)]
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        pieces = [self._terms[start:end] for start, end in spans]
        if lengths.sum(dtype=np.int64) != sum(map(len, pieces)) or lengths.min(initial=0) < 0:
            raise damaged_file_error(self._folder / TERMS_FILE, Damage("bad_lengths"))
        return np.concatenate(pieces) if pieces else np.zeros(0, np.uint32), lengths
