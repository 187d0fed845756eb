"""How is the forward file filled? At its end; what was there before stays until all is durable.

The row of a document is written when its terms are on disk. So whoever searches meanwhile sees it
as it was, and a crash leaves some terms that nobody points to, and nothing else.
"""

import os
from pathlib import Path
from struct import pack

import numpy as np

from byway.backends.embedded.analysis import Analysed
from byway.backends.embedded.forward import ROW
from byway.fields import FIELDS
from byway.model import UrlId

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
        self._terms = (folder / "forward.terms").open("ab", buffering=BUFFER)
        self._end = self._terms.tell()
        self._end += self._terms.write(bytes(-self._end % CODE))  # a crash may have cut a term
        self._table = os.open(folder / "forward.table", os.O_RDWR | os.O_CREAT, 0o644)
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
        written = pack(HEAD, *lengths) + codes.tobytes()
        self._rows[id] = pack("<qq", self._end // CODE, len(written) // CODE)
        self._end += self._terms.write(written)

    def has(self, id: UrlId) -> bool:
        """Was a document with this number ever added?"""
        return id in self._rows or any(os.pread(self._table, ROW.itemsize, id * ROW.itemsize))

    def sync(self) -> None:
        """Return when a power cut could no longer take anything back."""
        self._terms.flush()
        os.fsync(self._terms.fileno())
        for id, row in self._rows.items():
            os.pwrite(self._table, row, id * ROW.itemsize)
        self._rows.clear()
        os.fsync(self._table)

    def close(self) -> None:
        """Let go of the files; what was not synced is forgotten."""
        self._terms.close()
        os.close(self._table)
