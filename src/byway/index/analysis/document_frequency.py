"""Document frequencies, counted by compiled code over word ids. Import this module lazily."""

from collections.abc import Iterable
from itertools import islice
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from byway.core.numba import jit
from byway.index.analysis.chunk_table import WORDS_END, Numbers
from byway.index.analysis.chunk_terms import TermPredicate
from byway.index.analysis.compiled_tokenizer import FIELD_END, Offsets
from byway.index.dictionary.document_words import word_code

MIN_CAPACITY_ROWS = 1 << 14
"""Initial capacity of arrays, in rows."""

GrowableArray = TypeVar("GrowableArray", NDArray[np.uint8], Numbers)


class DocumentFrequencyCounter:
    """Counts each word once per document; `stamps` holds the last document of each word."""

    def __init__(self, counts_word: TermPredicate) -> None:
        self.is_counted = counts_word
        """Whether a word is counted."""
        self._ids: dict[str, int] = {}
        self.stamps: Numbers = np.zeros(MIN_CAPACITY_ROWS, np.uint32)
        self.counts: Numbers = np.zeros(MIN_CAPACITY_ROWS, np.uint32)
        self.codes: Numbers = np.zeros(MIN_CAPACITY_ROWS, np.uint32)
        """The code of each word."""
        self.stamp = 0

    def word_ids(self, words: Iterable[str]) -> list[int]:
        """The ids of these words, with room to count them."""
        ids, known = self._ids, len(self._ids)
        numbers = [ids.setdefault(word, len(ids)) for word in words]
        new_codes = [word_code(word) for word in islice(ids, known, None)]
        self.codes = ensure_capacity(self.codes, len(ids))
        self.codes[known : len(ids)] = new_codes
        self.stamps = ensure_capacity(self.stamps, len(ids))
        self.counts = ensure_capacity(self.counts, len(ids))
        return numbers

    def drain(self) -> dict[str, int]:
        """The counts since the last call."""
        counted_ids = np.flatnonzero(self.counts).tolist()
        words = list(self._ids)
        counts_by_word = {words[n]: int(self.counts[n]) for n in counted_ids}
        self.counts[:] = 0
        return counts_by_word

    def __len__(self) -> int:
        return len(self._ids)


@jit
def count_document_frequencies(
    chunks: NDArray[np.int32],
    fields: int,
    title: int,
    body: int,
    last_counted_chunks: Offsets,
    rows: Numbers,
    words: Numbers,
    stamps: Numbers,
    counts: Numbers,
    stamp: int,
    found: Numbers,
    found_ends: Offsets,
) -> int:
    """Count each word of the title and of the first chunks of the body once per document.

    The first document is stamped `stamp`, the next one `stamp` + 1, and so on. `found` gets the
    distinct words of each document in turn, `found_ends` the place in `found` where those of each
    document end. Returns the number of words found.
    """
    field = document = size = 0
    for n in range(len(chunks)):
        number = np.int64(chunks[n])
        if number <= 0:
            field += number == -FIELD_END
            if field == fields:
                found_ends[document] = size
                field, document = 0, document + 1
        elif field == title or (field == body and n <= last_counted_chunks[document]):
            for m in range(
                np.int64(rows[number - 1, WORDS_END]), np.int64(rows[number, WORDS_END])
            ):
                word = words[m]
                if stamps[word] != stamp + document:
                    stamps[word] = stamp + document
                    counts[word] += np.uint32(1)
                    found[size] = word
                    size += 1
    return size


def ensure_capacity(rows: GrowableArray, needed: int) -> GrowableArray:
    """The array with room for `needed` rows; it doubles when it grows."""
    if needed <= len(rows):
        return rows
    larger = np.zeros((2 * needed, *rows.shape[1:]), rows.dtype)
    larger[: len(rows)] = rows
    return larger
