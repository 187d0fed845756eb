"""In which languages do pages have a term? Where no page in one has it, it need not be looked for.

    spoken.table   for each code of a term, as far as there are rows: bits for languages;
                   then for each code in each language: bits for groups of its pages

Languages have the bits of `text.BITS`. Terms may share a row: what is not there is on no page, what
is there may be on some. Bits are set in place before the index is committed, and never taken back.
The groups tell what languages do not: three words may all be French, and on no page together.
"""

import os
from collections.abc import Collection, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from struct import Struct
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from byway.core.model import UrlId
from byway.core.model.query import ANY
from byway.core.text import BITS, OTHERS
from byway.index.disk.checksums import damaged
from byway.storage.durable import replacing, sync_folder

ROWS = 1 << 19
ROW = Struct("<Q")
GROUPS = 512
"""Of pages. With 64, four times as many words seem to stand on one page that do on none."""
WIDTH = GROUPS // 8
GROUPED_ROWS = 1 << 17
MASKS = {bit: crc32(language.encode()) for language, bit in BITS.items()}
"""What the codes of terms are mixed with, so that each language has rows of its own."""
GROUPED_FROM = ROWS * ROW.size
SIZE = GROUPED_FROM + GROUPED_ROWS * WIDTH
Table = np.memmap[tuple[int], np.dtype[np.uint8]]


class SpokenWriter:
    """Takes in what documents say; `sync` makes it durable."""

    def __init__(self, folder: Path, languages: Collection[str]) -> None:
        """`languages`: those of the documents that were taken in before."""
        self._path = folder / "spoken.table"
        self._languages = languages
        self._table: Table | None = None
        self._changed = False

    def add(self, id: UrlId, language: str, codes: NDArray[np.uint32]) -> None:
        """This document, in this language, has terms with these codes."""
        bit = BITS.get(language)
        if bit is None:
            return
        if self._table is None:
            self._table = self._opened()
        languages = self._table[:GROUPED_FROM].view(np.uint64)
        groups = self._table[GROUPED_FROM:].reshape(GROUPED_ROWS, WIDTH)
        byte, within = divmod(id % GROUPS, 8)
        languages[codes % ROWS] |= np.uint64(bit)
        groups[(codes ^ np.uint32(MASKS[bit])) % GROUPED_ROWS, byte] |= np.uint8(1 << within)
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
        elif self._path.stat().st_size != SIZE:
            raise damaged(self._path, "cut off")
        return np.memmap(self._path, np.uint8, "r+", shape=(SIZE,))

    def _make(self) -> None:
        with replacing(self._path) as file:
            # With room for all of it: to set a bit where there is none ends the process.
            os.posix_fallocate(file.fileno(), 0, SIZE)
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
        table = self._looked_at()
        bits = ANY
        for term in terms if table else ():
            bits &= ROW.unpack_from(table, crc32(term.encode()) % ROWS * ROW.size)[0]
        if len(terms) > 1 and table:
            lacking = (bit for bit in MASKS if bits & bit and not self.pages(terms, bit))
            bits &= ~sum(lacking)
        return bits | OTHERS  # of which nobody knows what they have

    def pages(self, terms: Sequence[str], language: int) -> int:
        """Bits for the groups of pages in this language of which one may have all of these."""
        table = self._looked_at()
        mask = MASKS[language]
        bits = ANY
        for term in terms if table else ():
            row = (crc32(term.encode()) ^ mask) % GROUPED_ROWS
            start = GROUPED_FROM + row * WIDTH
            bits &= int.from_bytes(table[start : start + WIDTH], "little")
        return bits

    def _looked_at(self) -> mmap | bytes:
        table = self._table  # looked at once, since another thread may renew it meanwhile
        if table is None:
            table = self._table = self._opened()
        return table

    def _opened(self) -> mmap | bytes:
        """Nothing, as long as no page is in a language with a stemmer of its own."""
        try:
            with self._path.open("rb") as file:
                table = mmap(file.fileno(), 0, access=ACCESS_READ)
        except FileNotFoundError:
            return b""
        except ValueError as error:  # it is empty
            raise damaged(self._path, str(error)) from error
        if len(table) != SIZE:
            raise damaged(self._path, "cut off")
        return table
