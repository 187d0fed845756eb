"""Bloom filter of the languages (and groups of pages) in which a term occurs.

    language_bloom.bin   a row of language bits for each term code, modulo the number of rows;
                         then a row of page-group bits for each term code and language

A query skips an analysis in a language whose pages cannot have its terms. Languages have the bits
of `text.LANGUAGE_BITS`. Terms may share a row: a bit that is not set means that no such page has
the term, a set one that some may have it. Bits are set in place before the index is committed, and
never cleared. Page groups tell more than languages: three words may all be French, but never occur
on one page.
"""

import os
from collections.abc import Collection, Sequence
from mmap import ACCESS_READ, mmap
from pathlib import Path
from struct import Struct
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from byway.core.files import atomic_write, sync_folder
from byway.core.model import UrlId
from byway.core.model.message import Damage
from byway.core.model.query import ALL_LANGUAGES
from byway.core.text import LANGUAGE_BITS, OTHER_LANGUAGES_BIT
from byway.index.disk.checksums import TRUNCATION, damaged_file_error

LANGUAGE_BLOOM_FILE = "language_bloom.bin"
LANGUAGE_ROWS = 1 << 19
LANGUAGE_ROW = Struct("<Q")
PAGE_GROUPS = 512
"""Groups of pages. With 64, four times as many word pairs wrongly seem to share a page."""
GROUP_ROW_BYTES = PAGE_GROUPS // 8
GROUP_ROWS = 1 << 17
LANGUAGE_MASKS = {bit: crc32(language.encode()) for language, bit in LANGUAGE_BITS.items()}
"""XORed with term codes, so that each language has rows of its own."""
GROUPS_OFFSET_BYTES = LANGUAGE_ROWS * LANGUAGE_ROW.size
TABLE_BYTES = GROUPS_OFFSET_BYTES + GROUP_ROWS * GROUP_ROW_BYTES
Table = np.memmap[tuple[int], np.dtype[np.uint8]]


class LanguageBloomWriter:
    """Adds the terms of documents; `sync` makes them durable."""

    def __init__(self, folder: Path, languages: Collection[str]) -> None:
        """`languages`: those of the documents that were added before."""
        self._path = folder / LANGUAGE_BLOOM_FILE
        self._languages = languages
        self._table: Table | None = None
        self._changed = False

    def add(self, id: UrlId, language: str, codes: NDArray[np.uint32]) -> None:
        """Add the term codes of a document in this language."""
        bit = LANGUAGE_BITS.get(language)
        if bit is None:
            return
        if self._table is None:
            self._table = self._open()
        languages = self._table[:GROUPS_OFFSET_BYTES].view(np.uint64)
        groups = self._table[GROUPS_OFFSET_BYTES:].reshape(GROUP_ROWS, GROUP_ROW_BYTES)
        byte, bit_in_byte = divmod(id % PAGE_GROUPS, 8)
        languages[codes % LANGUAGE_ROWS] |= np.uint64(bit)
        rows = (codes ^ np.uint32(LANGUAGE_MASKS[bit])) % GROUP_ROWS
        groups[rows, byte] |= np.uint8(1 << bit_in_byte)
        self._changed = True

    def sync(self) -> None:
        """Return when everything added would survive a power cut."""
        if self._table is not None and self._changed:
            self._table.flush()
            self._changed = False

    def _open(self) -> Table:
        if not self._path.exists():
            if not LANGUAGE_BITS.keys().isdisjoint(self._languages):
                raise damaged_file_error(self._path, Damage("missing"))
            self._create()
        elif self._path.stat().st_size != TABLE_BYTES:
            raise damaged_file_error(self._path, TRUNCATION)
        return np.memmap(self._path, np.uint8, "r+", shape=(TABLE_BYTES,))

    def _create(self) -> None:
        with atomic_write(self._path) as file:
            # Allocated in full: writing to a mapped page without disk space kills the process.
            os.posix_fallocate(file.fileno(), 0, TABLE_BYTES)
        sync_folder(self._path.parent)


class LanguageBloomReader:
    """Looks up which languages, and which groups of pages, may have some terms."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LANGUAGE_BLOOM_FILE
        self._table: mmap | bytes | None = None

    def refresh(self) -> None:
        """Open the file again at the next lookup: it may have been replaced."""
        self._table = None

    def languages_with(self, terms: Sequence[str]) -> int:
        """Bits of the languages in which a page may have all of these terms."""
        table = self._mapped()
        bits = ALL_LANGUAGES
        for term in terms if table else ():
            bits &= LANGUAGE_ROW.unpack_from(
                table, crc32(term.encode()) % LANGUAGE_ROWS * LANGUAGE_ROW.size
            )[0]
        if len(terms) > 1 and table:
            impossible = (
                bit
                for bit in LANGUAGE_MASKS
                if bits & bit and not self.page_groups_with(terms, bit)
            )
            bits &= ~sum(impossible)
        return bits | OTHER_LANGUAGES_BIT  # terms of other languages are not recorded

    def page_groups_with(self, terms: Sequence[str], language: int) -> int:
        """Bits of the page groups in this language of which a page may have all of these terms."""
        table = self._mapped()
        mask = LANGUAGE_MASKS[language]
        bits = ALL_LANGUAGES
        for term in terms if table else ():
            row = (crc32(term.encode()) ^ mask) % GROUP_ROWS
            start = GROUPS_OFFSET_BYTES + row * GROUP_ROW_BYTES
            bits &= int.from_bytes(table[start : start + GROUP_ROW_BYTES], "little")
        return bits

    def _mapped(self) -> mmap | bytes:
        table = self._table  # read once, since another thread may reset it
        if table is None:
            table = self._table = self._open()
        return table

    def _open(self) -> mmap | bytes:
        """The mapped file; empty while no page is in a language with a stemmer of its own."""
        try:
            with self._path.open("rb") as file:
                table = mmap(file.fileno(), 0, access=ACCESS_READ)
        except FileNotFoundError:
            return b""
        except ValueError as error:  # the file is empty
            raise damaged_file_error(self._path, error) from error
        if len(table) != TABLE_BYTES:
            raise damaged_file_error(self._path, TRUNCATION)
        return table
