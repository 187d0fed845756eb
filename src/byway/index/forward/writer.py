"""How is the forward file filled? At its end; what was there before stays until all is durable.

The row of a document is written when its terms are on disk. So whoever searches meanwhile sees it
as it was, and a crash leaves some terms that nobody points to, and nothing else.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from struct import pack, unpack

import numpy as np

from byway.core.fields import FIELDS
from byway.core.model import UrlId
from byway.index.analysis.document_analyzer import Analysed
from byway.index.forward.reader import ROW

LOOKED_AT = 32_768
"""Terms of a text that are looked at: what stands later rarely decides."""
MOST = 4096
"""Terms of any other field."""
BUFFER = 1 << 18
"""Bytes that are written at once."""
CODE = 4
"""Bytes of a term."""

CAPS = np.array([LOOKED_AT if name == "body" else MOST for name in FIELDS])
HEAD = f"<{len(FIELDS)}I"


class ForwardWriter:
    """Appends documents; `sync` makes them durable, and shows them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._terms = (folder / "forward.terms").open("ab", buffering=BUFFER)
        self._end = self._terms.tell()
        self._end += self._terms.write(bytes(-self._end % CODE))  # a crash may have cut a term
        self._table = os.open(folder / "forward.table", os.O_RDWR | os.O_CREAT, 0o644)
        self._long = os.fstat(self._table).st_size
        self._rows: dict[UrlId, bytes] = {}

    def add(self, id: UrlId, said: Analysed) -> None:
        """Keep the terms of one document."""
        lengths, codes = said.lengths, said.codes
        if max(lengths) > MOST:
            starts = np.cumsum([0, *lengths])
            lengths = np.minimum(lengths, CAPS).tolist()
            codes = np.concatenate(
                [codes[a : a + b] for a, b in zip(starts, lengths, strict=False)]
            )
        begin = self._end
        self._end += self._terms.write(pack(HEAD, *lengths))
        self._end += self._terms.write(codes.data)
        self._rows[id] = pack("<qq", begin // CODE, (self._end - begin) // CODE)

    def has(self, id: UrlId) -> bool:
        """Was a document with this number ever added?"""
        here = id * ROW.itemsize
        if id in self._rows or here >= self._long:
            return id in self._rows
        return any(os.pread(self._table, ROW.itemsize, here))

    def sync(self) -> None:
        """Return when a power cut could no longer take anything back."""
        self._terms.flush()
        os.fsync(self._terms.fileno())
        for id, rows in _in_a_row(self._rows):
            os.pwrite(self._table, rows, id * ROW.itemsize)
            self._long = max(self._long, id * ROW.itemsize + len(rows))
        self._rows.clear()
        os.fsync(self._table)

    def erase(self, ids: Iterable[UrlId]) -> None:
        """Write zeros over the terms of documents that are no more; return when that is durable.

        Who still has such a document before them, for a moment, finds no word in it.
        """
        read = (os.pread(self._table, ROW.itemsize, id * ROW.itemsize) for id in ids)
        places = [unpack("<qq", row) for row in read if len(row) == ROW.itemsize]
        with (self._folder / "forward.terms").open("r+b") as terms:  # for _terms writes at its end
            for start, length in places:
                if len(FIELDS) < length <= self._end // CODE - start:
                    terms.seek((start + len(FIELDS)) * CODE)
                    terms.write(bytes((length - len(FIELDS)) * CODE))
            terms.flush()
            os.fsync(terms.fileno())

    def close(self) -> None:
        """Let go of the files; what was not synced is forgotten."""
        self._terms.close()
        os.close(self._table)


def _in_a_row(rows: Mapping[UrlId, bytes]) -> Iterator[tuple[UrlId, bytes]]:
    """The rows of neighbours together, since each call of the system takes its time."""
    ids = sorted(rows)
    starts = [n for n, id in enumerate(ids) if not n or id != ids[n - 1] + 1]
    for start, end in pairwise((*starts, len(ids))):
        yield ids[start], b"".join(rows[id] for id in ids[start:end])
