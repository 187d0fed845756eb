"""Which phrases begin like this? Each word of a phrase is a beginning of it, in a sorted array.

    phrases.npy     the phrases as written and some pages that are called so, the likeliest first
    beginnings.npy  the beginnings in order, each with the number of its phrase

Searchers map both. A slip is looked for by looking up everything that is one slip away, so it takes
as long among a million phrases as among a thousand.
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
from byway.index.dictionary.prefix_ranges import prefix_ranges
from byway.index.disk.checksums import damaged_file_error
from byway.index.suggest.title_cleanup import MAX_PAGES_PER_NAME, PageName
from byway.storage.durable import atomic_write

PREFIX_KEY_BYTES = 40
"""Bytes of a beginning that are compared."""
MAX_PREFIXES_PER_PHRASE = 8
"""Words of a phrase that one can begin with."""
ROWS_PER_WRITE = 5000
"""Rows that are written at a time: as objects they take ten times as much as in the file."""
INNER_WORD_FLAG = 1 << 30
"""Added to the number of a phrase where something stands before: such ones come later."""
PREFIX_DTYPE = np.dtype([("key", f"S{PREFIX_KEY_BYTES}"), ("phrase", np.int32)])
LEADING_STOP_WORDS = frozenset[str]().union(
    *(STOP_WORDS[language] for language in ("de", "en", "ru"))
)
"""Words that may stand before a phrase without being its beginning: `The PostgreSQL Type System`"""


@dataclass(frozen=True, slots=True)
class SuggestionMatch:
    """A phrase, and pages that are called so: 0 for none, -1 for many more."""

    text: str
    page_ids: tuple[int, ...]


class PrefixIndex:
    """The phrases of a folder's files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known = _PrefixArrays(0, np.zeros(0, _phrase(1)), np.zeros(0, PREFIX_DTYPE))

    def write(self, names: Mapping[str, PageName]) -> None:
        """Replace the files: these phrases, by their plain words, the likeliest first."""
        self._write_beginnings(list(names))
        self._write_phrases(list(names.values()))

    def _write_beginnings(self, phrases: Sequence[str]) -> None:
        keys, numbers = _beginnings(phrases)
        order = np.argsort(keys, kind="stable")
        rows = np.zeros(ROWS_PER_WRITE, PREFIX_DTYPE)
        with _saving(self._folder / "beginnings.npy", PREFIX_DTYPE, len(order)) as file:
            for piece in _pieces(len(order)):
                some = order[piece]
                rows["key"][: len(some)] = keys[some]
                rows["phrase"][: len(some)] = numbers[some]
                file.write(rows[: len(some)].tobytes())

    def _write_phrases(self, names: Sequence[PageName]) -> None:
        kind = _phrase(max((len(name.text.encode()) for name in names), default=1))
        rows = np.zeros(ROWS_PER_WRITE, kind)
        with _saving(self._folder / "phrases.npy", kind, len(names)) as file:
            for piece in _pieces(len(names)):
                some = names[piece]
                rows["text"][: len(some)] = [name.text.encode() for name in some]
                rows["owners"][: len(some)] = [name.padded_page_ids() for name in some]
                file.write(rows[: len(some)].tobytes())

    def find(self, prefixes: Sequence[str], limit: int) -> list[SuggestionMatch]:
        """The phrases in which a word, and what follows it, begins like one of these."""
        known = self._read()
        wanted = [key.encode()[:PREFIX_KEY_BYTES] for key in prefixes]
        if not wanted or not len(known.prefixes):
            return []
        firsts = np.array(wanted, f"S{PREFIX_KEY_BYTES}")
        lasts = np.array(
            [key.ljust(PREFIX_KEY_BYTES, b"\xff") for key in wanted], f"S{PREFIX_KEY_BYTES}"
        )
        ranges = prefix_ranges(known.prefixes["key"], firsts, lasts)
        if not ranges:
            return []
        ranks = np.concatenate([known.prefixes["phrase"][each] for each in ranges])
        # A phrase may stand there for several of its words.
        few = min(len(ranks), limit * MAX_PREFIXES_PER_PHRASE)
        best = np.sort(np.partition(ranks, few - 1)[:few]) & (INNER_WORD_FLAG - 1)
        # One file is replaced after the other, and somebody may look in between.
        there = dict.fromkeys(best[best < len(known.phrases)].tolist())
        rows = known.phrases[[*there][:limit]]
        return [SuggestionMatch(text.decode(), tuple(owners.tolist())) for text, owners in rows]

    def _read(self) -> "_PrefixArrays":
        """What the files say now; swapped whole, since several threads may ask."""
        path = self._folder / "phrases.npy"
        try:
            stamp = path.stat().st_mtime_ns
            if stamp != self._known.stamp:
                phrases = np.asarray(np.load(path, mmap_mode="r"))
                beginnings = np.asarray(np.load(self._folder / "beginnings.npy", mmap_mode="r"))
                self._known = _PrefixArrays(stamp, phrases, beginnings)
        except FileNotFoundError:  # not made yet, or deleted since another took its place
            return self._known
        except (ValueError, EOFError) as error:
            raise damaged_file_error(path, str(error)) from error
        return self._known


@dataclass(frozen=True, slots=True)
class _PrefixArrays:
    """The files as they were last read."""

    stamp: int
    phrases: NDArray[np.void]
    prefixes: NDArray[np.void]


def prefix_keys(phrase: str) -> list[tuple[bytes, bool]]:
    """The phrase from each of its words on, and whether something stands before that."""
    found = [(phrase.encode()[:PREFIX_KEY_BYTES], False)]
    here, inside = 0, False
    while len(found) < MAX_PREFIXES_PER_PHRASE and (place := phrase.find(" ", here) + 1):
        inside = inside or phrase[here : place - 1] not in LEADING_STOP_WORDS
        here = place
        found.append((phrase[here : here + PREFIX_KEY_BYTES].encode()[:PREFIX_KEY_BYTES], inside))
    return found


def _phrase(width: int) -> np.dtype[np.void]:
    return np.dtype([("text", f"S{width}"), ("owners", np.int64, (MAX_PAGES_PER_NAME,))])


def _beginnings(phrases: Sequence[str]) -> tuple[NDArray[np.bytes_], NDArray[np.int32]]:
    """The beginnings of these phrases, and the number of the phrase of each."""
    keys: list[NDArray[np.bytes_]] = [np.zeros(0, f"S{PREFIX_KEY_BYTES}")]
    numbers = array("i")
    for piece in _pieces(len(phrases)):
        each = [prefix_keys(phrase) for phrase in phrases[piece]]
        keys.append(np.array([key for begun in each for key, _ in begun], f"S{PREFIX_KEY_BYTES}"))
        for number, begun in enumerate(each, piece.start):
            numbers.extend(number | INNER_WORD_FLAG if inside else number for _, inside in begun)
    return np.concatenate(keys), np.array(numbers, np.int32)


def _pieces(many: int) -> Iterator[slice]:
    """Where so many rows are, some of them at a time."""
    return (slice(here, here + ROWS_PER_WRITE) for here in range(0, many, ROWS_PER_WRITE))


@contextmanager
def _saving(path: Path, kind: np.dtype[np.void], count: int) -> Iterator[BinaryIO]:
    """A file for an array with so many rows, which are written behind its head."""
    with atomic_write(path) as file:
        head = {"descr": format.dtype_to_descr(kind), "fortran_order": False, "shape": (count,)}
        format.write_array_header_1_0(file, head)
        yield file
