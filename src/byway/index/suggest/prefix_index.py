"""Prefix index of suggestions: a sorted array with a prefix starting at each word.

    suggestions.npy          the suggestions as written, with some of their pages, best first
    suggestion_prefixes.npy  the prefixes in order, each with the number of its suggestion

Searchers map both. A fuzzy lookup looks up every prefix at edit distance one, so it takes as long
among a million suggestions as among a thousand.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.lib import format
from numpy.typing import NDArray

from byway.core.text import STOP_WORDS
from byway.index.dictionary.term_dictionary import prefix_ranges
from byway.index.disk.checksums import damaged_file_error
from byway.index.suggest.title_cleanup import MAX_PAGES_PER_NAME, PageName
from byway.storage.durable import atomic_write

SUGGESTIONS_FILE, PREFIXES_FILE = "suggestions.npy", "suggestion_prefixes.npy"
PREFIX_KEY_BYTES = 40
"""Bytes of a prefix that are stored and compared."""
MAX_PREFIXES_PER_PHRASE = 8
"""Words of a suggestion at which a prefix may start."""
ROWS_PER_WRITE = 5000
"""Rows per write: as Python objects they take ten times the space."""
INNER_WORD_FLAG = 1 << 30
"""Added to the number of a suggestion if the prefix is not at its start: these rank lower."""
PREFIX_DTYPE = np.dtype([("key", f"S{PREFIX_KEY_BYTES}"), ("suggestion", np.int32)])
LEADING_STOP_WORDS = frozenset[str]().union(
    *(STOP_WORDS[language] for language in ("de", "en", "ru"))
)
"""A prefix after these words still counts as the start: `The PostgreSQL Type System`."""


@dataclass(frozen=True, slots=True)
class SuggestionMatch:
    """A suggestion, and ids of its pages: 0 for none, -1 for many more."""

    text: str
    page_ids: tuple[int, ...]


class PrefixIndex:
    """The suggestions in the files of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._arrays = _PrefixArrays(
            0, np.zeros(0, _suggestion_dtype(1)), np.zeros(0, PREFIX_DTYPE)
        )

    def write(self, names: Mapping[str, PageName]) -> None:
        """Replace the files with these suggestions, by their normalized words, best first."""
        self._write_prefixes(list(names))
        self._write_suggestions(list(names.values()))

    def _write_prefixes(self, phrases: Sequence[str]) -> None:
        keys, numbers = _prefix_arrays(phrases)
        order = np.argsort(keys, kind="stable")
        rows = np.zeros(ROWS_PER_WRITE, PREFIX_DTYPE)
        with _array_file(self._folder / PREFIXES_FILE, PREFIX_DTYPE, len(order)) as file:
            for batch in _batches(len(order)):
                part = order[batch]
                rows["key"][: len(part)] = keys[part]
                rows["suggestion"][: len(part)] = numbers[part]
                file.write(rows[: len(part)].tobytes())

    def _write_suggestions(self, names: Sequence[PageName]) -> None:
        dtype = _suggestion_dtype(max((len(name.text.encode()) for name in names), default=1))
        rows = np.zeros(ROWS_PER_WRITE, dtype)
        with _array_file(self._folder / SUGGESTIONS_FILE, dtype, len(names)) as file:
            for batch in _batches(len(names)):
                part = names[batch]
                rows["text"][: len(part)] = [name.text.encode() for name in part]
                rows["page_ids"][: len(part)] = [name.padded_page_ids() for name in part]
                file.write(rows[: len(part)].tobytes())

    def find(self, prefixes: Sequence[str], limit: int) -> list[SuggestionMatch]:
        """Suggestions in which some word starts with one of these prefixes."""
        arrays = self._read()
        keys = [key.encode()[:PREFIX_KEY_BYTES] for key in prefixes]
        if not keys or not len(arrays.prefixes):
            return []
        lower_bounds = np.array(keys, f"S{PREFIX_KEY_BYTES}")
        upper_bounds = np.array(
            [key.ljust(PREFIX_KEY_BYTES, b"\xff") for key in keys], f"S{PREFIX_KEY_BYTES}"
        )
        ranges = prefix_ranges(arrays.prefixes["key"], lower_bounds, upper_bounds)
        if not ranges:
            return []
        ranks = np.concatenate([arrays.prefixes["suggestion"][span] for span in ranges])
        # A suggestion may match by several of its words.
        count = min(len(ranks), limit * MAX_PREFIXES_PER_PHRASE)
        best = np.sort(np.partition(ranks, count - 1)[:count]) & (INNER_WORD_FLAG - 1)
        # The two files are not replaced at the same moment: a number may be out of range.
        valid = dict.fromkeys(best[best < len(arrays.suggestions)].tolist())
        rows = arrays.suggestions[[*valid][:limit]]
        return [SuggestionMatch(text.decode(), tuple(ids.tolist())) for text, ids in rows]

    def _read(self) -> "_PrefixArrays":
        """The current arrays; replaced as one value, since several threads may read."""
        path = self._folder / SUGGESTIONS_FILE
        try:
            stamp = path.stat().st_mtime_ns
            if stamp != self._arrays.stamp:
                suggestions = np.asarray(np.load(path, mmap_mode="r"))
                prefixes = np.asarray(np.load(self._folder / PREFIXES_FILE, mmap_mode="r"))
                self._arrays = _PrefixArrays(stamp, suggestions, prefixes)
        except FileNotFoundError:  # not written yet, or its generation is deleted
            return self._arrays
        except (ValueError, EOFError) as error:
            raise damaged_file_error(path, error) from error
        return self._arrays


