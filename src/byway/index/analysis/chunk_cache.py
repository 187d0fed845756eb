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
from byway.index.analysis.chunk_terms import LANGUAGE_IDS, TermPredicate, analyze_chunks
from byway.index.analysis.compiled_simhash import Hashes
from byway.index.analysis.compiled_tokenizer import (
    FOLD_TABLE,
    TURKISH_FOLD_TABLE,
    UNFOLD_TABLE,
    Bytes,
    Offsets,
    Spans,
)
from byway.index.analysis.document_frequency import (
    MIN_CAPACITY_ROWS,
    DocumentFrequencyCounter,
    GrowableArray,
    ensure_capacity,
)

MAX_CHUNKS = 600_000
"""Chunks that are remembered: then all are forgotten."""
MAX_CHUNK_BYTES = 12_000_000
"""Bytes of chunks, and of their terms: a word has ten, a text without spaces far more."""


MAX_KEPT_BUFFER_BYTES = 1 << 20
"""Bytes of texts for which room is kept, 12 bytes for each and 8 for what comes out. Of 3,000 pages
of documentation none needed more: the longest text had 430 kB."""


@dataclass(frozen=True, slots=True)
class FieldLayout:
    """What the fields of documents are."""

    indexed_fields: NDArray[np.bool_]
    """Which of them are spelt, and not only coded."""
    title_field: int
    body_field: int
    """In which of them words are counted."""
    line_starts_field: int
    """Which of them says how the lines of the body begin; it stands before the body."""


@dataclass(frozen=True, slots=True)
class EncodedDocument:
    """A document as it is written: its texts, with a byte 0 behind each piece, and 1 each field."""

    text: bytes
    language: str
    counted_bytes: int
    """Bytes up to which its words are counted."""
    line_start_bytes: int
    """Bytes of its body whose lines are looked at for how they begin; 0 if that is written."""


@dataclass(frozen=True, slots=True)
class TokenizedBatch:
    """What some documents say; the codes are good until the next are asked for."""

    terms: bytes
    """Terms with spaces between, pieces on lines of their own, a mark behind each field."""
    codes: Numbers
    field_ends: list[list[int]]
    """For each field of each document: where it ends among the codes."""
    duplicate_hashes: list[int]
    """What each body is like."""


