"""Fast tokenizer: a cache of text chunks with their terms, and compiled document assembly.

The analyzer in `byway.core.text` runs once per new chunk. Compiled code then assembles documents
from chunks, many times faster than Python could.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from byway.core.text import TURKISH
from byway.index.analysis import chunk_table, compiled_assembler, compiled_tokenizer
from byway.index.analysis.chunk_table import Numbers
from byway.index.analysis.chunk_terms import LANGUAGE_IDS, TermPredicate, analyze_chunks
from byway.index.analysis.compiled_impacts import BUFFER_TOO_SMALL
from byway.index.analysis.compiled_tokenizer import (
    CONTEXT_TABLE,
    FOLD_TABLE,
    TEXT_START,
    TURKISH_FOLD_TABLE,
    UNFOLD_TABLE,
    Bytes,
    Hashes,
    Offsets,
    Spans,
)
from byway.index.analysis.document_frequency import (
    MIN_CAPACITY_ROWS,
    DocumentFrequencyCounter,
    GrowableArray,
    count_document_frequencies,
    ensure_capacity,
)

MAX_CHUNKS = 600_000
"""Maximum number of cached chunks; beyond this, the cache is emptied."""
MAX_CHUNK_BYTES = 12_000_000
"""Maximum bytes of all chunks, and of all their terms. A word takes ten, unspaced text far more."""
MAX_KEPT_BUFFER_BYTES = 1 << 20
"""Bytes of text that the kept buffers hold, at 12 bytes of input and 8 of output per byte. Of 3,000
documentation pages, none needed more: the longest text had 430 kB."""


@dataclass(frozen=True, slots=True)
class FieldLayout:
    """The fields of a document, by index."""

    indexed_fields: NDArray[np.bool_]
    """Fields whose terms are indexed as well as coded."""
    searched_fields: NDArray[np.bool_]
    """Fields whose terms have impacts."""
    title_field: int
    body_field: int
    """The fields whose words are counted."""
    line_starts_field: int
    """The field that holds the line starts of the body; it precedes the body."""


@dataclass(frozen=True, slots=True)
class EncodedDocument:
    """The texts of a document, with a byte 0 after each piece and a byte 1 after each field."""

    text: bytes
    language: str
    counted_bytes: int
    """The number of leading bytes in which words are counted."""
    line_start_bytes: int
    """Bytes of the body to scan for line starts; 0 if the text already has them."""


@dataclass(frozen=True, slots=True)
class TokenizedBatch:
    """The terms of a batch of documents; the codes are valid until the next call."""

    terms: bytes
    """Space-separated terms, each piece on a line of its own, FIELD_END after each field; after the
    last field of a document, its terms with their impact levels."""
    codes: Numbers
    field_ends: list[list[int]]
    """The end of each field of each document in `codes`."""
    distinct_codes: list[Numbers]
    """The distinct codes of the searched fields of each document."""
    word_codes: list[Numbers]
    """The codes of the distinct counted words of each document."""
    duplicate_hashes: list[int]
    """The duplicate hash of each body."""


class ChunkCache:
    """Cache of chunks with their terms and words, for text in any language."""

    def __init__(
        self,
        layout: FieldLayout,
        frequencies: DocumentFrequencyCounter,
        keep_term: TermPredicate | None,
    ) -> None:
        self._layout = layout
        self._frequencies = frequencies
        self._keep_term = keep_term
        self._seed = np.uint64(
            secrets.randbits(64) | 1
        )  # secret: pages must not be able to provoke collisions
        self._make_buffers()
        self._clear()

    def _make_buffers(self) -> None:
        self._spans: Spans = np.zeros((MIN_CAPACITY_ROWS, 2), np.int32)
        self._chunks: NDArray[np.int32] = np.zeros(MIN_CAPACITY_ROWS, np.int32)
        self._terms_out: Bytes = np.zeros(1 << 16, np.uint8)
        self._codes_out: Numbers = np.zeros(MIN_CAPACITY_ROWS, np.uint32)
        self._distinct_out: Numbers = np.zeros(MIN_CAPACITY_ROWS, np.uint32)

    def _clear(self) -> None:
        self._size = 0
        self._table: Hashes = np.zeros((4 * MIN_CAPACITY_ROWS, 2), np.uint64)
        self._rows: Numbers = np.zeros((MIN_CAPACITY_ROWS, chunk_table.COLUMN_COUNT), np.uint32)
        self._keys: Bytes = np.zeros(16 * MIN_CAPACITY_ROWS, np.uint8)
        self._terms: Bytes = np.zeros(16 * MIN_CAPACITY_ROWS, np.uint8)
        self._codes: Numbers = np.zeros(MIN_CAPACITY_ROWS, np.uint32)
        self._words: Numbers = np.zeros(MIN_CAPACITY_ROWS, np.uint32)

    def tokenize(self, documents: Sequence[EncodedDocument]) -> TokenizedBatch:
        """The terms of these documents; also counts their words."""
        used = self._rows[self._size]
        if (
            self._size > MAX_CHUNKS
            or max(used[chunk_table.KEY_END], used[chunk_table.TERMS_END]) > MAX_CHUNK_BYTES
        ):
            self._clear()
        last_counted = np.full(len(documents), -1, np.int64)
        size_before = self._size
        chunks = self._split(documents, last_counted)
        if self._size > size_before:
            self._analyze_new(size_before)
        word_codes = self._count(chunks, last_counted)
        batch = self._assemble(chunks, len(documents), word_codes)
        if max(len(self._spans), len(self._terms_out) // 4) > MAX_KEPT_BUFFER_BYTES:
            self._make_buffers()  # large buffers are not kept after one long text
        return batch

    def _count(self, chunks: NDArray[np.int32], last_counted: Offsets) -> list[Numbers]:
        """Count the words of documents; return the codes of the distinct words of each."""
        ids, words_end = chunks[chunks > 0], self._rows[:, chunk_table.WORDS_END].astype(np.int64)
        found = np.zeros(int((words_end[ids] - words_end[ids - 1]).sum()), np.uint32)
        ends = np.zeros(len(last_counted), np.int64)
        size = count_document_frequencies(
            chunks,
            len(self._layout.indexed_fields),
            self._layout.title_field,
            self._layout.body_field,
            last_counted,
            self._rows,
            self._words,
            self._frequencies.stamps,
            self._frequencies.counts,
            self._frequencies.stamp + 1,
            found,
            ends,
        )
        self._frequencies.stamp += len(last_counted)
        return np.split(self._frequencies.codes[found[:size]], ends[:-1])

    def _split(
        self, documents: Sequence[EncodedDocument], last_counted: Offsets
    ) -> NDArray[np.int32]:
        """The ids of all chunks; new ones have no terms yet."""
        *starts, end = accumulate((len(each.text) for each in documents), initial=TEXT_START)
        padding = bytes(compiled_tokenizer.PADDING_BYTES + -end % 8)
        texts = (
            document.text.translate(
                TURKISH_FOLD_TABLE if document.language == TURKISH else FOLD_TABLE
            )
            for document in documents
        )
        folded = b"".join([CONTEXT_TABLE, *texts, padding])
        max_spans = end + compiled_tokenizer.EXTRA_SPANS_PER_DOCUMENT * len(documents)
        if max_spans > len(self._spans):
            self._spans = np.zeros((max_spans, 2), np.int32)
            self._chunks = np.zeros(max_spans, np.int32)
        text, eights = np.frombuffer(folded, np.uint8), np.frombuffer(folded, np.uint64)
        span_count = compiled_tokenizer.find_chunks(
            text,
            eights,
            end,
            len(self._layout.indexed_fields),
            self._layout.line_starts_field,
            np.array([document.line_start_bytes for document in documents], np.int64),
            np.array(
                [
                    start + document.counted_bytes
                    for start, document in zip(starts, documents, strict=True)
                ]
            ),
            self._spans,
            last_counted,
        )
        languages = np.array(
            [LANGUAGE_IDS.get(document.language, 0) for document in documents], np.uint32
        )
        spans, chunks = self._spans[:span_count], self._chunks[:span_count]
        while not self._assign_ids(text, eights, spans, languages, chunks):
            self._grow(end)
        return chunks

    def _assign_ids(
        self,
        text: Bytes,
        eights: Hashes,
        spans: Spans,
        languages: Numbers,
        chunks: NDArray[np.int32],
    ) -> bool:
        """Assign an id to each chunk; False if there was not enough room."""
        self._size, is_complete = chunk_table.assign_chunk_ids(
            text,
            eights,
            spans,
            len(self._layout.indexed_fields),
            languages,
            self._seed,
            self._table,
            self._rows,
            self._keys,
            self._size,
            chunks,
        )
        return is_complete

    def _grow(self, needed: int) -> None:
        """Make room for new chunks of `needed` bytes in total."""
        self._rows = ensure_capacity(self._rows, self._size + MIN_CAPACITY_ROWS)
        self._keys = ensure_capacity(
            self._keys, int(self._rows[self._size, chunk_table.KEY_END]) + needed
        )
        if 4 * self._size > len(self._table):
            larger = np.zeros((2 * len(self._table), 2), np.uint64)
            chunk_table.rehash(self._table, larger, self._seed)
            self._table = larger

    def _analyze_new(self, last_known: int) -> None:
        """Store the terms and words of the chunks with ids above `last_known`."""
        new = self._rows[last_known + 1 : self._size + 1]
        start, end = (
            self._rows[last_known, chunk_table.KEY_END],
            self._rows[self._size, chunk_table.KEY_END],
        )
        chunks = self._keys[start:end].tobytes().translate(UNFOLD_TABLE).decode().split("\0")[:-1]
        analyzed = analyze_chunks(chunks, new[:, chunk_table.LANGUAGE_COLUMN].tolist())
        terms, term_ends = analyzed.filter_terms(self._keep_term)
        words, word_ends = analyzed.filter_words(self._frequencies.is_counted)
        word_ids = self._frequencies.word_ids(words)
        encoded = " ".join(terms).encode().split(b" ") if terms else []
        codes = [*map(crc32, encoded)]
        joined = b" ".join([*encoded, b""])
        lengths = np.fromiter((0, *map(len, encoded)), np.int64)
        ends = np.cumsum(lengths) + np.arange(len(encoded) + 1)
        last_row = self._rows[last_known].astype(np.int64)
        new[:, chunk_table.TERMS_END] = last_row[chunk_table.TERMS_END] + ends[term_ends]
        new[:, chunk_table.CODES_END] = last_row[chunk_table.CODES_END] + term_ends
        new[:, chunk_table.WORDS_END] = last_row[chunk_table.WORDS_END] + word_ends
        self._terms = _append(
            self._terms, last_row[chunk_table.TERMS_END], np.frombuffer(joined, np.uint8)
        )
        self._codes = _append(
            self._codes, last_row[chunk_table.CODES_END], np.array(codes, np.uint32)
        )
        self._words = _append(
            self._words, last_row[chunk_table.WORDS_END], np.array(word_ids, np.uint32)
        )

    def _assemble(
        self, chunks: NDArray[np.int32], documents: int, word_codes: list[Numbers]
    ) -> TokenizedBatch:
        ends = np.zeros((documents, len(self._layout.indexed_fields)), np.int64)
        distinct_ends, hashes = np.zeros(documents, np.int64), np.zeros(documents, np.int64)
        while True:
            end = compiled_assembler.assemble_documents(
                chunks,
                self._layout.indexed_fields,
                self._layout.searched_fields,
                self._layout.body_field,
                self._rows,
                self._terms,
                self._codes,
                self._terms_out,
                self._codes_out,
                self._distinct_out,
                ends,
                distinct_ends,
                hashes,
            )
            if end != BUFFER_TOO_SMALL:
                break
            self._terms_out = np.zeros(2 * len(self._terms_out), np.uint8)
            self._codes_out = np.zeros(2 * len(self._codes_out), np.uint32)
            self._distinct_out = np.zeros(2 * len(self._distinct_out), np.uint32)
        terms, codes = self._terms_out[:end].tobytes(), self._codes_out[: ends[-1, -1]]
        distinct = np.split(self._distinct_out[: distinct_ends[-1]], distinct_ends[:-1])
        return TokenizedBatch(
            terms=terms,
            codes=codes,
            field_ends=ends.tolist(),
            distinct_codes=distinct,
            word_codes=word_codes,
            duplicate_hashes=hashes.tolist(),
        )


def _append(rows: GrowableArray, end: int, new_rows: GrowableArray) -> GrowableArray:
    """The array with `new_rows` appended at `end`, and room for a block copy."""
    rows = ensure_capacity(rows, end + len(new_rows) + compiled_assembler.COPY_BLOCK_BYTES)
    rows[end : end + len(new_rows)] = new_rows
    return rows
