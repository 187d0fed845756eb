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
from byway.index.analysis.document_analyzer import AnalyzedDocument
from byway.index.forward.reader import ROW_DTYPE

MAX_BODY_TERMS = 32_768
"""Terms of a text that are looked at: what stands later rarely decides."""
MAX_FIELD_TERMS = 4096
"""Terms of any other field."""
WRITE_BUFFER_BYTES = 1 << 18
"""Bytes that are written at once."""
BYTES_PER_TERM = 4
"""Bytes of a term."""

MAX_TERMS_BY_FIELD = np.array(
    [MAX_BODY_TERMS if name == "body" else MAX_FIELD_TERMS for name in FIELDS]
)
HEADER_FORMAT = f"<{len(FIELDS)}I"


class ForwardWriter:
    """Appends documents; `sync` makes them durable, and shows them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._terms = (folder / "forward.terms").open("ab", buffering=WRITE_BUFFER_BYTES)
        self._end = self._terms.tell()
        self._end += self._terms.write(
            bytes(-self._end % BYTES_PER_TERM)
        )  # a crash may have cut a term
        self._table = os.open(folder / "forward.table", os.O_RDWR | os.O_CREAT, 0o644)
        self._long = os.fstat(self._table).st_size
        self._rows: dict[UrlId, bytes] = {}

    def add(self, id: UrlId, analyzed: AnalyzedDocument) -> None:
        """Keep the terms of one document."""
        lengths, codes = analyzed.field_lengths, analyzed.codes
        if max(lengths) > MAX_FIELD_TERMS:
            starts = np.cumsum([0, *lengths])
            lengths = np.minimum(lengths, MAX_TERMS_BY_FIELD).tolist()
            codes = np.concatenate(
                [codes[a : a + b] for a, b in zip(starts, lengths, strict=False)]
            )
        begin = self._end
        self._end += self._terms.write(pack(HEADER_FORMAT, *lengths))
        self._end += self._terms.write(codes.data)
        self._rows[id] = pack("<qq", begin // BYTES_PER_TERM, (self._end - begin) // BYTES_PER_TERM)

    def has(self, id: UrlId) -> bool:
        """Was a document with this number ever added?"""
        here = id * ROW_DTYPE.itemsize
        if id in self._rows or here >= self._long:
            return id in self._rows
        return any(os.pread(self._table, ROW_DTYPE.itemsize, here))

    def sync(self) -> None:
        """Return when a power cut could no longer take anything back."""
        self._terms.flush()
        os.fsync(self._terms.fileno())
        for id, rows in _in_a_row(self._rows):
            os.pwrite(self._table, rows, id * ROW_DTYPE.itemsize)
            self._long = max(self._long, id * ROW_DTYPE.itemsize + len(rows))
        self._rows.clear()
        os.fsync(self._table)

    def erase(self, ids: Iterable[UrlId]) -> None:
        """Write zeros over the terms of documents that are no more; return when that is durable.

        Who still has such a document before them, for a moment, finds no word in it.
        """
        read = (os.pread(self._table, ROW_DTYPE.itemsize, id * ROW_DTYPE.itemsize) for id in ids)
        places = [unpack("<qq", row) for row in read if len(row) == ROW_DTYPE.itemsize]
        with (self._folder / "forward.terms").open("r+b") as terms:  # for _terms writes at its end
            for start, length in places:
                if len(FIELDS) < length <= self._end // BYTES_PER_TERM - start:
                    terms.seek((start + len(FIELDS)) * BYTES_PER_TERM)
                    terms.write(bytes((length - len(FIELDS)) * BYTES_PER_TERM))
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