class ChunkCache:
    """Chunks of texts in any language, with their terms and words."""

    def __init__(
        self,
        layout: FieldLayout,
        frequencies: DocumentFrequencyCounter,
        keep_term: TermPredicate | None,
    ) -> None:
        self._shape = layout
        self._counted = frequencies
        self._kept = keep_term
        self._seed = np.uint64(secrets.randbits(64) | 1)  # who writes pages must not know it
        self._make_work_room()
        self._forget()

    def _make_work_room(self) -> None:
        self._spans: Spans = np.zeros((MIN_CAPACITY_ROWS, 2), np.int32)
        self._chunks: NDArray[np.int32] = np.zeros(MIN_CAPACITY_ROWS, np.int32)
        self._spelt: Bytes = np.zeros(1 << 16, np.uint8)
        self._coded: Numbers = np.zeros(MIN_CAPACITY_ROWS, np.uint32)

    def _forget(self) -> None:
        self._size = 0
        self._table: Hashes = np.zeros((4 * MIN_CAPACITY_ROWS, 2), np.uint64)
        self._rows: Numbers = np.zeros((MIN_CAPACITY_ROWS, chunk_table.COLUMN_COUNT), np.uint32)
        self._keys: Bytes = np.zeros(16 * MIN_CAPACITY_ROWS, np.uint8)
        self._said: Bytes = np.zeros(16 * MIN_CAPACITY_ROWS, np.uint8)
        self._codes: Numbers = np.zeros(MIN_CAPACITY_ROWS, np.uint32)
        self._words: Numbers = np.zeros(MIN_CAPACITY_ROWS, np.uint32)

    def tokenize(self, documents: Sequence[EncodedDocument]) -> TokenizedBatch:
        """What these documents say; their words are counted."""
        used = self._rows[self._size]
        if (
            self._size > MAX_CHUNKS
            or max(used[chunk_table.KEY_END], used[chunk_table.TERMS_END]) > MAX_CHUNK_BYTES
        ):
            self._forget()
        counted = np.full(len(documents), -1, np.int64)
        known = self._size
        chunks = self._taken_apart(documents, counted)
        if self._size > known:
            self._learn(known)
        self._count(chunks, counted)
        said = self._put_together(chunks, len(documents))
        if max(len(self._spans), len(self._spelt) // 4) > MAX_KEPT_BUFFER_BYTES:
            self._make_work_room()  # one long text is no reason to keep as much for all others
        return said

    def _count(self, chunks: NDArray[np.int32], until: Offsets) -> None:
        compiled_counter.count_document_frequencies(
            chunks,
            len(self._shape.indexed_fields),
            self._shape.title_field,
            self._shape.body_field,
            until,
            self._rows,
            self._words,
            self._counted.stamps,
            self._counted.counts,
            self._counted.stamp + 1,
        )
        self._counted.stamp += len(until)

    def _taken_apart(
        self, written: Sequence[EncodedDocument], counted: Offsets
    ) -> NDArray[np.int32]:
        """The numbers of all chunks; those that are new have no terms yet."""
        end = sum(len(one.text) for one in written)
        padding = bytes(compiled_tokenizer.PADDING_BYTES + -end % 8)
        each = (
            one.text.translate(TURKISH_FOLD_TABLE if one.language == TURKISH else FOLD_TABLE)
            for one in written
        )
        folded = b"".join([*each, padding])
        most = end + compiled_tokenizer.EXTRA_SPANS_PER_DOCUMENT * len(written)
        if most > len(self._spans):
            self._spans = np.zeros((most, 2), np.int32)
            self._chunks = np.zeros(most, np.int32)
        text, eights = np.frombuffer(folded, np.uint8), np.frombuffer(folded, np.uint64)
        begins = accumulate((len(one.text) for one in written), initial=0)
        found = compiled_tokenizer.find_chunks(
            text,
            eights,
            end,
            len(self._shape.indexed_fields),
            self._shape.line_starts_field,
            np.array([one.line_start_bytes for one in written], np.int64),
            np.array(
                [begin + one.counted_bytes for begin, one in zip(begins, written, strict=False)]
            ),
            self._spans,
            counted,
        )
        languages = np.array([LANGUAGE_IDS.get(one.language, 0) for one in written], np.uint32)
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
        self._size, all_of_them = chunk_table.assign_chunk_ids(
            text,
            eights,
            spans,
            len(self._shape.indexed_fields),
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
        self._rows = ensure_capacity(self._rows, self._size + MIN_CAPACITY_ROWS)
        self._keys = ensure_capacity(
            self._keys, int(self._rows[self._size, chunk_table.KEY_END]) + needed
        )
        if 4 * self._size > len(self._table):
            larger = np.zeros((2 * len(self._table), 2), np.uint64)
            chunk_table.rehash(self._table, larger, self._seed)
            self._table = larger

    def _learn(self, known: int) -> None:
        """Put down the terms and words of the chunks that are new."""
        new = self._rows[known + 1 : self._size + 1]
        start, end = (
            self._rows[known, chunk_table.KEY_END],
            self._rows[self._size, chunk_table.KEY_END],
        )
        written = self._keys[start:end].tobytes().translate(UNFOLD_TABLE).decode().split("\0")[:-1]
        found = analyze_chunks(written, new[:, chunk_table.LANGUAGE_COLUMN].tolist())
        terms, term_ends = found.filter_terms(self._kept)
        words, word_ends = found.filter_words(self._counted.is_counted)
        numbers = self._counted.word_ids(words)
        spelt = " ".join(terms).encode().split(b" ") if terms else []
        codes = [*map(crc32, spelt)]
        said = b" ".join([*spelt, b""])
        longs = np.cumsum(np.fromiter((0, *map(len, spelt)), np.int64)) + np.arange(len(spelt) + 1)
        before = self._rows[known].astype(np.int64)
        new[:, chunk_table.TERMS_END] = before[chunk_table.TERMS_END] + longs[term_ends]
        new[:, chunk_table.CODES_END] = before[chunk_table.CODES_END] + term_ends
        new[:, chunk_table.WORDS_END] = before[chunk_table.WORDS_END] + word_ends
        self._said = _appended(
            self._said, before[chunk_table.TERMS_END], np.frombuffer(said, np.uint8)
        )
        self._codes = _appended(
            self._codes, before[chunk_table.CODES_END], np.array(codes, np.uint32)
        )
        self._words = _appended(
            self._words, before[chunk_table.WORDS_END], np.array(numbers, np.uint32)
        )

    def _put_together(self, chunks: NDArray[np.int32], documents: int) -> TokenizedBatch:
        ends = np.zeros((documents, len(self._shape.indexed_fields)), np.int64)
        alike = np.zeros(documents, np.int64)
        while True:
            out = compiled_counter.assemble_documents(
                chunks,
                self._shape.indexed_fields,
                self._shape.body_field,
                self._rows,
                self._said,
                self._codes,
                self._spelt,
                self._coded,
                ends,
                alike,
            )
            if out != compiled_counter.BUFFER_TOO_SMALL:
                break
            self._spelt = np.zeros(2 * len(self._spelt), np.uint8)
            self._coded = np.zeros(2 * len(self._coded), np.uint32)
        spelt = self._spelt[:out].tobytes()
        return TokenizedBatch(spelt, self._coded[: ends[-1, -1]], ends.tolist(), alike.tolist())


def _appended(rows: GrowableArray, end: int, more: GrowableArray) -> GrowableArray:
    """The rows with more behind that end, and some room."""
    rows = ensure_capacity(rows, end + len(more) + compiled_counter.COPY_BLOCK_BYTES)
    rows[end : end + len(more)] = more
    return rows
