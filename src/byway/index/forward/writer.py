"""Forward index writer: appends terms, then points the documents' rows to them.

The row of a document is written once its terms are on disk. Until then, searches see the previous
version, and a crash only leaves some terms behind that no row points to.
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
from byway.index.forward.reader import OFFSETS_FILE, ROW_DTYPE, TERMS_FILE

MAX_BODY_TERMS = 32_768
"""Maximum number of body terms kept: later ones rarely matter for ranking."""
MAX_FIELD_TERMS = 4096
"""Maximum number of terms kept for any other field."""
WRITE_BUFFER_BYTES = 1 << 18
BYTES_PER_TERM = 4

MAX_TERMS_BY_FIELD = np.array(
    [MAX_BODY_TERMS if name == "body" else MAX_FIELD_TERMS for name in FIELDS]
)
HEADER_FORMAT = f"<{len(FIELDS)}I"


class ForwardWriter:
    """Appends documents; `sync` makes them durable and visible."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._terms = (folder / TERMS_FILE).open("ab", buffering=WRITE_BUFFER_BYTES)
        self._end = self._terms.tell()
        padding = bytes(-self._end % BYTES_PER_TERM)  # a crash may have truncated a term
        self._end += self._terms.write(padding)
        self._offsets = os.open(folder / OFFSETS_FILE, os.O_RDWR | os.O_CREAT, 0o644)
        self._offsets_size = os.fstat(self._offsets).st_size
        self._rows: dict[UrlId, bytes] = {}

    def add(self, id: UrlId, analyzed: AnalyzedDocument) -> None:
        """Append the terms of one document."""
        lengths, codes = analyzed.field_lengths, analyzed.codes
        if max(lengths) > MAX_FIELD_TERMS:
            starts = np.cumsum([0, *lengths])
            lengths = np.minimum(lengths, MAX_TERMS_BY_FIELD).tolist()
            codes = np.concatenate(
                [codes[start : start + n] for start, n in zip(starts, lengths, strict=False)]
            )
        start = self._end
        self._end += self._terms.write(pack(HEADER_FORMAT, *lengths))
        self._end += self._terms.write(codes.data)
        self._rows[id] = pack("<qq", start // BYTES_PER_TERM, (self._end - start) // BYTES_PER_TERM)

    def has(self, id: UrlId) -> bool:
        """Whether a document with this id was ever added."""
        offset = id * ROW_DTYPE.itemsize
        if id in self._rows or offset >= self._offsets_size:
            return id in self._rows
        return any(os.pread(self._offsets, ROW_DTYPE.itemsize, offset))

    def sync(self) -> None:
        """Make all additions durable and visible."""
        self._terms.flush()
        os.fsync(self._terms.fileno())
        for id, rows in _adjacent_rows(self._rows):
            os.pwrite(self._offsets, rows, id * ROW_DTYPE.itemsize)
            self._offsets_size = max(self._offsets_size, id * ROW_DTYPE.itemsize + len(rows))
        self._rows.clear()
        os.fsync(self._offsets)

    def erase(self, ids: Iterable[UrlId]) -> None:
        """Overwrite the terms of removed documents with zeros; return once that is durable.

        A search that still has such a document as a candidate finds no words in it.
        """
        rows = (os.pread(self._offsets, ROW_DTYPE.itemsize, id * ROW_DTYPE.itemsize) for id in ids)
        spans = [unpack("<qq", row) for row in rows if len(row) == ROW_DTYPE.itemsize]
        with (self._folder / TERMS_FILE).open("r+b") as terms:  # since self._terms is append-only
            for start, length in spans:
                if len(FIELDS) < length <= self._end // BYTES_PER_TERM - start:
                    terms.seek((start + len(FIELDS)) * BYTES_PER_TERM)
                    terms.write(bytes((length - len(FIELDS)) * BYTES_PER_TERM))
            terms.flush()
            os.fsync(terms.fileno())

    def close(self) -> None:
        """Close the files; unsynced additions are dropped."""
        self._terms.close()
        os.close(self._offsets)


def _adjacent_rows(rows: Mapping[UrlId, bytes]) -> Iterator[tuple[UrlId, bytes]]:
    """Rows of consecutive ids, joined to save system calls."""
    ids = sorted(rows)
    starts = [n for n, id in enumerate(ids) if not n or id != ids[n - 1] + 1]
    for start, end in pairwise((*starts, len(ids))):
        yield ids[start], b"".join(rows[id] for id in ids[start:end])
