"""What are the terms of documents, said fast? Chunks of texts are remembered with their terms.

The rules are those of `byway.text`, which is asked for each new chunk. The texts of documents are
then put together by compiled code, many times as fast as Python could.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from byway.backends.embedded import kernel
from byway.backends.embedded.kernel import Bytes, Numbers, Places
from byway.backends.embedded.votes import Hashes
from byway.text import LANGUAGES, TURKISH, plain_terms, terms_and_words

APART = bytes(range(2, 33)) + b'!"$%&()*,/:;<=>?@[\\]^_`{|}~\x7f'
"""What is part of no word, wherever it stands, and so parts chunks; dots and hyphens mostly do."""
SMALLEST = 1 << 14
MOST = 600_000
"""Chunks that are remembered: then all are forgotten."""
MOST_BYTES = 12_000_000
"""Bytes of chunks, and of their terms: a word has ten, a text without spaces far more."""

NUMBERS = {language: number for number, language in enumerate(("", *LANGUAGES))}
NAMES = list(NUMBERS)

Judged = Callable[[str], bool]
Grown = TypeVar("Grown", Bytes, Numbers)


@dataclass(frozen=True, slots=True)
class Shape:
    """What the fields of documents are."""

    spelt: NDArray[np.bool_]
    """Which of them are spelt, and not only coded."""
    title: int
    body: int
    """In which of them words are counted."""


class Counted:
    """How many documents have each word? Words have numbers, so that compiled code can count."""

    def __init__(self, counts: Judged) -> None:
        self._counts = counts
        self._numbers: dict[str, int] = {}
        self.stamps: Numbers = np.zeros(SMALLEST, np.uint32)
        self.counts: Numbers = np.zeros(SMALLEST, np.uint32)
        self.stamp = 0

    def numbers_of(self, words: Iterable[str]) -> list[int]:
        """The numbers of those words that are counted."""
        numbers, counts = self._numbers, self._counts
        return [numbers.setdefault(word, len(numbers)) for word in words if counts(word)]

    def make_room(self) -> None:
        """Let all words be counted that have numbers."""
        self.stamps = _grown(self.stamps, len(self._numbers))
        self.counts = _grown(self.counts, len(self._numbers))

    def drained(self) -> dict[str, int]:
        """What was counted since the last time."""
        some = np.flatnonzero(self.counts).tolist()
        names = list(self._numbers)
        found = {names[n]: int(self.counts[n]) for n in some}
        self.counts[:] = 0
        return found

    def __len__(self) -> int:
        return len(self._numbers)


@dataclass(frozen=True, slots=True)
class Said:
    """What some documents say; the codes are good until the next are asked for."""

    spelt: bytes
    """Terms with spaces between, pieces on lines of their own, a mark behind each field."""
    codes: Numbers
    ends: list[list[int]]
    """For each field of each document: where it ends among the codes."""
    alike: list[int]
    """What each body is like."""


class Lexicon:
    """Chunks of texts in any language, with their terms and words."""

    def __init__(self, shape: Shape, counted: Counted, kept: Judged) -> None:
        self._shape = shape
        self._counted = counted
        self._kept = kept
        self._seed = np.uint64(secrets.randbits(64))  # who writes pages must not know it
        self._chunks: NDArray[np.int32] = np.zeros(SMALLEST, np.int32)
        self._spelt: Bytes = np.zeros(1 << 16, np.uint8)
        self._coded: Numbers = np.zeros(SMALLEST, np.uint32)
        self._forget()

    def _forget(self) -> None:
        self._size = 0
        self._table: Hashes = np.zeros(4 * SMALLEST, np.uint64)
        self._rows: Numbers = np.zeros((SMALLEST, kernel.COLUMNS), np.uint32)
        self._keys: Bytes = np.zeros(16 * SMALLEST, np.uint8)
        self._said: Bytes = np.zeros(16 * SMALLEST, np.uint8)
        self._codes: Numbers = np.zeros(SMALLEST, np.uint32)
        self._words: Numbers = np.zeros(SMALLEST, np.uint32)

    def look_up(
        self, texts: Sequence[bytes], languages: Sequence[str], until: Sequence[int]
    ) -> Said:
        """What these documents say; words are counted as far as `until` says for each."""
        used = self._rows[self._size]
        if self._size > MOST or max(used[kernel.KEY], used[kernel.SAID]) > MOST_BYTES:
            self._forget()
        counted = np.full(len(texts), -1, np.int64)
        known = self._size
        chunks = self._taken_apart(texts, languages, until, counted)
        if self._size > known:
            self._learn(known)
        self._count(chunks, counted)
        return self._put_together(chunks, len(texts))

    def _count(self, chunks: NDArray[np.int32], until: Places) -> None:
        kernel.count(
            chunks,
            len(self._shape.spelt),
            self._shape.title,
            self._shape.body,
            until,
            self._rows,
            self._words,
            self._counted.stamps,
            self._counted.counts,
            self._counted.stamp + 1,
        )
        self._counted.stamp += len(until)

    def _taken_apart(
        self,
        texts: Sequence[bytes],
        languages: Sequence[str],
        until: Sequence[int],
        counted: Places,
    ) -> NDArray[np.int32]:
        """The numbers of all chunks; those that are new have no terms yet."""
        folded = b"".join(
            text.translate(TURKISH_FOLDS if language == TURKISH else FOLDS)
            for text, language in zip(texts, languages, strict=True)
        )
        if len(folded) > len(self._chunks):
            self._chunks = np.zeros(2 * len(folded), np.int32)
        begins = np.cumsum([0, *map(len, texts)])[:-1]
        while True:
            self._size, found = kernel.take_apart(
                np.frombuffer(folded, np.uint8),
                len(self._shape.spelt),
                np.array([NUMBERS.get(language, 0) for language in languages], np.uint32),
                begins + np.array(until, np.int64),
                self._seed,
                self._table,
                self._rows,
                self._keys,
                self._size,
                self._chunks,
                counted,
            )
            if found != kernel.NO_ROOM:
                return self._chunks[:found]
            self._make_room(len(folded))

    def _make_room(self, needed: int) -> None:
        """Let there be room for new chunks."""
        self._rows = _grown(self._rows, self._size + SMALLEST)
        self._keys = _grown(self._keys, int(self._rows[self._size, kernel.KEY]) + needed)
        if 4 * self._size > len(self._table):
            self._table = np.zeros(4 * len(self._table), np.uint64)
            kernel.fill(self._seed, self._table, self._rows, self._keys, self._size)

    def _learn(self, known: int) -> None:
        """Put down the terms and words of the chunks that are new."""
        new = self._rows[known + 1 : self._size + 1]
        start, end = self._rows[known, kernel.KEY], self._rows[self._size, kernel.KEY]
        written = self._keys[start:end].tobytes().decode().split("\n")
        plain = [chunk for chunk in written if chunk.isascii() and chunk.isalnum()]
        stems = dict(zip(plain, plain_terms(plain), strict=True))
        every: list[str] = []
        words: list[int] = []
        until: list[tuple[int, int]] = []
        for chunk, language in zip(written, new[:, kernel.LANGUAGE].tolist(), strict=False):
            found: Sequence[str] = (stems.get(chunk, ""),) if not language else ()
            folded: Sequence[str] = (chunk,)
            if not any(found):
                found, folded = terms_and_words(chunk, NAMES[language])
            every += filter(self._kept, found)
            words += self._counted.numbers_of(folded)
            until.append((len(every), len(words)))
        self._counted.make_room()
        spelt = " ".join(every).encode().split(b" ") if every else []
        codes = [*map(crc32, spelt)]
        said = b" ".join([*spelt, b""])
        longs = np.cumsum([0, *map(len, spelt)]) + np.arange(len(spelt) + 1)
        ends = np.array(until, np.int64)
        before = self._rows[known].astype(np.int64)
        new[:, kernel.SAID] = before[kernel.SAID] + longs[ends[:, 0]]
        new[:, kernel.CODE] = before[kernel.CODE] + ends[:, 0]
        new[:, kernel.WORD] = before[kernel.WORD] + ends[:, 1]
        self._said = _appended(self._said, before[kernel.SAID], np.frombuffer(said, np.uint8))
        self._codes = _appended(self._codes, before[kernel.CODE], np.array(codes, np.uint32))
        self._words = _appended(self._words, before[kernel.WORD], np.array(words, np.uint32))

    def _put_together(self, chunks: NDArray[np.int32], documents: int) -> Said:
        ends = np.zeros((documents, len(self._shape.spelt)), np.int64)
        alike = np.zeros(documents, np.int64)
        while True:
            out = kernel.put_together(
                chunks,
                self._shape.spelt,
                self._shape.body,
                self._rows,
                self._said,
                self._codes,
                self._spelt,
                self._coded,
                ends,
                alike,
            )
            if out != kernel.NO_ROOM:
                break
            self._spelt = np.zeros(2 * len(self._spelt), np.uint8)
            self._coded = np.zeros(2 * len(self._coded), np.uint32)
        spelt = self._spelt[:out].tobytes()
        return Said(spelt, self._coded[: ends[-1, -1]], ends.tolist(), alike.tolist())


def _grown(rows: Grown, needed: int) -> Grown:
    """The rows with room for so many."""
    if needed <= len(rows):
        return rows
    grown = np.zeros((2 * needed, *rows.shape[1:]), rows.dtype)
    grown[: len(rows)] = rows
    return grown


def _appended(rows: Grown, end: int, more: Grown) -> Grown:
    """The rows with more behind that end, and some room."""
    rows = _grown(rows, end + len(more) + kernel.STRIDE)
    rows[end : end + len(more)] = more
    return rows


def _folds(small: bool) -> bytes:
    """What each byte is to the lexicon: a mark, 0 if it parts chunks, a letter in its small form.

    Bytes 0 and 1 end pieces and fields, as in the texts that are asked for.
    """
    plain = bytes(range(256)).lower() if small else bytes(range(256))
    marks = {0: kernel.PIECE, 1: kernel.FIELD, **dict.fromkeys(APART, 0)}
    return bytes(marks.get(byte, plain[byte]) for byte in range(256))


FOLDS, TURKISH_FOLDS = _folds(small=True), _folds(small=False)
