"""Where do the words of a question stand in documents? Told from the terms of these in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from byway.core.fields import FIELDS
from byway.core.model.candidates import Floats, Ids
from byway.core.model.query import ANY, Reading, Word, telling
from byway.index.analysis.document_analyzer import BETWEEN

BODY = list(FIELDS).index("body")
TITLE = list(FIELDS).index("title")
NEAR = 8
"""Words that stand no further apart than this are near each other."""
STRIDE = 1 << 20
"""More than the positions of any document, so that those of two never touch."""

Codes = NDArray[np.uint32]
Lengths = NDArray[np.int32]
Numbers = NDArray[np.int64]


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


class Hits(NamedTuple):
    """Where words stand, in order: row `n` of each is one place."""

    place: Numbers
    """Which of all codes it is."""
    word: Numbers
    """Which word of the question stands there."""
    weight: Floats
    """That of the reading by which it does."""
    size: Numbers
    """How many terms that reading has."""
    cell: Numbers
    """The field of the document that it is in, counted over all documents."""

    def only(self, chosen: NDArray[np.bool_] | Numbers) -> "Hits":
        """These of them."""
        place, word, weight, size, cell = self
        return Hits(place[chosen], word[chosen], weight[chosen], size[chosen], cell[chosen])


def seen(codes: Codes, lengths: Lengths, words: Sequence[Word], spoken: Ids) -> Seen:
    """Where these words stand in documents that have these codes one after another.

    `lengths` are those of each field of each document, `spoken` bits for what each speaks.
    """
    ends = np.cumsum(lengths.reshape(-1), dtype=np.int64)
    hits = _hits(codes, ends, words, spoken)
    counts = _counts(hits.cell * len(words) + hits.word, hits.weight, lengths.size * len(words))
    phrase = np.zeros(lengths.size, np.float32)
    if len(words) > 1:
        phrase[hits.cell[_runs(hits, len(words))]] = 1
    told = np.array(telling(words), np.int64)
    in_body = hits.cell % len(FIELDS) == BODY
    body = hits.only(in_body if len(told) == len(words) else in_body & np.isin(hits.word, told))
    owner = body.cell // len(FIELDS)
    position = body.place - (ends - lengths.reshape(-1))[body.cell]
    number = np.searchsorted(told, body.word)
    shape = len(lengths), len(words)
    beside, near = _pairs(owner, position, number, body.size, shape, told)
    pieces = hits.only(np.flatnonzero((hits.weight == 1) & ~in_body))
    return Seen(
        counts.reshape(len(lengths), len(FIELDS), len(words)).astype(np.float32),
        lengths,
        phrase.reshape(lengths.shape),
        beside,
        near,
        _windows(owner, position, number, len(told), len(lengths)),
        _called(codes, ends, pieces, told).reshape(lengths.shape),
        _first(owner, position, len(lengths)),
    )


def _hits(codes: Codes, ends: Numbers, words: Sequence[Word], spoken: Ids) -> Hits:
    """Where the words stand, each as it is read in what the document speaks."""
    found = [
        (number, reading, _places(codes, reading))
        for number, word in enumerate(words)
        for reading in word.readings
    ]
    place = np.concatenate([np.zeros(0, np.int64), *(places for _, _, places in found)])
    order = np.argsort(place, kind="stable")
    row = np.repeat(np.arange(len(found)), [len(places) for _, _, places in found])[order]
    place = place[order]
    number = np.array([number for number, _, _ in found], np.int64)[row]
    weight = np.array([one.weight for _, one, _ in found], np.float64)[row]
    size = np.array([len(one.terms) for _, one, _ in found], np.int64)[row]
    cell = np.searchsorted(ends, place, "right")
    inside = place + size <= ends[cell]  # no phrase goes on in the next field
    if any(one.languages != ANY for _, one, _ in found):
        bits = np.array([one.languages for _, one, _ in found], np.int64)[row]
        inside &= (bits & spoken[cell // len(FIELDS)]) != 0
    hits = Hits(place, number, weight, size, cell)
    return hits if inside.all() else hits.only(inside)


def _places(codes: Codes, reading: Reading) -> Numbers:
    """Where the terms of a reading stand one after another."""
    first, *rest = (_coded[term] for term in reading.terms)
    places = np.flatnonzero(codes == first)
    for after, code in enumerate(rest, 1):
        places = places[places + after < len(codes)]
        places = places[codes[places + after] == code]
    return places


def _counts(place: Numbers, weight: Floats, size: int) -> Floats:
    """How often words stand in each place; those that were not typed so count once at most."""
    typed = weight == 1
    counts = np.bincount(place[typed], minlength=size).astype(float)
    if not typed.all():
        other = np.zeros(size)
        np.maximum.at(other, place[~typed], weight[~typed])
        counts += other
    return counts


def _pairs(
    owner: Numbers,
    position: Numbers,
    word: Numbers,
    size: Numbers,
    shape: tuple[int, int],
    told: Numbers,
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


def _called(codes: Codes, ends: Numbers, hits: Hits, told: Numbers) -> NDArray[np.float32]:
    """How nearly one piece of each field is the question."""
    nearly = np.zeros(len(ends), np.float32)
    begin, length = _pieces(codes, ends, hits)
    words = int(hits.word.max(initial=0)) + 1
    _, rows = np.unique(begin * words + hits.word, return_index=True)  # each word of a piece once
    first = _begins(begin[rows])
    if len(first):
        has = np.add.reduceat(np.isin(hits.word[rows], told).astype(float), first)
        said = np.add.reduceat(hits.size[rows], first) / length[rows[first]]
        share = has / len(told) * np.minimum(said, 1)
        np.maximum.at(nearly, hits.cell[rows[first]], share.astype(np.float32))
    return nearly


def _pieces(codes: Codes, ends: Numbers, hits: Hits) -> tuple[Numbers, Numbers]:
    """Where the piece of its field that each hit stands in begins, and how long it is."""
    between = np.concatenate([[-1], np.flatnonzero(codes == BETWEEN), [len(codes)]])
    after = np.searchsorted(between, hits.place)
    starts = np.concatenate([[0], ends])  # a field begins where the one before it ends
    begin = np.maximum(starts[hits.cell], between[after - 1] + 1)
    return begin, np.minimum(ends[hits.cell], between[after]) - begin


def _runs(hits: Hits, words: int) -> Numbers:
    """The hits at which all the words follow one another as they were typed, in one field."""
    # Hits of one run share where its first word would stand; with all the words it is whole.
    keys, rows = np.unique((hits.place - hits.word) * words + hits.word, return_index=True)
    _, first, size = np.unique(keys // words, return_index=True, return_counts=True)
    begin = rows[first[size == words]]
    end = rows[first[size == words] + words - 1]
    whole: Numbers = begin[hits.cell[begin] == hits.cell[end]]
    return whole


def _windows(
    owner: Numbers, position: Numbers, word: Numbers, words: int, documents: int
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


def _first(owner: Numbers, position: Numbers, documents: int) -> Floats:
    """Where in each text the first hit stands; inf if there is none."""
    first = np.full(documents, np.inf)
    begins = _begins(owner)
    first[owner[begins]] = position[begins]
    return first


def _begins(owner: Numbers) -> Numbers:
    """Where in a row of hits, which are in order, those of each document begin."""
    other = np.ones(len(owner), bool)
    np.not_equal(owner[1:], owner[:-1], out=other[1:])
    return np.flatnonzero(other)