@dataclass(frozen=True, slots=True)
class _PrefixArrays:
    """The arrays of both files, and the modification time of the first."""

    stamp: int
    suggestions: NDArray[np.void]
    prefixes: NDArray[np.void]


def prefix_keys(phrase: str) -> list[tuple[bytes, bool]]:
    """The prefix starting at each word of a phrase, and whether it is not the first word."""
    keys = [(phrase.encode()[:PREFIX_KEY_BYTES], False)]
    start, is_inner = 0, False
    while len(keys) < MAX_PREFIXES_PER_PHRASE and (following := phrase.find(" ", start) + 1):
        is_inner = is_inner or phrase[start : following - 1] not in LEADING_STOP_WORDS
        start = following
        prefix = phrase[start : start + PREFIX_KEY_BYTES].encode()[:PREFIX_KEY_BYTES]
        keys.append((prefix, is_inner))
    return keys


def _suggestion_dtype(width: int) -> np.dtype[np.void]:
    return np.dtype([("text", f"S{width}"), ("page_ids", np.int64, (MAX_PAGES_PER_NAME,))])


def _prefix_arrays(phrases: Sequence[str]) -> tuple[NDArray[np.bytes_], NDArray[np.int32]]:
    """The prefixes of these phrases, and the number of the phrase of each."""
    keys: list[NDArray[np.bytes_]] = [np.zeros(0, f"S{PREFIX_KEY_BYTES}")]
    numbers = array("i")
    for batch in _batches(len(phrases)):
        prefixes = [prefix_keys(phrase) for phrase in phrases[batch]]
        keys.append(
            np.array(
                [key for of_phrase in prefixes for key, _ in of_phrase], f"S{PREFIX_KEY_BYTES}"
            )
        )
        for number, of_phrase in enumerate(prefixes, batch.start):
            numbers.extend(
                number | INNER_WORD_FLAG if is_inner else number for _, is_inner in of_phrase
            )
    return np.concatenate(keys), np.array(numbers, np.int32)


def _batches(count: int) -> Iterator[slice]:
    """Slices of `count` rows, one for each write."""
    return (slice(start, start + ROWS_PER_WRITE) for start in range(0, count, ROWS_PER_WRITE))


@contextmanager
def _array_file(path: Path, dtype: np.dtype[np.void], count: int) -> Iterator[BinaryIO]:
    """An .npy file with the header of an array of `count` rows; the caller writes the rows."""
    with atomic_write(path) as file:
        header = {"descr": format.dtype_to_descr(dtype), "fortran_order": False, "shape": (count,)}
        format.write_array_header_1_0(file, header)
        yield file
