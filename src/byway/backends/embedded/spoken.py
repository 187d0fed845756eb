"""In which languages do pages have a term? Where no page in one has it, it need not be looked for.

    spoken.table   for each code of a term, as far as there are rows: bits for languages

Those of `text.BITS`; terms may share a row. Bits are set in place before the index is committed,
and never taken back: what is not there is on no page, what is there may be on some.
"""

import os
from collections.abc import Collection, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from struct import Struct
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from byway.backends.embedded.damage import damaged
from byway.backends.embedded.durable import replacing, sync_folder
from byway.question import ANY
from byway.text import BITS

ROWS = 1 << 19
ROW = Struct("<Q")
OTHERS = 1
"""The bit of all languages without a stemmer of their own; nobody knows what they have."""
Table = np.memmap[tuple[int], np.dtype[np.uint64]]


class SpokenWriter:
    """Takes in what documents say; `sync` makes it durable."""

    def __init__(self, folder: Path, languages: Collection[str]) -> None:
        """`languages`: those of the documents that were taken in before."""
        self._path = folder / "spoken.table"
        self._languages = languages
        self._table: Table | None = None
        self._changed = False

    def add(self, language: str, codes: NDArray[np.uint32]) -> None:
        """A document in this language has terms with these codes."""
        bit = BITS.get(language)
        if bit is None:
            return
        if self._table is None:
            self._table = self._opened()
        self._table[codes % ROWS] |= np.uint64(bit)
        self._changed = True

    def sync(self) -> None:
        """Return when a power cut could no longer take anything back."""
        if self._table is not None and self._changed:
            self._table.flush()
            self._changed = False

    def _opened(self) -> Table:
        if not self._path.exists():
            if not BITS.keys().isdisjoint(self._languages):
                raise damaged(self._path, "it is gone")
            self._make()
        elif self._path.stat().st_size != ROWS * ROW.size:
            raise damaged(self._path, "cut off")
        return np.memmap(self._path, np.uint64, "r+", shape=(ROWS,))

    def _make(self) -> None:
        with replacing(self._path) as file:
            # With room for all of it: to set a bit where there is none ends the process.
            os.posix_fallocate(file.fileno(), 0, ROWS * ROW.size)
        sync_folder(self._path.parent)


class SpokenReader:
    """Tells for terms which languages may have them."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "spoken.table"
        self._table: mmap | bytes | None = None

    def renew(self) -> None:
        """Look at the file anew: it may be another one."""
        self._table = None

    def of(self, terms: Sequence[str]) -> int:
        """Bits for the languages in which a page may have all of these."""
        table = self._table  # looked at once, since another thread may renew it meanwhile
        if table is None:
            table = self._table = self._opened()
        bits = ANY
        for term in terms if table else ():
            bits &= ROW.unpack_from(table, crc32(term.encode()) % ROWS * ROW.size)[0]
        return bits | OTHERS

    def _opened(self) -> mmap | bytes:
        """Nothing, as long as no page is in a language with a stemmer of its own."""
        try:
            with self._path.open("rb") as file:
                table = mmap(file.fileno(), 0, access=ACCESS_READ)
        except FileNotFoundError:
            return b""
        except ValueError as error:  # it is empty
            raise damaged(self._path, str(error)) from error
        if len(table) != ROWS * ROW.size:
            raise damaged(self._path, "cut off")
        return table
