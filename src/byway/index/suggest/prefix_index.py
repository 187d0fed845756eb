"""Suggestions by prefix: a sorted array with the prefix at each word of each suggestion.

    suggestions.npy          the suggestions as written, with some of their pages, best first
    suggestion_prefixes.npy  the prefixes in order, each with the row of its suggestion

Searchers map both. A fuzzy lookup tries every prefix at edit distance one, so it takes as long
with a million suggestions as with a thousand.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from json import dumps
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.lib import format
from numpy.typing import NDArray

from byway.core.files import atomic_write
from byway.core.ports import Suggestion
from byway.core.text import STOP_WORDS, normalize_phrase
from byway.index.dictionary.edit_distance import single_edit_prefixes
from byway.index.index_files import DeltaReader, ReloadedFile, map_array
from byway.index.suggest.title_cleanup import MANY_PAGES, MAX_PAGES_PER_NAME, PageName

SUGGESTIONS_FILE, PREFIXES_FILE = "suggestions.npy", "suggestion_prefixes.npy"
PREFIX_KEY_BYTES = 40
"""Bytes of a prefix stored and compared."""
MAX_PREFIXES_PER_PHRASE = 8
"""Maximum number of words of a suggestion at which a prefix may start."""
ROWS_PER_WRITE = 5000
"""Rows per write; as Python objects, rows take ten times the memory."""
INNER_WORD_FLAG = 1 << 30
"""Flag added to the row of a suggestion if the prefix is not at its start; it then ranks lower."""
PREFIX_DTYPE = np.dtype([("key", f"S{PREFIX_KEY_BYTES}"), ("suggestion", np.int32)])
MAX_RECENT_PREFIXES = 500
"""Maximum recent prefixes read per lookup; if there are more, an arbitrary subset is read."""
SELECT_ANY_RECENT_PREFIX = "select 1 from recent_prefix limit 1"
SELECT_RECENT_PREFIXES = """
select text, is_inner_word from json_each(?) as typed cross join recent_prefix
on recent_prefix.prefix >= cast(typed.value as blob)
and recent_prefix.prefix < cast(typed.value || x'ff' as blob)
limit ?
"""
LEADING_STOP_WORDS = frozenset[str]().union(
    *(STOP_WORDS[language] for language in ("de", "en", "ru"))
)
"""A prefix after these words still counts as the start: `The PostgreSQL Type System`."""


class PrefixIndex:
    """The suggestions in the files of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        empty = _PrefixArrays(np.zeros(0, _suggestion_dtype(1)), np.zeros(0, PREFIX_DTYPE))
        self._file = ReloadedFile(folder / SUGGESTIONS_FILE, empty, _load)

    def write(self, names: Mapping[str, PageName]) -> None:
        """Replace the files with these suggestions, keyed by normalized words, best first."""
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
                rows["weight"][: len(part)] = [name.score for name in part]
                rows["page_ids"][: len(part)] = [name.padded_page_ids() for name in part]
                file.write(rows[: len(part)].tobytes())

    def find(self, prefixes: Sequence[str], limit: int) -> list[tuple[Suggestion, list[int]]]:
        """Suggestions with one of these prefixes at one of their words, with their page ids.

        Page ids are padded with 0; `MANY_PAGES` means more pages than are stored.
        """
        arrays = self._file.read()
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
        best = np.sort(np.partition(ranks, count - 1)[:count]).tolist()
        first_ranks: dict[int, int] = {}
        for rank in best:
            first_ranks.setdefault(rank & (INNER_WORD_FLAG - 1), rank)
        # The two files are not replaced atomically: a row may be out of range.
        valid = [number for number in first_ranks if number < len(arrays.suggestions)][:limit]
        rows = zip(valid, arrays.suggestions[valid].tolist(), strict=True)
        found = []
        for number, (text, weight, ids) in rows:
            is_inner = first_ranks[number] >= INNER_WORD_FLAG
            found.append((Suggestion(text.decode(), is_inner, weight), ids.tolist()))
        return found


