"""The forward file: the terms of each document in order, for what tantivy cannot tell.

    forward.terms   uint32 codes of terms: title, then text, document after document
    forward.table   for each URL number: where its codes start, and how many of each there are

Both are memory-mapped by readers. A document that is added again gets new codes at the end and
its row is overwritten, so a crash in between costs nothing that the next commit does not mend.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from byway.model import UrlId
from byway.ports import Floats, Ids

ROW = np.dtype([("start", np.int64), ("title", np.int32), ("text", np.int32)])
LOOKED_AT = 4096
"""Terms of a text that are looked at for windows: what stands later rarely decides."""
STRIDE = 1 << 20
"""More than the positions of any document, so that those of two never touch."""

Codes = NDArray[np.uint32]


class _Coded(dict[str, int]):
    """The code of each term, remembered."""

    def __missing__(self, term: str) -> int:
        if len(self) > 500_000:
            self.clear()
        code = self[term] = crc32(term.encode())
        return code


_coded = _Coded()


def codes_of(terms: Iterable[str]) -> Codes:
    """Terms as numbers. Two terms in four billion share one, which a ranking can bear."""
    return np.array([_coded[term] for term in terms], np.uint32)


class ForwardWriter:
    """Appends documents; `sync` makes them durable."""

    def __init__(self, folder: Path) -> None:
        self._terms = (folder / "forward.terms").open("ab")
        self._table = os.open(folder / "forward.table", os.O_RDWR | os.O_CREAT, 0o644)

    def add(self, id: UrlId, title: Sequence[str], text: Sequence[str]) -> None:
        """Keep the terms of one document."""
        row = np.array([(self._terms.tell() // 4, len(title), len(text))], ROW)
        self._terms.write(codes_of(title).tobytes())
        self._terms.write(codes_of(text).tobytes())
        os.pwrite(self._table, row.tobytes(), id * ROW.itemsize)

    def sync(self) -> None:
        """Return when a power cut could no longer take anything back."""
        self._terms.flush()
        os.fsync(self._terms.fileno())
        os.fsync(self._table)

    def close(self) -> None:
        """Let go of the files."""
        self._terms.close()
        os.close(self._table)


class ForwardReader:
    """Looks documents' terms up by number."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._terms: Codes = np.zeros(0, np.uint32)
        self._table: NDArray[np.void] = np.zeros(0, ROW)

    def refresh(self) -> None:
        """See what was added since."""
        terms, table = self._folder / "forward.terms", self._folder / "forward.table"
        if not table.exists() or not terms.stat().st_size:
            return
        if table.stat().st_size // ROW.itemsize != len(self._table):
            self._table = np.memmap(table, ROW, "r")
        if terms.stat().st_size // 4 != len(self._terms):
            self._terms = np.memmap(terms, np.uint32, "r")

    def windows(self, ids: Ids, terms: Sequence[str]) -> Floats:
        """The length of the shortest stretch of each text that has all the terms; inf if none."""
        shortest = np.full(len(ids), np.inf)
        if len(terms) < 2 or not len(ids):
            return shortest
        rows = self._rows(ids)
        codes, owner, position = self._gathered(rows["start"] + rows["title"], rows["text"])
        which = np.zeros(len(codes), np.int8)
        for n, code in enumerate(codes_of(terms)):
            which[codes == code] = n + 1
        hits = np.flatnonzero(which)
        if not len(hits):
            return shortest
        which, owner = which[hits], owner[hits]
        base = owner * STRIDE
        place = base + position[hits]
        # At each hit: where did each term last occur? The earliest of these starts the window.
        starts = np.full(len(hits), np.iinfo(np.int64).max)
        for n in range(len(terms)):
            last = np.maximum.accumulate(np.where(which == n + 1, place, -1))
            starts = np.minimum(starts, last)
        spans = np.where(starts >= base, (place - starts + 1).astype(float), np.inf)
        np.minimum.at(shortest, owner, spans)
        return shortest

    def title_shares(self, ids: Ids, terms: Sequence[str]) -> Floats:
        """The share of the terms that each title has."""
        shares = np.zeros(len(ids))
        if not len(ids) or not terms:
            return shares
        rows = self._rows(ids)
        codes, owner, _ = self._gathered(rows["start"], rows["title"])
        for code in codes_of(terms):
            shares[np.unique(owner[codes == code])] += 1 / len(terms)
        return shares

    def _rows(self, ids: Ids) -> NDArray[np.void]:
        rows = np.zeros(len(ids), ROW)
        known = ids < len(self._table)
        rows[known] = self._table[ids[known]]
        behind = rows["start"] + rows["title"] + rows["text"] > len(self._terms)
        rows[behind] = 0
        return rows

    def _gathered(
        self, starts: NDArray[np.int64], lengths: NDArray[np.int32]
    ) -> tuple[Codes, Ids, Ids]:
        """The codes of many stretches in one array, each with its owner's row and its position."""
        lengths = np.minimum(lengths, LOOKED_AT)
        owner = np.repeat(np.arange(len(starts)), lengths)
        ends = np.cumsum(lengths)
        position = np.arange(int(lengths.sum())) - np.repeat(ends - lengths, lengths)
        return self._terms[np.repeat(starts, lengths) + position], owner, position
