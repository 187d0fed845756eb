"""Positional features (counts, phrases, pairs, windows) of query words in documents.

Pure functions of term codes. The index, which holds the positions, calls `position_features`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from byway.core.model.candidates import (
    FIELDS,
    PIECE_BREAK_CODE,
    Codes,
    Floats,
    Lengths,
    PositionFeatures,
    term_code,
)
from byway.core.model.query import TermAnalysis, TermClause, content_word_positions

BODY_FIELD = FIELDS.index("body")
MAX_NEAR_WORDS = 8
"""Maximum distance, in words, at which two words are near each other."""
DOCUMENT_STRIDE = 1 << 20
"""An offset longer than any document, so that positions in two documents never overlap."""

Numbers = NDArray[np.int64]


class TermPositions(NamedTuple):
    """Positions of words in order: row `n` of each array is one occurrence."""

    position: Numbers
    """The index of the occurrence among all codes."""
    word_index: Numbers
    """The index of the query word."""
    weight: Floats
    """The weight of the analysis that matched."""
    term_count: Numbers
    """The number of terms in that analysis."""
    field_index: Numbers
    """The index of the field, counted over the fields of all documents."""

    def select(self, rows: NDArray[np.bool_] | Numbers) -> "TermPositions":
        """The positions in these rows."""
        return TermPositions(
            position=self.position[rows],
            word_index=self.word_index[rows],
            weight=self.weight[rows],
            term_count=self.term_count[rows],
            field_index=self.field_index[rows],
        )


def position_features(
    codes: Codes, lengths: Lengths, words: Sequence[TermClause]
) -> PositionFeatures:
    """Positional features of these words in the documents with these concatenated codes.

    `lengths` holds the length of each field of each document.
    """
    ends = np.cumsum(lengths.reshape(-1), dtype=np.int64)
    hits = _find_positions(codes, ends, words)
    counts = _count_occurrences(
        hits.field_index * len(words) + hits.word_index, hits.weight, lengths.size * len(words)
    )
    content_words = np.array(content_word_positions(words), np.int64)
    in_body = hits.field_index % len(FIELDS) == BODY_FIELD
    body = hits.select(
        in_body
        if len(content_words) == len(words)
        else in_body & np.isin(hits.word_index, content_words)
    )
    document = body.field_index // len(FIELDS)
    position = body.position - (ends - lengths.reshape(-1))[body.field_index]
    word = np.searchsorted(content_words, body.word_index)
    shape = len(lengths), len(words)
    adjacent, near = _count_pairs(document, position, word, body.term_count, shape, content_words)
    outside_body = hits.select(np.flatnonzero((hits.weight == 1) & ~in_body))
    return PositionFeatures(
        term_counts=counts.reshape(len(lengths), len(FIELDS), len(words)).astype(np.float32),
        field_lengths=lengths,
        adjacent_pairs=adjacent,
        near_pairs=near,
        shortest_window=_shortest_windows(
            document, position, word, len(content_words), len(lengths)
        ),
        piece_match=_piece_matches(codes, ends, outside_body, content_words).reshape(lengths.shape),
        first_position=_first_positions(document, position, len(lengths)),
    )


def _find_positions(codes: Codes, ends: Numbers, words: Sequence[TermClause]) -> TermPositions:
    """The positions of the words in all of their analyses."""
    matches = [
        (word_index, analysis, _analysis_positions(codes, analysis))
        for word_index, word in enumerate(words)
        for analysis in word.analyses
    ]
    position = np.concatenate([np.zeros(0, np.int64), *(positions for _, _, positions in matches)])
    order = np.argsort(position, kind="stable")
    row = np.repeat(np.arange(len(matches)), [len(positions) for _, _, positions in matches])[order]
    position = position[order]
    term_count = np.array([len(analysis.tokens) for _, analysis, _ in matches], np.int64)[row]
    field_index = np.searchsorted(ends, position, "right")
    valid = position + term_count <= ends[field_index]  # no phrase continues in the next field
    hits = TermPositions(
        position=position,
        word_index=np.array([word_index for word_index, _, _ in matches], np.int64)[row],
        weight=np.array([analysis.weight for _, analysis, _ in matches], np.float64)[row],
        term_count=term_count,
        field_index=field_index,
    )
    return hits if valid.all() else hits.select(valid)


def _analysis_positions(codes: Codes, analysis: TermAnalysis) -> Numbers:
    """The positions at which the terms of an analysis follow one another."""
    first, *following = (term_code(term) for term in analysis.tokens)
    positions = np.flatnonzero(codes == first)
    for offset, code in enumerate(following, 1):
        positions = positions[positions + offset < len(codes)]
        positions = positions[codes[positions + offset] == code]
    return positions


def _count_occurrences(cell: Numbers, weight: Floats, size: int) -> Floats:
    """The number of occurrences in each cell; analyses below full weight count at most once."""
    is_full = weight == 1
    counts = np.bincount(cell[is_full], minlength=size).astype(float)
    if not is_full.all():
        others = np.zeros(size)
        np.maximum.at(others, cell[~is_full], weight[~is_full])
        counts += others
    return counts


def _count_pairs(
    document: Numbers,
    position: Numbers,
    word: Numbers,
    term_count: Numbers,
    shape: tuple[int, int],
    content_words: Numbers,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Counts of adjacent and of near pairs of consecutive content words, for each document."""
    same_document = document[1:] == document[:-1]
    distance = position[1:] - position[:-1]
    forward, backward = word[1:] == word[:-1] + 1, word[:-1] == word[1:] + 1
    stop_words = np.diff(content_words, append=0)[word[:-1]] - 1  # typed between the two
    is_adjacent = same_document & forward & (distance == term_count[:-1] + stop_words)
    is_near = same_document & (forward | backward) & (distance <= MAX_NEAR_WORDS)
    cell = document[:-1] * shape[1] + content_words[np.minimum(word[1:], word[:-1])]

    def count(mask: NDArray[np.bool_]) -> NDArray[np.float32]:
        counts = np.bincount(cell[mask], minlength=shape[0] * shape[1])
        return counts.reshape(shape).astype(np.float32)

    return count(is_adjacent), count(is_near)


