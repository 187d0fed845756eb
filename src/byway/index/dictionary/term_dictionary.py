"""How are words spelt here? The words of the documents as written, and how many have each.

    vocabulary.npy   rows of a word, its letters as bits, and a count, the most frequent first;
                     and which word is the nth in the alphabet

Searchers map the file. For words near to one they look through all of it: bits say at once which
cannot be near, and the few that are left are measured side by side. The writer writes the file anew
when it has changed notably, and when it closes; until then what it has counted lies beside it, in
`vocabulary.db`.
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
from byway.index.dictionary.prefix_ranges import prefix_ranges
from byway.index.dictionary.surface_forms import MAX_SURFACE_FORMS_PER_WORD as SPELLINGS
from byway.index.dictionary.surface_forms import (
    SURFACE_FORM_SEPARATOR,
    SurfaceForms,
    dictionary_keys,
)
from byway.index.disk.checksums import damaged_file_error
from byway.storage.durable import atomic_write

MAX_WORD_CHARS = 24
"""Letters of the longest word that is kept: longer ones are hardly typed, let alone mistyped."""
MIN_WORD_CHARS = 3
ROW_DTYPE = np.dtype(
    [("word", f"U{MAX_WORD_CHARS}"), ("letters", np.uint64), ("count", np.int64), ("nth", np.int64)]
)
COUNTED_TEXT_CHARS = 4000
"""Characters of a text whose words are counted: what is worth spelling right stands there soon."""
MAX_CODE_POINT = chr(0x10FFFF)
"""What stands behind every letter."""
REBUILD_GROWTH_SHARE = 0.1
"""The file is written anew when there are a tenth more documents."""

Rows = NDArray[np.void]


class _WordCache(dict[str, tuple[str, ...]]):
    """The words in what stands between two spaces, remembered: pages repeat themselves.

    Letters only: numbers, and names of things with numbers, have no right spelling.
    """

    def __missing__(self, written: str) -> tuple[str, ...]:
        each = (one for word in surface_forms(written) for one in dictionary_keys(word))
        found = tuple(filter(is_dictionary_key, each))
        if len(written) <= 2 * MAX_WORD_CHARS:
            if len(self) >= 500_000:
                self.clear()
            self[written] = found
        return found


_word_cache = _WordCache()


def is_dictionary_key(key: str) -> bool:
    """Is this one of the words that are counted, or how one is written?"""
    if key.isalpha():
        return MIN_WORD_CHARS <= len(key) <= MAX_WORD_CHARS
    if key[:1] != SURFACE_FORM_SEPARATOR:
        return False
    _, key, written = key.split(SURFACE_FORM_SEPARATOR)
    return MIN_WORD_CHARS <= len(key) <= MAX_WORD_CHARS and key.isalpha() and written.isalpha()


class TermDictionary:
    """Words with how many documents have them, in one file."""

    def __init__(self, folder: Path, max_words: int) -> None:
        self._path = folder / "vocabulary.npy"
        self._most = max_words
        self._known = _known_of(0, np.zeros(0, ROW_DTYPE))
        self._spellings = SurfaceForms(folder)
        self._counts: Counter[str] | None = None
        self._since = FrequencyDelta(folder / "vocabulary.db", self._path)
        self._pending: Counter[str] = Counter()
        self.document_count = self._written = 0

    # Writing.

    def add(self, document: Document) -> None:
        """Count the words of a document; `commit` makes it so."""
        written = {*document.title.split(), *document.text[:COUNTED_TEXT_CHARS].split()}
        self._pending.update({word for one in written for word in _word_cache[one]})
        self.document_count += 1

    def add_frequencies(self, frequencies: Mapping[str, int]) -> None:
        """The same for words that were counted elsewhere: how many documents have each."""
        self._pending.update(frequencies)

    def commit(self, indexed_documents: int = 0) -> None:
        """Keep what was counted since the last time; write the file anew once it is enough.

        `indexed_documents` says how many documents were there already.
        """
        grown = self.document_count - self._written > REBUILD_GROWTH_SHARE * indexed_documents
        # Pages may be full of words that no other has.
        much = len(self._pending) > self._most or self._since.has_more_than(self._most)
        if grown or much:
            self.write()
        else:
            self._since.add(self._pending)
            self._pending.clear()

    def write(self) -> None:
        """Replace the file, unless nothing has changed."""
        since = self._since.read() + self._pending
        if not since:
            return
        self._pending.clear()
        if self._counts is None:
            self._counts = Counter(dict(self._all()))
        spellings = {
            word: since.pop(word) for word in [*since] if word[0] == SURFACE_FORM_SEPARATOR
        }
        self._counts.update(since)
        if len(self._counts) > 2 * self._most:
            self._counts = Counter(dict(self._counts.most_common(self._most)))
        self._written = self.document_count
        best = self._counts.most_common(self._most)
        self._spellings.add(spellings, self._counts)
        rows = np.zeros(len(best), ROW_DTYPE)
        rows["word"] = [word for word, _ in best]
        rows["count"] = [count for _, count in best]
        rows["letters"] = _letters(rows["word"])
        rows["nth"] = np.argsort(rows["word"])
        with atomic_write(self._path) as file:
            np.save(file, rows)
        self._since.clear()

    def close(self) -> None:
        """Write down what is committed, if we did so, and forget the rest."""
        self._pending.clear()
        if self._since.is_open_for_writing:
            self.write()
        self._since.close()

    # Reading.

    def fuzzy_matches(self, word: str, max_distance: int) -> list[tuple[str, int, int]]:
        """Words at most that many slips away: (word, distance, count), the nearest first."""
        known, word = self._read(), fold_text(word)
        if not MIN_WORD_CHARS <= len(word) <= MAX_WORD_CHARS:
            return []
        found = {other: (slips, count) for other, slips, count in _near(known, word, max_distance)}
        for other, count in self._since.counts_for(single_edits(word)):
            _, before = found.get(other, (1, 0))
            found[other] = 1, before + count
        rows = ((other, slips, count) for other, (slips, count) in found.items())
        return sorted(rows, key=lambda row: (row[1], -row[2], row[0]))

    def expand_prefix(self, prefix: str, limit: int) -> list[str]:
        """Words that begin like this, the most frequent first."""
        found = Counter(dict(_most_frequent(self._read().rows, [prefix], limit)))
        found.update(dict(self._since.counts_with_prefix(prefix, limit)))
        return sorted(found, key=lambda word: (-found[word], word))[:limit]

    def fuzzy_prefix_matches(self, prefix: str, limit: int) -> list[str]:
        """Words that begin like this but for one slip behind the first letter."""
        prefix = fold_text(prefix)
        if not MIN_WORD_CHARS <= len(prefix) < MAX_WORD_CHARS:
            return []
        found = (
            one for some in single_edit_prefixes(prefix) for one in some if one[0] == prefix[0]
        )
        near = _most_frequent(self._read().rows, [prefix, *found], limit)
        return [word for word, _ in near]

    def surface_form(self, word: str) -> str:
        """The word as most documents write it, in small letters."""
        since = self._since.counts_with_prefix(
            f"{SURFACE_FORM_SEPARATOR}{word}{SURFACE_FORM_SEPARATOR}", SPELLINGS
        )
        more = sum(count for _, count in self._since.counts_for([word]))
        return self._spellings.most_frequent(word, since, more)

    def _read(self) -> "_TermArrays":
        """What the file says now; swapped whole, since several threads may ask."""
        try:
            stamp = self._path.stat().st_mtime_ns
            if stamp != self._known.stamp:
                rows = np.asarray(np.load(self._path, mmap_mode="r"))
                self._known = _known_of(stamp, rows)
        except FileNotFoundError:  # not made yet, or deleted since another took its place
            return self._known
        except (ValueError, EOFError, IndexError) as error:
            raise damaged_file_error(self._path, str(error)) from error
        return self._known

    def _all(self) -> Iterable[tuple[str, int]]:
        rows = self._read().rows
        return zip(rows["word"].tolist(), rows["count"].tolist(), strict=True)


@dataclass(frozen=True, slots=True)
class _TermArrays:
    """The file as it was last read, and what its words are like."""

    stamp: int
    rows: Rows
    letters: NDArray[np.uint64]
    lengths: NDArray[np.int8]


def _known_of(stamp: int, rows: Rows) -> _TermArrays:
    return _TermArrays(
        stamp,
        rows,
        np.ascontiguousarray(rows["letters"]),
        np.strings.str_len(rows["word"]).astype(np.int8),
    )


def _near(known: _TermArrays, word: str, distance: int) -> Iterator[tuple[str, int, int]]:
    """Words of the file at most that many slips away."""
    own = _letters(np.array([word], f"U{MAX_WORD_CHARS}"))[0]
    # A slip changes two letters at most: one goes and another one comes.
    others = np.bitwise_count(known.letters ^ own) <= 2 * distance
    found = known.rows[others & (np.abs(known.lengths - len(word)) <= distance)]
    slips = (edit_distances if distance > 1 else edit_distances_up_to_one)(word, found["word"])
    for n in np.flatnonzero((slips > 0) & (slips <= distance)):
        yield str(found["word"][n]), int(slips[n]), int(found["count"][n])


def _most_frequent(rows: Rows, prefixes: Sequence[str], most: int) -> list[tuple[str, int]]:
    """The words that begin like any of these; each is looked up, as in a dictionary."""
    words, counts, nth = rows["word"], rows["count"], rows["nth"]
    firsts = np.array(prefixes, f"U{MAX_WORD_CHARS}")
    lasts = np.array([prefix + MAX_CODE_POINT for prefix in prefixes], f"U{MAX_WORD_CHARS}")
    each = [nth[here] for here in prefix_ranges(words, firsts, lasts, nth)]
    if not each or most < 1:
        return []
    found = np.concatenate(each)
    # The file begins with the most frequent, so these are before the last that is as frequent.
    least = int(np.partition(found, min(most, len(found)) - 1)[min(most, len(found)) - 1])
    end = bisect_right(range(len(rows)), -counts[least], key=lambda n: -counts[n])
    found = found[found < end]
    order = np.lexsort((words[found], -counts[found]))[:most]
    some = rows[found[order]]
    return list(zip(some["word"].tolist(), some["count"].tolist(), strict=True))


def _letters(written: NDArray[np.str_]) -> NDArray[np.uint64]:
    """Which letters a word has, as bits; a few letters share one."""
    codes = code_points(written, MAX_WORD_CHARS)
    bits = np.uint64(1) << (codes % 61).astype(np.uint64)
    return np.asarray(np.bitwise_or.reduce(np.where(codes > 0, bits, 0), axis=1), np.uint64)
