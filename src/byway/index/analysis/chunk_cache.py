"""What are the terms of documents, said fast? Chunks of texts are remembered with their terms.

The rules are those of `byway.core.text`, which is asked for each new chunk. The texts of documents
are then put together by compiled code, many times as fast as Python could.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from byway.core.text import TURKISH
from byway.index.analysis import chunk_table, compiled_counter, compiled_tokenizer
from byway.index.analysis.chunk_table import Numbers
from byway.index.analysis.chunk_terms import NUMBERS, Judged, meaning
from byway.index.analysis.compiled_simhash import Hashes
from byway.index.analysis.compiled_tokenizer import (
    FOLDS,
    TURKISH_FOLDS,
    UNFOLDS,
    Bytes,
    Places,
    Spans,
)
from byway.index.analysis.document_frequency import SMALLEST, Counted, Grown, grown

MOST = 600_000
"""Chunks that are remembered: then all are forgotten."""
MOST_BYTES = 12_000_000
"""Bytes of chunks, and of their terms: a word has ten, a text without spaces far more."""


ROOM = 1 << 20
"""Bytes of texts for which room is kept, 12 bytes for each and 8 for what comes out. Of 3,000 pages
of documentation none needed more: the longest text had 430 kB."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What the fields of documents are."""

    spelt: NDArray[np.bool_]
    """Which of them are spelt, and not only coded."""
    title: int
    body: int
    """In which of them words are counted."""
    starts: int
    """Which of them says how the lines of the body begin; it stands before the body."""


@dataclass(frozen=True, slots=True)
class Written:
    """A document as it is written: its texts, with a byte 0 behind each piece, and 1 each field."""

    text: bytes
    language: str
    counted: int
    """Bytes up to which its words are counted."""
    looked_at: int
    """Bytes of its body whose lines are looked at for how they begin; 0 if that is written."""


@dataclass(frozen=True, slots=True)
class Said:
    """What some documents say; the codes are good until the next are asked for."""

    spelt: bytes
    """Terms with spaces between, pieces on lines of their own, a mark behind each field."""
    codes: Numbers
    ends: list[list[int]]
    """For each field of each document: where it ends among the codes."""
    alike: list[int]
    """What each body is like."""


