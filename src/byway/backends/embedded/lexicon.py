"""What are the terms of a document, said fast? Chunks of texts are remembered with their terms.

The rules are those of `byway.text`, which is asked for each new chunk. The texts of a document are
then put together by compiled code, several times as fast as Python could.
"""

import secrets
from collections.abc import Callable, Iterable
from struct import pack
from zlib import crc32

import numpy as np

from byway.backends.embedded.kernel import NO_ROOM, Bytes, Hashes, Numbers, look_up, take_in
from byway.text import LANGUAGES, plain_term, terms

APART = bytes(range(33)) + b'!"$%&()*,/:;<=>?@[\\]^_`{|}~\x7f'
"""What is part of no word, wherever it stands, and so parts chunks; dots and hyphens mostly do."""
SMALLEST = 1 << 14
MOST = {"": 500_000}
MOST_OF_OTHERS = 50_000
"""Chunks that are remembered, of each language: then all are forgotten."""
ROOM = 128
"""Bytes that a chunk may take on average: a word takes about 40, a text without spaces far more."""
ASKED_AT_ONCE = 4096

Words = Callable[[str], Iterable[str]]


class Counted:
    """How many documents have each word? Words have numbers, so that compiled code can count."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._numbers: dict[str, int] = {}
        self.stamps: Numbers = np.zeros(SMALLEST, np.uint32)
        self.counts: Numbers = np.zeros(SMALLEST, np.uint32)
        self.stamp = 0

    def numbers_of(self, chunk: str) -> list[int]:
        """The numbers of the words in a chunk."""
        numbers = self._numbers
        found = [numbers.setdefault(word, len(numbers)) for word in self._words(chunk)]
        if len(numbers) > len(self.counts):
            self.stamps = np.concatenate((self.stamps, np.zeros_like(self.stamps)))
            self.counts = np.concatenate((self.counts, np.zeros_like(self.counts)))
        return found

    def drained(self) -> dict[str, int]:
        """What was counted since the last time."""
        some = np.flatnonzero(self.counts).tolist()
        names = list(self._numbers)
        found = {names[n]: int(self.counts[n]) for n in some}
        self.counts[:] = 0
        return found

    def __len__(self) -> int:
        return len(self._numbers)


class Lexicon:
    """The chunks of texts in one language, with their terms and words."""

    def __init__(self, language: str, counted: Counted, kept: Callable[[str], bool]) -> None:
        self._language = language
        self._counted = counted
        self._kept = kept
        self._most = MOST.get(language, MOST_OF_OTHERS)
        self._seed = np.uint64(secrets.randbits(64))  # who writes pages must not know it
        self._folds = np.frombuffer(_folds(small=language != "tr"), np.uint8)
        self._spelt: Bytes = np.zeros(1 << 16, np.uint8)
        self._codes: Numbers = np.zeros(1 << 14, np.uint32)
        self._missing = np.zeros((ASKED_AT_ONCE, 2), np.int64)
        self._forget()

    def _forget(self) -> None:
        self._table: Hashes = np.zeros(SMALLEST, np.uint64)
        self._arena: Bytes = np.zeros(16 * SMALLEST, np.uint8)
        self._used, self._size = 1, 0  # 0 in the table says that nothing is there

    def look_up(
        self, text: bytes, fields: int, counted: tuple[int, int, int]
    ) -> tuple[Bytes, Numbers, list[list[int]]]:
        """The terms of so many fields, spelt and as codes, and where each field ends in both.

        The arrays are good until the next call.
        """
        if self._size > self._most or 4 * self._used > ROOM * self._most:
            self._forget()
        ends = np.zeros((fields, 2), np.int64)
        self._counted.stamp += 1
        while True:
            unknown = look_up(
                np.frombuffer(text, np.uint8),
                self._folds,
                self._seed,
                self._table,
                self._arena,
                self._spelt,
                self._codes,
                ends,
                self._missing,
                counted,
                self._counted.stamps,
                self._counted.counts,
                np.uint32(self._counted.stamp),
            )
            if unknown == NO_ROOM:
                self._spelt = np.zeros(2 * len(self._spelt), np.uint8)
                self._codes = np.zeros(2 * len(self._codes), np.uint32)
            elif unknown:
                self._learn({text[a:b] for a, b in self._missing[:unknown].tolist()})
            else:
                return self._spelt, self._codes, ends.tolist()

    def _learn(self, chunks: Iterable[bytes]) -> None:
        small = self._language != "tr"
        new = {chunk.lower() if small else chunk for chunk in chunks}
        records = b"".join(map(self._record, new))
        start, end = self._used, self._used + len(records) // 4
        if 4 * end > len(self._arena):
            grown = np.zeros(2 * 4 * end, np.uint8)
            grown[: 4 * start] = self._arena[: 4 * start]
            self._arena = grown
        self._arena[4 * start : 4 * end] = np.frombuffer(records, np.uint8)
        self._used, self._size = end, self._size + len(new)
        if 2 * self._size > len(self._table):
            self._table = np.zeros(4 * len(self._table), np.uint64)
            start = 1
        take_in(self._seed, self._table, self._arena, start, end)

    def _record(self, chunk: bytes) -> bytes:
        written = chunk.decode()
        plain = chunk.isalnum() and self._language != "tr"  # as nearly all are
        found = (plain_term if plain else terms)(written, self._language)
        spelt = [term.encode() for term in found if self._kept(term)]
        said = b" ".join(spelt) + b" " if spelt else b""
        words = self._counted.numbers_of(written)
        head = (len(chunk), len(said), len(spelt), len(words), *map(crc32, spelt), *words)
        whole = pack(f"<{len(head)}I", *head) + chunk + said
        return whole + bytes(-len(whole) % 4)


def language_of(language: str) -> str:
    """The language by whose rules a text is analysed."""
    return language if language in LANGUAGES else ""


def _folds(small: bool) -> bytes:
    """What each byte is to the lexicon: 0 if it parts chunks, a letter maybe in its small form."""
    plain = bytes(range(256))
    return (plain.lower() if small else plain).translate(
        bytes(0 if byte in APART else byte for byte in range(256))
    )
