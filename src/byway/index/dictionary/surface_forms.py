"""Surface forms: how documents write the words that the dictionary counts without accents.

    surface_forms.npy   sorted rows `schlussel=schlüssel`: the number of documents with this form,
                        and with the word in any form; no row for words never written with accents

Searchers map the file; the term dictionary writes it along with its own.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from byway.core.files import atomic_write
from byway.core.text import fold_surface_form
from byway.index.index_files import ReloadedFile, map_array

SURFACE_FORM_SEPARATOR = "="
"""The character before the word and before its surface form in a dictionary key; in no word."""

MAX_SURFACE_FORMS_PER_WORD = 8
"""Maximum number of surface forms kept per word."""


def dictionary_keys(surface_form: str) -> list[str]:
    """The dictionary keys of a surface form: the folded word, and the form itself if it differs."""
    if surface_form.isascii():
        return [surface_form]
    word = fold_surface_form(surface_form)
    return (
        [word]
        if word == surface_form
        else [word, f"{SURFACE_FORM_SEPARATOR}{word}{SURFACE_FORM_SEPARATOR}{surface_form}"]
    )


class SurfaceForms:
    """The surface forms of an index's words."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "surface_forms.npy"
        empty: NDArray[np.void] = np.zeros(0, _row_dtype(1))
        self._file = ReloadedFile(self._path, empty, _load)
        self._counts: Counter[str] | None = None

    def add(self, surface_forms: Mapping[str, int], words: Mapping[str, int]) -> None:
        """Add counts of surface forms and replace the file.

        `words`: the document frequencies of all words. Drops forms of other words, and all but the
        most frequent forms of each word.
        """
        if self._counts is None:
            self._counts = Counter({key.decode(): n for key, n, _ in self._file.read().tolist()})
        self._counts.update({key[1:]: count for key, count in surface_forms.items()})
        forms_per_word: Counter[str] = Counter()
        entries: list[tuple[bytes, int, int]] = []
        for key, count in sorted(self._counts.items(), key=lambda item: (-item[1], item[0])):
            if count <= 0:
                continue
            word = key[: key.index(SURFACE_FORM_SEPARATOR)]
            if word in words and forms_per_word[word] < MAX_SURFACE_FORMS_PER_WORD:
                forms_per_word[word] += 1
                entries.append((key.encode(), count, words[word]))
        if len(entries) < len(self._counts):
            self._counts = Counter({key.decode(): count for key, count, _ in entries})
        entries.sort()
        rows = np.array(entries, _row_dtype(max((len(key) for key, _, _ in entries), default=1)))
        with atomic_write(self._path) as file:
            np.save(file, rows)

    def clear(self) -> None:
        """Forget all counts; the file stays until `add` replaces it."""
        self._counts = Counter()

    def keys(self) -> list[str]:
        """The dictionary keys of all surface forms."""
        rows = self._file.read()["key"].tolist()
        return [SURFACE_FORM_SEPARATOR + key.decode() for key in rows]

    def counts(
        self, word: str, delta_counts: Iterable[tuple[str, int]], delta_frequency: int
    ) -> dict[str, int]:
        """The number of documents that write a word in each form, including its folded form.

        `delta_counts` and `delta_frequency`: counts of its forms and of the word itself since the
        file was written.
        """
        rows = self._file.read()
        key_start = f"{word}{SURFACE_FORM_SEPARATOR}".encode()
        first, end = np.searchsorted(rows["key"], [key_start, key_start + b"\xff"])
        forms = Counter(dict(rows[["key", "count"]][first:end].tolist()))
        forms.update({key[1:].encode(): count for key, count in delta_counts})
        if not forms:
            return {}
        frequency = delta_frequency + int(rows["word_count"][first] if first < end else 0)
        counts = {key[len(key_start) :].decode(): count for key, count in forms.items()}
        return {word: max(0, frequency - forms.total())} | counts


def _load(path: Path) -> NDArray[np.void]:
    return map_array(path)[["key", "count", "word_count"]]


def _row_dtype(width: int) -> np.dtype[np.void]:
    return np.dtype([("key", f"S{width}"), ("count", np.int64), ("word_count", np.int64)])