class Lexicon:
    """Chunks of texts in any language, with their terms and words."""

    def __init__(self, shape: Shape, counted: Counted, kept: Judged | None) -> None:
        self._shape = shape
        self._counted = counted
        self._kept = kept
        self._seed = np.uint64(secrets.randbits(64) | 1)  # who writes pages must not know it
        self._make_work_room()
        self._forget()

    def _make_work_room(self) -> None:
        self._spans: Spans = np.zeros((SMALLEST, 2), np.int32)
        self._chunks: NDArray[np.int32] = np.zeros(SMALLEST, np.int32)
        self._spelt: Bytes = np.zeros(1 << 16, np.uint8)
        self._coded: Numbers = np.zeros(SMALLEST, np.uint32)

    def _forget(self) -> None:
        self._size = 0
        self._table: Hashes = np.zeros((4 * SMALLEST, 2), np.uint64)
        self._rows: Numbers = np.zeros((SMALLEST, chunk_table.COLUMNS), np.uint32)
        self._keys: Bytes = np.zeros(16 * SMALLEST, np.uint8)
        self._said: Bytes = np.zeros(16 * SMALLEST, np.uint8)
        self._codes: Numbers = np.zeros(SMALLEST, np.uint32)
        self._words: Numbers = np.zeros(SMALLEST, np.uint32)

    def look_up(self, written: Sequence[Written]) -> Said:
        """What these documents say; their words are counted."""
        used = self._rows[self._size]
        if self._size > MOST or max(used[chunk_table.KEY], used[chunk_table.SAID]) > MOST_BYTES:
            self._forget()
        counted = np.full(len(written), -1, np.int64)
        known = self._size
        chunks = self._taken_apart(written, counted)
        if self._size > known:
            self._learn(known)
        self._count(chunks, counted)
        said = self._put_together(chunks, len(written))
        if max(len(self._spans), len(self._spelt) // 4) > ROOM:
            self._make_work_room()  # one long text is no reason to keep as much for all others
        return said

    def _count(self, chunks: NDArray[np.int32], until: Places) -> None:
        compiled_counter.count(
            chunks,
            len(self._shape.spelt),
            self._shape.title,
            self._shape.body,
            until,
            self._rows,
            self._words,
            self._counted.stamps,
            self._counted.counts,
            self._counted.stamp + 1,
        )
        self._counted.stamp += len(until)

    def _taken_apart(self, written: Sequence[Written], counted: Places) -> NDArray[np.int32]:
        """The numbers of all chunks; those that are new have no terms yet."""
        end = sum(len(one.text) for one in written)
        padding = bytes(compiled_tokenizer.PADDING + -end % 8)
        each = (
            one.text.translate(TURKISH_FOLDS if one.language == TURKISH else FOLDS)
            for one in written
        )
        folded = b"".join([*each, padding])
        most = end + compiled_tokenizer.MORE * len(written)
        if most > len(self._spans):
            self._spans = np.zeros((most, 2), np.int32)
            self._chunks = np.zeros(most, np.int32)
        text, eights = np.frombuffer(folded, np.uint8), np.frombuffer(folded, np.uint64)
        begins = accumulate((len(one.text) for one in written), initial=0)
        found = compiled_tokenizer.take_apart(
            text,
            eights,
            end,
            len(self._shape.spelt),
            self._shape.starts,
            np.array([one.looked_at for one in written], np.int64),
            np.array([begin + one.counted for begin, one in zip(begins, written, strict=False)]),
            self._spans,
            counted,
        )
        languages = np.array([NUMBERS.get(one.language, 0) for one in written], np.uint32)
        spans, chunks = self._spans[:found], self._chunks[:found]
        while not self._numbered(text, eights, spans, languages, chunks):
            self._make_room(end)
        return chunks

    def _numbered(
        self,
        text: Bytes,
        eights: Hashes,
        spans: Spans,
        languages: Numbers,
        chunks: NDArray[np.int32],
    ) -> bool:
        """Give all chunks their numbers; False if there was no room for all."""
        self._size, all_of_them = chunk_table.number(
            text,
            eights,
            spans,
            len(self._shape.spelt),
            languages,
            self._seed,
            self._table,
            self._rows,
            self._keys,
            self._size,
            chunks,
        )
        return all_of_them

    def _make_room(self, needed: int) -> None:
        """Let there be room for new chunks."""
        self._rows = grown(self._rows, self._size + SMALLEST)
        self._keys = grown(self._keys, int(self._rows[self._size, chunk_table.KEY]) + needed)
        if 4 * self._size > len(self._table):
            larger = np.zeros((2 * len(self._table), 2), np.uint64)
            chunk_table.move(self._table, larger, self._seed)
            self._table = larger

    def _learn(self, known: int) -> None:
        """Put down the terms and words of the chunks that are new."""
        new = self._rows[known + 1 : self._size + 1]
        start, end = self._rows[known, chunk_table.KEY], self._rows[self._size, chunk_table.KEY]
        written = self._keys[start:end].tobytes().translate(UNFOLDS).decode().split("\0")[:-1]
        found = meaning(written, new[:, chunk_table.LANGUAGE].tolist())
        terms, term_ends = found.terms_that(self._kept)
        words, word_ends = found.words_that(self._counted.counts_word)
        numbers = self._counted.numbers_of(words)
        spelt = " ".join(terms).encode().split(b" ") if terms else []
        codes = [*map(crc32, spelt)]
        said = b" ".join([*spelt, b""])
        longs = np.cumsum(np.fromiter((0, *map(len, spelt)), np.int64)) + np.arange(len(spelt) + 1)
        before = self._rows[known].astype(np.int64)
        new[:, chunk_table.SAID] = before[chunk_table.SAID] + longs[term_ends]
        new[:, chunk_table.CODE] = before[chunk_table.CODE] + term_ends
        new[:, chunk_table.WORD] = before[chunk_table.WORD] + word_ends
        self._said = _appended(self._said, before[chunk_table.SAID], np.frombuffer(said, np.uint8))
        self._codes = _appended(self._codes, before[chunk_table.CODE], np.array(codes, np.uint32))
        self._words = _appended(self._words, before[chunk_table.WORD], np.array(numbers, np.uint32))

    def _put_together(self, chunks: NDArray[np.int32], documents: int) -> Said:
        ends = np.zeros((documents, len(self._shape.spelt)), np.int64)
        alike = np.zeros(documents, np.int64)
        while True:
            out = compiled_counter.put_together(
                chunks,
                self._shape.spelt,
                self._shape.body,
                self._rows,
                self._said,
                self._codes,
                self._spelt,
                self._coded,
                ends,
                alike,
            )
            if out != compiled_counter.NO_ROOM:
                break
            self._spelt = np.zeros(2 * len(self._spelt), np.uint8)
            self._coded = np.zeros(2 * len(self._coded), np.uint32)
        spelt = self._spelt[:out].tobytes()
        return Said(spelt, self._coded[: ends[-1, -1]], ends.tolist(), alike.tolist())


def _appended(rows: Grown, end: int, more: Grown) -> Grown:
    """The rows with more behind that end, and some room."""
    rows = grown(rows, end + len(more) + compiled_counter.STRIDE)
    rows[end : end + len(more)] = more
    return rows