def _piece_matches(
    codes: Codes, ends: Numbers, hits: TermPositions, content_words: Numbers
) -> NDArray[np.float32]:
    """How closely the best piece of each field matches the query, from 0 to 1 (equal)."""
    best = np.zeros(len(ends), np.float32)
    start, length = _pieces(codes, ends, hits)
    words = int(hits.word_index.max(initial=0)) + 1
    _, rows = np.unique(
        start * words + hits.word_index, return_index=True
    )  # each word of a piece once
    first = _group_starts(start[rows])
    if len(first):
        matched = np.add.reduceat(
            np.isin(hits.word_index[rows], content_words).astype(float), first
        )
        covered = np.add.reduceat(hits.term_count[rows], first) / length[rows[first]]
        share = matched / len(content_words) * np.minimum(covered, 1)
        np.maximum.at(best, hits.field_index[rows[first]], share.astype(np.float32))
    return best


def _pieces(codes: Codes, ends: Numbers, hits: TermPositions) -> tuple[Numbers, Numbers]:
    """The start and length of the piece that contains each hit."""
    breaks = np.concatenate([[-1], np.flatnonzero(codes == PIECE_BREAK_CODE), [len(codes)]])
    following = np.searchsorted(breaks, hits.position)
    field_starts = np.concatenate([[0], ends])
    start = np.maximum(field_starts[hits.field_index], breaks[following - 1] + 1)
    return start, np.minimum(ends[hits.field_index], breaks[following]) - start


def _shortest_windows(
    document: Numbers, position: Numbers, word: Numbers, words: int, documents: int
) -> Floats:
    """The length of the shortest window of each body with all words; inf if there is none."""
    shortest = np.full(documents, np.inf)
    if words < 2 or not len(document):
        return shortest
    base = document * DOCUMENT_STRIDE
    place = base + position
    # At each hit, the earliest of the words' last occurrences starts the window.
    starts = np.full(len(place), np.iinfo(np.int64).max)
    for n in range(words):
        last = np.maximum.accumulate(np.where(word == n, place, -1))
        starts = np.minimum(starts, last)
    spans = np.where(starts >= base, (place - starts + 1).astype(float), np.inf)
    groups = _group_starts(document)
    shortest[document[groups]] = np.minimum.reduceat(spans, groups)
    return shortest


def _first_positions(document: Numbers, position: Numbers, documents: int) -> Floats:
    """The position of the first hit in each body; inf if there is none."""
    first = np.full(documents, np.inf)
    groups = _group_starts(document)
    first[document[groups]] = position[groups]
    return first


def _group_starts(keys: Numbers) -> Numbers:
    """The rows at which a sorted key changes."""
    changes = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=changes[1:])
    return np.flatnonzero(changes)
