"""Where do the words of a question stand in documents? Told from the terms of these in order."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from byway.core.fields import FIELDS
from byway.core.model.candidates import Floats, Ids
from byway.core.model.query import ALL_LANGUAGES, TermAnalysis, TermClause, content_word_positions
from byway.index.analysis.document_analyzer import PIECE_BREAK_CODE

BODY_FIELD = list(FIELDS).index("body")
TITLE_FIELD = list(FIELDS).index("title")
MAX_NEAR_WORDS = 8
"""Words that stand no further apart than this are near each other."""
DOCUMENT_STRIDE = 1 << 20
"""More than the positions of any document, so that those of two never touch."""

Codes = NDArray[np.uint32]
Lengths = NDArray[np.int32]
Numbers = NDArray[np.int64]


class _TermCodes(dict[str, int]):
    """The code of each term, remembered."""

    def __missing__(self, term: str) -> int:
        if len(self) > 500_000:
            self.clear()
        code = self[term] = crc32(term.encode())
        return code


_term_codes = _TermCodes()


@dataclass(frozen=True, slots=True)
class PositionFeatures:
    """Where the words of a question stand in some documents; `ports.Candidates` says how."""

    term_counts: NDArray[np.float32]
    field_lengths: NDArray[np.int32]
    phrase_matches: NDArray[np.float32]
    adjacent_pairs: NDArray[np.float32]
    near_pairs: NDArray[np.float32]
    shortest_window: Floats
    piece_match: NDArray[np.float32]
    first_position: Floats

    @property
    def title_coverage(self) -> Floats:
        """The share of the words that each title has."""
        words = max(1, self.term_counts.shape[2])
        return np.asarray((self.term_counts[:, TITLE_FIELD] > 0).sum(axis=1) / words, np.float64)


class TermPositions(NamedTuple):
    """Where words stand, in order: row `n` of each is one place."""

    position: Numbers
    """Which of all codes it is."""
    word_index: Numbers
    """Which word of the question stands there."""
    weight: Floats
    """That of the reading by which it does."""
    term_count: Numbers
    """How many terms that reading has."""
    field_index: Numbers
    """The field of the document that it is in, counted over all documents."""

    def select(self, rows: NDArray[np.bool_] | Numbers) -> "TermPositions":
        """These of them."""
        place, word, weight, size, cell = self
        return TermPositions(place[rows], word[rows], weight[rows], size[rows], cell[rows])


def compute_position_features(
    codes: Codes, lengths: Lengths, words: Sequence[TermClause], language_bits: Ids
) -> PositionFeatures:
    """Where these words stand in documents that have these codes one after another.

    `lengths` are those of each field of each document, `language_bits` bits for what each speaks.
    """
    ends = np.cumsum(lengths.reshape(-1), dtype=np.int64)
    hits = _hits(codes, ends, words, language_bits)
    counts = _counts(
        hits.field_index * len(words) + hits.word_index, hits.weight, lengths.size * len(words)
    )
    phrase = np.zeros(lengths.size, np.float32)
    if len(words) > 1:
        phrase[hits.field_index[_runs(hits, len(words))]] = 1
    told = np.array(content_word_positions(words), np.int64)
    in_body = hits.field_index % len(FIELDS) == BODY_FIELD
    body = hits.select(
        in_body if len(told) == len(words) else in_body & np.isin(hits.word_index, told)
    )
    owner = body.field_index // len(FIELDS)
    position = body.position - (ends - lengths.reshape(-1))[body.field_index]
    number = np.searchsorted(told, body.word_index)
    shape = len(lengths), len(words)
    beside, near = _pairs(owner, position, number, body.term_count, shape, told)
    pieces = hits.select(np.flatnonzero((hits.weight == 1) & ~in_body))
    return PositionFeatures(
        counts.reshape(len(lengths), len(FIELDS), len(words)).astype(np.float32),
        lengths,
        phrase.reshape(lengths.shape),
        beside,
        near,
        _windows(owner, position, number, len(told), len(lengths)),
        _called(codes, ends, pieces, told).reshape(lengths.shape),
        _first(owner, position, len(lengths)),
    )


def _hits(codes: Codes, ends: Numbers, words: Sequence[TermClause], spoken: Ids) -> TermPositions:
    """Where the words stand, each as it is read in what the document speaks."""
    found = [
        (number, reading, _places(codes, reading))
        for number, word in enumerate(words)
        for reading in word.analyses
    ]
    place = np.concatenate([np.zeros(0, np.int64), *(places for _, _, places in found)])
    order = np.argsort(place, kind="stable")
    row = np.repeat(np.arange(len(found)), [len(places) for _, _, places in found])[order]
    place = place[order]
    number = np.array([number for number, _, _ in found], np.int64)[row]
    weight = np.array([one.weight for _, one, _ in found], np.float64)[row]
    size = np.array([len(one.tokens) for _, one, _ in found], np.int64)[row]
    cell = np.searchsorted(ends, place, "right")
    inside = place + size <= ends[cell]  # no phrase goes on in the next field
    if any(one.languages != ALL_LANGUAGES for _, one, _ in found):
        bits = np.array([one.languages for _, one, _ in found], np.int64)[row]
        inside &= (bits & spoken[cell // len(FIELDS)]) != 0
    hits = TermPositions(place, number, weight, size, cell)
    return hits if inside.all() else hits.select(inside)


def _places(codes: Codes, reading: TermAnalysis) -> Numbers:
    """Where the terms of a reading stand one after another."""
    first, *rest = (_term_codes[term] for term in reading.tokens)
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
    near = together & (forward | backward) & (apart <= MAX_NEAR_WORDS)
    cell = owner[:-1] * shape[1] + told[np.minimum(word[1:], word[:-1])]

    def counted(chosen: NDArray[np.bool_]) -> NDArray[np.float32]:
        counts = np.bincount(cell[chosen], minlength=shape[0] * shape[1])
        return counts.reshape(shape).astype(np.float32)

    return counted(beside), counted(near)


def _called(codes: Codes, ends: Numbers, hits: TermPositions, told: Numbers) -> NDArray[np.float32]:
    """How nearly one piece of each field is the question."""
    nearly = np.zeros(len(ends), np.float32)
    begin, length = _pieces(codes, ends, hits)
    words = int(hits.word_index.max(initial=0)) + 1
    _, rows = np.unique(
        begin * words + hits.word_index, return_index=True
    )  # each word of a piece once
    first = _begins(begin[rows])
    if len(first):
        has = np.add.reduceat(np.isin(hits.word_index[rows], told).astype(float), first)
        said = np.add.reduceat(hits.term_count[rows], first) / length[rows[first]]
        share = has / len(told) * np.minimum(said, 1)
        np.maximum.at(nearly, hits.field_index[rows[first]], share.astype(np.float32))
    return nearly


def _pieces(codes: Codes, ends: Numbers, hits: TermPositions) -> tuple[Numbers, Numbers]:
    """Where the piece of its field that each hit stands in begins, and how long it is."""
    between = np.concatenate([[-1], np.flatnonzero(codes == PIECE_BREAK_CODE), [len(codes)]])
    after = np.searchsorted(between, hits.position)
    starts = np.concatenate([[0], ends])  # a field begins where the one before it ends
    begin = np.maximum(starts[hits.field_index], between[after - 1] + 1)
    return begin, np.minimum(ends[hits.field_index], between[after]) - begin


def _runs(hits: TermPositions, words: int) -> Numbers:
    """The hits at which all the words follow one another as they were typed, in one field."""
    # Hits of one run share where its first word would stand; with all the words it is whole.
    keys, rows = np.unique(
        (hits.position - hits.word_index) * words + hits.word_index, return_index=True
    )
    _, first, size = np.unique(keys // words, return_index=True, return_counts=True)
    begin = rows[first[size == words]]
    end = rows[first[size == words] + words - 1]
    whole: Numbers = begin[hits.field_index[begin] == hits.field_index[end]]
    return whole


def _windows(
    owner: Numbers, position: Numbers, word: Numbers, words: int, documents: int
) -> Floats:
    """The length of the shortest stretch of each text that has all the words; inf if none has."""
    shortest = np.full(documents, np.inf)
    if words < 2 or not len(owner):
        return shortest
    base = owner * DOCUMENT_STRIDE
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
