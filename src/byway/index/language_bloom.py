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
from byway.core.model.query import ALL_LANGUAGES
from byway.core.text import LANGUAGE_BITS, OTHER_LANGUAGES_BIT
from byway.index.disk.checksums import damaged_file_error
from byway.storage.durable import atomic_write, sync_folder

LANGUAGE_ROWS = 1 << 19
LANGUAGE_ROW = Struct("<Q")
PAGE_GROUPS = 512
"""Of pages. With 64, four times as many words seem to stand on one page that do on none."""
GROUP_ROW_BYTES = PAGE_GROUPS // 8
GROUP_ROWS = 1 << 17
LANGUAGE_MASKS = {bit: crc32(language.encode()) for language, bit in LANGUAGE_BITS.items()}
"""What the codes of terms are mixed with, so that each language has rows of its own."""
GROUPS_OFFSET_BYTES = LANGUAGE_ROWS * LANGUAGE_ROW.size
TABLE_BYTES = GROUPS_OFFSET_BYTES + GROUP_ROWS * GROUP_ROW_BYTES
Table = np.memmap[tuple[int], np.dtype[np.uint8]]


class LanguageBloomWriter:
    """Takes in what documents say; `sync` makes it durable."""

    def __init__(self, folder: Path, languages: Collection[str]) -> None:
        """`languages`: those of the documents that were taken in before."""
        self._path = folder / "spoken.table"
        self._languages = languages
        self._table: Table | None = None
        self._changed = False

    def add(self, id: UrlId, language: str, codes: NDArray[np.uint32]) -> None:
        """This document, in this language, has terms with these codes."""
        bit = LANGUAGE_BITS.get(language)
        if bit is None:
            return
        if self._table is None:
            self._table = self._opened()
        languages = self._table[:GROUPS_OFFSET_BYTES].view(np.uint64)
        groups = self._table[GROUPS_OFFSET_BYTES:].reshape(GROUP_ROWS, GROUP_ROW_BYTES)
        byte, within = divmod(id % PAGE_GROUPS, 8)
        languages[codes % LANGUAGE_ROWS] |= np.uint64(bit)
        groups[(codes ^ np.uint32(LANGUAGE_MASKS[bit])) % GROUP_ROWS, byte] |= np.uint8(1 << within)
        self._changed = True

    def sync(self) -> None:
        """Return when a power cut could no longer take anything back."""
        if self._table is not None and self._changed:
            self._table.flush()
            self._changed = False

    def _opened(self) -> Table:
        if not self._path.exists():
            if not LANGUAGE_BITS.keys().isdisjoint(self._languages):
                raise damaged_file_error(self._path, "it is gone")
            self._make()
        elif self._path.stat().st_size != TABLE_BYTES:
            raise damaged_file_error(self._path, "cut off")
        return np.memmap(self._path, np.uint8, "r+", shape=(TABLE_BYTES,))

    def _make(self) -> None:
        with atomic_write(self._path) as file:
            # With room for all of it: to set a bit where there is none ends the process.
            os.posix_fallocate(file.fileno(), 0, TABLE_BYTES)
        sync_folder(self._path.parent)


class LanguageBloomReader:
    """Tells for terms which languages may have them."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "spoken.table"
        self._table: mmap | bytes | None = None

    def refresh(self) -> None:
        """Look at the file anew: it may be another one."""
        self._table = None

    def languages_with(self, terms: Sequence[str]) -> int:
        """Bits for the languages in which a page may have all of these."""
        table = self._looked_at()
        bits = ALL_LANGUAGES
        for term in terms if table else ():
            bits &= LANGUAGE_ROW.unpack_from(
                table, crc32(term.encode()) % LANGUAGE_ROWS * LANGUAGE_ROW.size
            )[0]
        if len(terms) > 1 and table:
            lacking = (
                bit
                for bit in LANGUAGE_MASKS
                if bits & bit and not self.page_groups_with(terms, bit)
            )
            bits &= ~sum(lacking)
        return bits | OTHER_LANGUAGES_BIT  # of which nobody knows what they have

    def page_groups_with(self, terms: Sequence[str], language: int) -> int:
        """Bits for the groups of pages in this language of which one may have all of these."""
        table = self._looked_at()
        mask = LANGUAGE_MASKS[language]
        bits = ALL_LANGUAGES
        for term in terms if table else ():
            row = (crc32(term.encode()) ^ mask) % GROUP_ROWS
            start = GROUPS_OFFSET_BYTES + row * GROUP_ROW_BYTES
            bits &= int.from_bytes(table[start : start + GROUP_ROW_BYTES], "little")
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
            raise damaged_file_error(self._path, str(error)) from error
        if len(table) != TABLE_BYTES:
            raise damaged_file_error(self._path, "cut off")
        return table
