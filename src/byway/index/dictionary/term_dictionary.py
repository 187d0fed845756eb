"""Term dictionary: the words of the documents with their document frequencies.

    terms.npy   rows of a word, its letters as bits, its document frequency, and the row number of
                the nth word in alphabetical order; the most frequent word first

Searchers map the file. A fuzzy lookup scans all of it: the letter bits exclude most words at once,
and the edit distances of the few others are computed together. The writer replaces the file when
the index has grown by a tenth, and on close; until then, new counts are in `terms_delta.db`.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from byway.core.model import Document
from byway.core.text import fold_text, surface_forms
from byway.index.dictionary.edit_distance import (
    code_points,
    edit_distances,
    edit_distances_up_to_one,
    single_edit_prefixes,
    single_edits,
)
from byway.index.dictionary.frequency_delta import FrequencyDelta
from byway.index.dictionary.surface_forms import (
    MAX_SURFACE_FORMS_PER_WORD,
    SURFACE_FORM_SEPARATOR,
    SurfaceForms,
    dictionary_keys,
)
from byway.index.disk.checksums import damaged_file_error
from byway.storage.durable import atomic_write

MAX_WORD_CHARS = 24
"""Longer words are left out: queries hardly ever contain them."""
MIN_WORD_CHARS = 3
ROW_DTYPE = np.dtype(
    [("word", f"U{MAX_WORD_CHARS}"), ("letters", np.uint64), ("count", np.int64), ("nth", np.int64)]
)
COUNTED_TEXT_CHARS = 4000
"""Leading characters of a text whose words are counted: important words occur early."""
MAX_CODE_POINT = chr(0x10FFFF)
"""Sorts after every letter."""
REBUILD_GROWTH_SHARE = 0.1
"""The file is replaced when a tenth more documents were added."""

Rows = NDArray[np.void]


class _WordCache(dict[str, tuple[str, ...]]):
    """Cache of the dictionary keys of whitespace-separated chunks, which pages repeat.

    Words of letters only: those with digits have no correct spelling.
    """

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        keys = (key for word in surface_forms(chunk) for key in dictionary_keys(word))
        cached_keys = tuple(filter(is_dictionary_key, keys))
        if len(chunk) <= 2 * MAX_WORD_CHARS:
            if len(self) >= 500_000:
                self.clear()
            self[chunk] = cached_keys
        return cached_keys


_word_cache = _WordCache()


def is_dictionary_key(key: str) -> bool:
    """Whether the key is a word that is counted, or the surface form of one."""
    if key.isalpha():
        return MIN_WORD_CHARS <= len(key) <= MAX_WORD_CHARS
    if key[:1] != SURFACE_FORM_SEPARATOR:
        return False
    _, word, form = key.split(SURFACE_FORM_SEPARATOR)
    return MIN_WORD_CHARS <= len(word) <= MAX_WORD_CHARS and word.isalpha() and form.isalpha()


class TermDictionary:
    """The words of an index with their document frequencies."""

    def __init__(self, folder: Path, max_words: int) -> None:
        self._path = folder / "terms.npy"
        self._max_words = max_words
        self._arrays = _term_arrays(0, np.zeros(0, ROW_DTYPE))
        self._surface_forms = SurfaceForms(folder)
        self._counts: Counter[str] | None = None
        self._delta = FrequencyDelta(folder / "terms_delta.db", self._path)
        self._pending: Counter[str] = Counter()
        self.document_count = self._written_documents = 0

    # Writing.

    def add(self, document: Document) -> None:
        """Count the words of a document; `commit` makes the counts durable."""
        chunks = {*document.title.split(), *document.text[:COUNTED_TEXT_CHARS].split()}
        self._pending.update({key for chunk in chunks for key in _word_cache[chunk]})
        self.document_count += 1

    def add_frequencies(self, frequencies: Mapping[str, int]) -> None:
        """Add document frequencies that were counted elsewhere."""
        self._pending.update(frequencies)

    def commit(self, indexed_documents: int = 0) -> None:
        """Make new counts durable; replace the file once there are enough of them.

        `indexed_documents`: the number of documents before.
        """
        new_documents = self.document_count - self._written_documents
        has_grown = new_documents > REBUILD_GROWTH_SHARE * indexed_documents
        # A few pages may have very many words that occur nowhere else.
        is_full = len(self._pending) > self._max_words or self._delta.has_more_than(self._max_words)
        if has_grown or is_full:
            self.write()
        else:
            self._delta.add(self._pending)
            self._pending.clear()

    def write(self) -> None:
        """Replace the file, unless nothing has changed."""
        new_counts = self._delta.read() + self._pending
        if not new_counts:
            return
        self._pending.clear()
        if self._counts is None:
            self._counts = Counter(dict(self._stored_counts()))
        form_counts = {
            key: new_counts.pop(key) for key in [*new_counts] if key[0] == SURFACE_FORM_SEPARATOR
        }
        self._counts.update(new_counts)
        if len(self._counts) > 2 * self._max_words:
            self._counts = Counter(dict(self._counts.most_common(self._max_words)))
        self._written_documents = self.document_count
        best = self._counts.most_common(self._max_words)
        self._surface_forms.add(form_counts, self._counts)
        rows = np.zeros(len(best), ROW_DTYPE)
        rows["word"] = [word for word, _ in best]
        rows["count"] = [count for _, count in best]
        rows["letters"] = _letter_bits(rows["word"])
        rows["nth"] = np.argsort(rows["word"])
        with atomic_write(self._path) as file:
            np.save(file, rows)
        self._delta.clear()

    def close(self) -> None:
        """Write committed counts to the file, if this process made any, and drop the rest."""
        self._pending.clear()
        if self._delta.is_open_for_writing:
            self.write()
        self._delta.close()

    # Reading.

    def fuzzy_matches(self, word: str, max_distance: int) -> list[tuple[str, int, int]]:
        """Words within that edit distance: (word, distance, frequency), nearest first."""
        arrays, word = self._read(), fold_text(word)
        if not MIN_WORD_CHARS <= len(word) <= MAX_WORD_CHARS:
            return []
        matches = {
            other: (distance, count)
            for other, distance, count in _fuzzy_matches(arrays, word, max_distance)
        }
        for other, count in self._delta.counts_for(single_edits(word)):
            _, stored = matches.get(other, (1, 0))
            matches[other] = 1, stored + count
        rows = ((other, distance, count) for other, (distance, count) in matches.items())
        return sorted(rows, key=lambda row: (row[1], -row[2], row[0]))

    def expand_prefix(self, prefix: str, limit: int) -> list[str]:
        """Words with this prefix, most frequent first."""
        counts = Counter(dict(_most_frequent(self._read().rows, [prefix], limit)))
        counts.update(dict(self._delta.counts_with_prefix(prefix, limit)))
        return sorted(counts, key=lambda word: (-counts[word], word))[:limit]

    def fuzzy_prefix_matches(self, prefix: str, limit: int) -> list[str]:
        """Words that start with this prefix after one edit; the first letter must be the same."""
        prefix = fold_text(prefix)
        if not MIN_WORD_CHARS <= len(prefix) < MAX_WORD_CHARS:
            return []
        edited = (
            edit for edits in single_edit_prefixes(prefix) for edit in edits if edit[0] == prefix[0]
        )
        matches = _most_frequent(self._read().rows, [prefix, *edited], limit)
        return [word for word, _ in matches]

    def surface_form(self, word: str) -> str:
        """The word as most documents write it, in lower case."""
        delta_counts = self._delta.counts_with_prefix(
            f"{SURFACE_FORM_SEPARATOR}{word}{SURFACE_FORM_SEPARATOR}", MAX_SURFACE_FORMS_PER_WORD
        )
        delta_frequency = sum(count for _, count in self._delta.counts_for([word]))
        return self._surface_forms.most_frequent(word, delta_counts, delta_frequency)

    def _read(self) -> "_TermArrays":
        """The current arrays; replaced as one value, since several threads may read."""
        try:
            stamp = self._path.stat().st_mtime_ns
            if stamp != self._arrays.stamp:
                rows = np.asarray(np.load(self._path, mmap_mode="r"))
                self._arrays = _term_arrays(stamp, rows)
        except FileNotFoundError:  # not written yet, or its generation is deleted
            return self._arrays
        except (ValueError, EOFError, IndexError) as error:
            raise damaged_file_error(self._path, error) from error
        return self._arrays

    def _stored_counts(self) -> Iterable[tuple[str, int]]:
        rows = self._read().rows
        return zip(rows["word"].tolist(), rows["count"].tolist(), strict=True)


@dataclass(frozen=True, slots=True)
class _TermArrays:
    """The rows of the file, and the letter bits and lengths of its words."""

    stamp: int
    rows: Rows
    letters: NDArray[np.uint64]
    lengths: NDArray[np.int8]


def _term_arrays(stamp: int, rows: Rows) -> _TermArrays:
    return _TermArrays(
        stamp,
        rows,
        np.ascontiguousarray(rows["letters"]),
        np.strings.str_len(rows["word"]).astype(np.int8),
    )


def _fuzzy_matches(
    arrays: _TermArrays, word: str, max_distance: int
) -> Iterator[tuple[str, int, int]]:
    """Words of the file within that edit distance."""
    letter_bits = _letter_bits(np.array([word], f"U{MAX_WORD_CHARS}"))[0]
    # An edit changes two letter bits at most: it clears one and sets one.
    possible = np.bitwise_count(arrays.letters ^ letter_bits) <= 2 * max_distance
    rows = arrays.rows[possible & (np.abs(arrays.lengths - len(word)) <= max_distance)]
    measure = edit_distances if max_distance > 1 else edit_distances_up_to_one
    distances = measure(word, rows["word"])
    for n in np.flatnonzero((distances > 0) & (distances <= max_distance)):
        yield str(rows["word"][n]), int(distances[n]), int(rows["count"][n])


def _most_frequent(rows: Rows, prefixes: Sequence[str], limit: int) -> list[tuple[str, int]]:
    """The most frequent words with one of these prefixes, by binary search."""
    words, counts, nth = rows["word"], rows["count"], rows["nth"]
    lower_bounds = np.array(prefixes, f"U{MAX_WORD_CHARS}")
    upper_bounds = np.array([prefix + MAX_CODE_POINT for prefix in prefixes], f"U{MAX_WORD_CHARS}")
    parts = [nth[span] for span in prefix_ranges(words, lower_bounds, upper_bounds, nth)]
    if not parts or limit < 1:
        return []
    numbers = np.concatenate(parts)
    # Rows are sorted by frequency: cut after the last row as frequent as the one at the limit.
    last_index = min(limit, len(numbers)) - 1
    last = int(np.partition(numbers, last_index)[last_index])
    end = bisect_right(range(len(rows)), -counts[last], key=lambda n: -counts[n])
    numbers = numbers[numbers < end]
    order = np.lexsort((words[numbers], -counts[numbers]))[:limit]
    best = rows[numbers[order]]
    return list(zip(best["word"].tolist(), best["count"].tolist(), strict=True))


def prefix_ranges(
    values: NDArray[np.generic],
    lower_bounds: NDArray[np.generic],
    upper_bounds: NDArray[np.generic],
    sorter: NDArray[np.int64] | None = None,
) -> list[slice]:
    """The disjoint ranges of a sorted array between these bounds, upper bounds included.

    Values with one prefix are adjacent, so of two ranges one contains the other or they are
    disjoint.
    """
    starts = np.searchsorted(values, lower_bounds, sorter=sorter)
    ends = np.searchsorted(values, upper_bounds, "right", sorter)
    filled = np.flatnonzero(ends > starts)
    order = filled[np.lexsort((-ends[filled], starts[filled]))]
    starts, ends = starts[order], ends[order]
    reached = np.maximum.accumulate(ends)
    kept = np.ones(len(order), bool)
    kept[1:] = ends[1:] > reached[:-1]
    return [slice(*span) for span in zip(starts[kept].tolist(), ends[kept].tolist(), strict=True)]


def _letter_bits(words: NDArray[np.str_]) -> NDArray[np.uint64]:
    """The letters of each word as bits; a few letters share one."""
    codes = code_points(words, MAX_WORD_CHARS)
    bits = np.uint64(1) << (codes % 61).astype(np.uint64)
    return np.asarray(np.bitwise_or.reduce(np.where(codes > 0, bits, 0), axis=1), np.uint64)
