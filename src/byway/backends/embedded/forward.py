"""The forward file: the terms of each document in order, for what tantivy cannot tell.

    forward.terms   for each document: how long each field is, then uint32 codes of all its terms
    forward.table   for each URL number: where its document starts, and how long it is

Both are memory-mapped by readers; `forward_writer` fills them.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from byway.backends.embedded.analysis import BETWEEN
from byway.backends.embedded.damage import damaged
from byway.candidates import Floats, Ids
from byway.fields import FIELDS
from byway.question import ANY, Reading, Word, telling

ROW = np.dtype([("start", "<i8"), ("length", "<i8")])
BODY = list(FIELDS).index("body")
TITLE = list(FIELDS).index("title")
NEAR = 8
"""Words that stand no further apart than this are near each other."""
STRIDE = 1 << 20
"""More than the positions of any document, so that those of two never touch."""

Codes = NDArray[np.uint32]


class _Coded(dict[str, int]):
    """The code of each term, remembered."""

    def __missing__(self, term: str) -> int:
        if len(self) > 500_000:
            self.clear()
        code = self[term] = crc32(term.encode())
        return code


_coded = _Coded()


@dataclass(frozen=True, slots=True)
class Seen:
    """Where the words of a question stand in some documents; `ports.Candidates` says how."""

    counts: NDArray[np.float32]
    lengths: NDArray[np.int32]
    phrase: NDArray[np.float32]
    beside: NDArray[np.float32]
    near: NDArray[np.float32]
    window: Floats
    called: NDArray[np.float32]
    first: Floats

    @property
    def in_title(self) -> Floats:
        """The share of the words that each title has."""
        words = max(1, self.counts.shape[2])
        return np.asarray((self.counts[:, TITLE] > 0).sum(axis=1) / words, np.float64)


class ForwardReader:
    """Looks documents' terms up by number."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._terms: Codes = np.zeros(0, np.uint32)
        self._table: NDArray[np.void] = np.zeros(0, ROW)

    def refresh(self) -> None:
        """See what was added since."""
        terms, table = self._folder / "forward.terms", self._folder / "forward.table"
        with suppress(FileNotFoundError):  # not made yet, or deleted since another took its place
            rows, codes = table.stat().st_size // ROW.itemsize, terms.stat().st_size // 4
            if not codes or not rows:  # an empty file cannot be mapped
                return
            # As plain arrays over the map: slices of a memmap are ten times as slow to make.
            if rows != len(self._table):
                self._table = np.asarray(np.memmap(table, ROW, "r"))
            if codes != len(self._terms):
                self._terms = np.asarray(np.memmap(terms, np.uint32, "r"))

    def look(self, ids: Ids, words: Sequence[Word], spoken: Ids) -> Seen:
        """Where these words stand in these documents, each as it is read in what they speak."""
        codes, lengths = self._gathered(ids)
        ends = np.cumsum(lengths.reshape(-1), dtype=np.int64)
        place, word, weight, size, bits = _hits(codes, words)
        cell = np.searchsorted(ends, place, "right")
        inside = place + size <= ends[cell]  # no phrase goes on in the next field
        if bits is not None:
            inside &= (bits & spoken[cell // len(FIELDS)]) != 0
        if not inside.all():
            place, word, weight = place[inside], word[inside], weight[inside]
            size, cell = size[inside], cell[inside]
        counts = _counts(cell * len(words) + word, weight, lengths.size * len(words))
        phrase = np.zeros(lengths.size, np.float32)
        if len(words) > 1:
            phrase[cell[_runs(place, word, cell, len(words))]] = 1
        told = np.array(telling(words), np.int64)
        in_body = cell % len(FIELDS) == BODY
        body = in_body if len(told) == len(words) else in_body & np.isin(word, told)
        owner = cell[body] // len(FIELDS)
        position = place[body] - (ends - lengths.reshape(-1))[cell[body]]
        number = np.searchsorted(told, word[body])
        beside, near = _pairs(owner, position, number, size[body], (len(ids), len(words)), told)
        part = np.flatnonzero((weight == 1) & ~in_body)
        begin, length = _pieces(codes, place[part], ends, cell[part])
        hits, nearly = _called(begin, length, word[part], size[part], told)
        called = np.zeros(lengths.size, np.float32)
        np.maximum.at(called, cell[part[hits]], nearly.astype(np.float32))
        first = np.full(len(ids), np.inf)
        begins = _begins(owner)
        first[owner[begins]] = position[begins]
        return Seen(
            counts.reshape(len(ids), len(FIELDS), len(words)).astype(np.float32),
            lengths,
            phrase.reshape(lengths.shape),
            beside,
            near,
            _windows(owner, position, number, len(told), len(ids)),
            called.reshape(lengths.shape),
            first,
        )

    def _gathered(self, ids: Ids) -> tuple[Codes, NDArray[np.int32]]:
        """All the codes of these documents in a row, and how long each field of each is."""
        known = ids < len(self._table)
        rows = np.zeros(len(ids), ROW)
        rows[known] = self._table[ids[known]]
        starts, ends = rows["start"], rows["start"] + rows["length"]
        # A row of a file that is shorter than it was is as good as not there.
        there = (rows["length"] >= len(FIELDS)) & (ends <= len(self._terms)) & (starts >= 0)
        starts, ends = starts[there] + len(FIELDS), ends[there]
        lengths = np.zeros((len(ids), len(FIELDS)), np.int32)
        lengths[there] = self._terms[starts[:, None] - np.arange(len(FIELDS), 0, -1)]
        both = zip(starts.tolist(), ends.tolist(), strict=True)
        pieces = [self._terms[start:end] for start, end in both]
        if lengths.sum(dtype=np.int64) != sum(map(len, pieces)) or lengths.min(initial=0) < 0:
            raise damaged(self._folder / "forward.terms", "lengths that do not add up")
        return np.concatenate(pieces) if pieces else np.zeros(0, np.uint32), lengths


def _counts(place: NDArray[np.int64], weight: Floats, size: int) -> Floats:
    """How often words stand in each place; those that were not typed so count once at most."""
    typed = weight == 1
    counts = np.bincount(place[typed], minlength=size).astype(float)
    if not typed.all():
        other = np.zeros(size)
        np.maximum.at(other, place[~typed], weight[~typed])
        counts += other
    return counts


def _hits(
    codes: Codes, words: Sequence[Word]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, NDArray[np.int64], Ids | None]:
    """Where the words stand, in order; which word it is; its reading's weight, length, languages.

    None for the languages, if it does not matter which.
    """
    found: list[tuple[NDArray[np.int64], int, Reading]] = []
    for number, word in enumerate(words):
        for reading in word.readings:
            first, *rest = (_coded[term] for term in reading.terms)
            places = np.flatnonzero(codes == first)
            for after, code in enumerate(rest, 1):
                places = places[places + after < len(codes)]
                places = places[codes[places + after] == code]
            found.append((places, number, reading))
    if not found:
        none = np.zeros(0, np.int64)
        return none, none, np.zeros(0), none, None
    place = np.concatenate([places for places, _, _ in found])
    sizes = [len(places) for places, _, _ in found]
    word_numbers = np.repeat([number for _, number, _ in found], sizes)
    weights = np.repeat([reading.weight for _, _, reading in found], sizes)
    longs = np.repeat([len(reading.terms) for _, _, reading in found], sizes)
    order = np.argsort(place, kind="stable")
    bits = None
    if any(reading.languages != ANY for _, _, reading in found):
        bits = np.repeat([reading.languages for _, _, reading in found], sizes)[order]
    return place[order], word_numbers[order], weights[order], longs[order], bits


def _pairs(
    owner: NDArray[np.int64],
    position: NDArray[np.int64],
    word: NDArray[np.int64],
    size: NDArray[np.int64],
    shape: tuple[int, int],
    told: NDArray[np.int64],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """How often each telling word and the next stand as they were typed, and near each other."""
    together = owner[1:] == owner[:-1]
    apart = position[1:] - position[:-1]
    forward, backward = word[1:] == word[:-1] + 1, word[:-1] == word[1:] + 1
    between = np.diff(told, append=0)[word[:-1]] - 1  # common words that were typed there
    beside = together & forward & (apart == size[:-1] + between)
    near = together & (forward | backward) & (apart <= NEAR)
    cell = owner[:-1] * shape[1] + told[np.minimum(word[1:], word[:-1])]

    def counted(chosen: NDArray[np.bool_]) -> NDArray[np.float32]:
        counts = np.bincount(cell[chosen], minlength=shape[0] * shape[1])
        return counts.reshape(shape).astype(np.float32)

    return counted(beside), counted(near)


def _pieces(
    codes: Codes, place: NDArray[np.int64], ends: NDArray[np.int64], cell: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the piece of its field that each hit stands in begins, and how long it is."""
    between = np.concatenate([[-1], np.flatnonzero(codes == BETWEEN), [len(codes)]])
    after = np.searchsorted(between, place)
    starts = np.concatenate([[0], ends])  # a field begins where the one before it ends
    begin = np.maximum(starts[cell], between[after - 1] + 1)
    return begin, np.minimum(ends[cell], between[after]) - begin


def _called(
    begin: NDArray[np.int64],
    length: NDArray[np.int64],
    word: NDArray[np.int64],
    size: NDArray[np.int64],
    told: NDArray[np.int64],
) -> tuple[NDArray[np.int64], Floats]:
    """The first hit in each piece, and how nearly the piece is the question."""
    words = int(word.max(initial=0)) + 1
    _, hits = np.unique(begin * words + word, return_index=True)  # each word of a piece once
    first = _begins(begin[hits])
    if not len(first):
        return hits, np.zeros(0)
    has = np.add.reduceat(np.isin(word[hits], told).astype(float), first)
    said = np.add.reduceat(size[hits], first) / length[hits[first]]
    return hits[first], has / len(told) * np.minimum(said, 1)


def _runs(
    place: NDArray[np.int64], word: NDArray[np.int64], cell: NDArray[np.int64], words: int
) -> NDArray[np.int64]:
    """The hits at which all the words follow one another as they were typed, in one field."""
    # Hits of one run share where its first word would stand; with all the words it is whole.
    keys, rows = np.unique((place - word) * words + word, return_index=True)
    _, first, size = np.unique(keys // words, return_index=True, return_counts=True)
    begin = rows[first[size == words]]
    end = rows[first[size == words] + words - 1]
    whole: NDArray[np.int64] = begin[cell[begin] == cell[end]]
    return whole


def _windows(
    owner: NDArray[np.int64],
    position: NDArray[np.int64],
    word: NDArray[np.int64],
    words: int,
    documents: int,
) -> Floats:
    """The length of the shortest stretch of each text that has all the words; inf if none has."""
    shortest = np.full(documents, np.inf)
    if words < 2 or not len(owner):
        return shortest
    base = owner * STRIDE
    place = base + position
    # At each hit: where did each word last occur? The earliest of these starts the window.
    starts = np.full(len(place), np.iinfo(np.int64).max)
    for n in range(words):
        last = np.maximum.accumulate(np.where(word == n, place, -1))
        starts = np.minimum(starts, last)
    spans = np.where(starts >= base, (place - starts + 1).astype(float), np.inf)
    begins = _begins(owner)
    shortest[owner[begins]] = np.minimum.reduceat(spans, begins)
    return shortest


def _begins(owner: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where in a row of hits, which are in order, those of each document begin."""
    other = np.ones(len(owner), bool)
    np.not_equal(owner[1:], owner[:-1], out=other[1:])
    return np.flatnonzero(other)