class StoredSuggestions:
    """Suggestions from the pages of an index, found by a prefix of one of their words."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "suggestions.db"
        self._reader = DeltaReader(self._path)
        self._prefix_index = PrefixIndex(folder)

    def complete(self, prefix: str, limit: int) -> list[Suggestion]:
        key = normalize_phrase(prefix)
        return self._find([key], limit)[:limit] if key else []

    def fuzzy_complete(self, prefix: str, limit: int) -> list[Suggestion]:
        for edits in single_edit_prefixes(normalize_phrase(prefix)):  # the likelier ones first
            if matches := self._find(edits, limit):
                return matches
        return []

    def _find(self, keys: Sequence[str], limit: int) -> list[Suggestion]:
        """Suggestions with one of these prefixes."""
        stored = self._with_live_pages(self._prefix_index.find(keys, limit))
        by_phrase = {normalize_phrase(one.text): one for one in stored}
        for one in self._find_recent(keys, limit):
            phrase = normalize_phrase(one.text)
            by_phrase[phrase] = by_phrase.get(phrase, one)._replace(text=one.text)
        found = sorted(by_phrase.values(), key=lambda one: (one.is_inner, -one.weight))
        return _with_full_prefix(found, keys)

    def _find_recent(self, keys: Sequence[str], limit: int) -> list[Suggestion]:
        """Suggestions from pages added since the arrays were written."""
        if not self._reader.rows(SELECT_ANY_RECENT_PREFIX, ()):
            return []
        prefixes = dumps(_truncate(keys))
        rows = self._reader.rows(SELECT_RECENT_PREFIXES, (prefixes, MAX_RECENT_PREFIXES))
        best = sorted({(bool(is_inner), len(text), text) for text, is_inner in rows})
        return [Suggestion(text, is_inner, 0.0) for is_inner, _, text in best[:limit]]

    def _with_live_pages(
        self, matches: Sequence[tuple[Suggestion, Sequence[int]]]
    ) -> list[Suggestion]:
        """The matches that have at least one unchanged page."""
        all_ids = {id for _, ids in matches for id in ids if id > 0}
        marks = ", ".join("?" * len(all_ids))
        sql = f"select page_id from changed_page where page_id in ({marks})"
        changed = {0, *(id for (id,) in self._reader.rows(sql, [*all_ids]))}
        return [one for one, ids in matches if MANY_PAGES in ids or {*ids} - changed]


class _PrefixArrays(NamedTuple):
    """The arrays of both files."""

    suggestions: NDArray[np.void]
    prefixes: NDArray[np.void]


def _load(path: Path) -> _PrefixArrays:
    return _PrefixArrays(map_array(path), map_array(path.with_name(PREFIXES_FILE)))


def prefix_ranges(
    values: NDArray[np.generic],
    lower_bounds: NDArray[np.generic],
    upper_bounds: NDArray[np.generic],
    sorter: NDArray[np.int64] | None = None,
) -> list[slice]:
    """The disjoint ranges of a sorted array between these bounds, upper bounds included.

    Values that share a prefix are adjacent, so two ranges are either nested or disjoint.
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


def prefix_keys(phrase: str) -> list[tuple[bytes, bool]]:
    """The prefix starting at each word of a phrase, and whether that is an inner word."""
    keys = [(phrase.encode()[:PREFIX_KEY_BYTES], False)]
    start, is_inner = 0, False
    while len(keys) < MAX_PREFIXES_PER_PHRASE and (following := phrase.find(" ", start) + 1):
        is_inner = is_inner or phrase[start : following - 1] not in LEADING_STOP_WORDS
        start = following
        prefix = phrase[start : start + PREFIX_KEY_BYTES].encode()[:PREFIX_KEY_BYTES]
        keys.append((prefix, is_inner))
    return keys


def _suggestion_dtype(width: int) -> np.dtype[np.void]:
    return np.dtype(
        [
            ("text", f"S{width}"),
            ("weight", np.float32),
            ("page_ids", np.int64, (MAX_PAGES_PER_NAME,)),
        ]
    )


def _prefix_arrays(phrases: Sequence[str]) -> tuple[NDArray[np.bytes_], NDArray[np.int32]]:
    """The prefixes of these phrases, and the index of each prefix's phrase."""
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


def _truncate(keys: Sequence[str]) -> list[str]:
    """The prefixes, truncated to the bytes that are compared."""
    if all(map(str.isascii, keys)):
        return [key[:PREFIX_KEY_BYTES] for key in keys]
    return [key.encode()[:PREFIX_KEY_BYTES].decode(errors="ignore") for key in keys]


def _with_full_prefix(found: list[Suggestion], keys: Sequence[str]) -> list[Suggestion]:
    """The suggestions with one of these prefixes in full: only the first bytes were looked up."""
    if not found or max(map(len, map(str.encode, keys))) <= PREFIX_KEY_BYTES:
        return found
    prefixes = [f" {key}" for key in keys]
    return [
        one
        for one in found
        if any(prefix in f" {normalize_phrase(one.text)}" for prefix in prefixes)
    ]
