"""How is a word mostly written? Words are counted without accents, and this knows those they have.

    written.npy   `schlussel=schlüssel`, in order: how many documents write a word so, and how many
                  have it at all; nothing for words that all write as they are counted

Searchers map the file; the vocabulary writes it together with its own.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from byway.core.text import fold_surface_form
from byway.index.disk.checksums import damaged_file_error
from byway.storage.durable import atomic_write

SURFACE_FORM_SEPARATOR = "="
"""Before a word, and before how it is written: no word has it, and nobody begins to type it."""

MAX_SURFACE_FORMS_PER_WORD = 8
"""Spellings of a word that are remembered."""


def dictionary_keys(surface_form: str) -> list[str]:
    """What a word with its accents is counted as: the word without, and that it is written so."""
    if surface_form.isascii():
        return [surface_form]
    word = fold_surface_form(surface_form)
    return (
        [word]
        if word == surface_form
        else [word, f"{SURFACE_FORM_SEPARATOR}{word}{SURFACE_FORM_SEPARATOR}{surface_form}"]
    )


@dataclass(frozen=True, slots=True)
class _SurfaceFormRows:
    """The file as it was last read."""

    stamp: int
    rows: NDArray[np.void]


class SurfaceForms:
    """The spellings of words, in one file."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "written.npy"
        self._known = _SurfaceFormRows(0, np.zeros(0, _row(1)))
        self._counts: Counter[str] | None = None

    def add(self, surface_forms: Mapping[str, int], words: Mapping[str, int]) -> None:
        """Replace the file: these spellings have come, as they are counted, of these words.

        Those of no word any more are forgotten, and all but the most frequent of each.
        """
        if self._counts is None:
            self._counts = Counter({key.decode(): n for key, n, _ in self._read().tolist()})
        self._counts.update({key[1:]: count for key, count in surface_forms.items()})
        kept: Counter[str] = Counter()
        found: list[tuple[bytes, int, int]] = []
        for key, count in self._counts.most_common():
            word = key[: key.index(SURFACE_FORM_SEPARATOR)]
            if word in words and kept[word] < MAX_SURFACE_FORMS_PER_WORD:
                kept[word] += 1
                found.append((key.encode(), count, words[word]))
        if len(found) < len(self._counts):
            self._counts = Counter({key.decode(): count for key, count, _ in found})
        found.sort()
        rows = np.array(found, _row(max((len(key) for key, _, _ in found), default=1)))
        with atomic_write(self._path) as file:
            np.save(file, rows)

    def most_frequent(
        self, word: str, delta_counts: Iterable[tuple[str, int]], delta_frequency: int
    ) -> str:
        """How most documents write a word.

        `delta_counts`: what was counted since the file was written; `delta_frequency`: how many
        have the word.
        """
        rows = self._read()
        start = f"{word}{SURFACE_FORM_SEPARATOR}".encode()
        here, end = np.searchsorted(rows["key"], [start, start + b"\xff"])
        forms = Counter(dict(rows[["key", "count"]][here:end].tolist()))
        forms.update({key[1:].encode(): count for key, count in delta_counts})
        if not forms:
            return word
        among = delta_frequency + int(rows["of"][here] if here < end else 0)
        best = max(forms, key=lambda key: (forms[key], key))
        plainly = among - forms.total()
        return best[len(start) :].decode() if forms[best] > plainly else word

    def _read(self) -> NDArray[np.void]:
        """What the file says now; swapped whole, since several threads may ask."""
        try:
            stamp = self._path.stat().st_mtime_ns
            if stamp != self._known.stamp:
                rows = np.asarray(np.load(self._path, mmap_mode="r"))
                self._known = _SurfaceFormRows(stamp, rows[["key", "count", "of"]])
        except FileNotFoundError:  # not made yet, or deleted since another took its place
            return self._known.rows
        except (ValueError, EOFError, IndexError, KeyError) as error:
            raise damaged_file_error(self._path, str(error)) from error
        return self._known.rows


def _row(width: int) -> np.dtype[np.void]:
    return np.dtype([("key", f"S{width}"), ("count", np.int64), ("of", np.int64)])
