"""Compiled impact levels of a document's terms. Import this module lazily."""

import numpy as np
from numpy.typing import NDArray

from byway.core.impacts import (
    BODY_FIELD,
    FIELD_FLAGS,
    FIELD_WEIGHT_ARRAY,
    LEVEL_LETTERS,
    URL_FIELD,
    impact_level,
)
from byway.core.numba import jit
from byway.index.analysis.chunk_table import Numbers
from byway.index.analysis.compiled_tokenizer import FIELD_END, Bytes, Offsets

BUFFER_TOO_SMALL = -1
"""Returned when the output does not fit in its buffers."""
SPACE = ord(" ")
FIRST_LEVEL_LETTER = ord(LEVEL_LETTERS[0])
SLOT_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""Spreads codes over the slots of the hash table."""
MIN_TABLE_BITS = 6
UNSEEN = -1

compiled_level = jit(impact_level)


@jit
def append_impacts(
    terms: Bytes,
    out: np.int64,
    field_starts: Offsets,
    coded: Numbers,
    ends: Offsets,
    document: int,
    searched_fields: NDArray[np.bool_],
    distinct_codes: Numbers,
    distinct_end: np.int64,
) -> tuple[np.int64, np.int64]:
    """Append each distinct term of the searched fields, with the letter of its level, to `terms`.

    FIELD_END follows the last one. `field_starts` holds the start of each field in `terms`. The
    codes of the terms are appended to `distinct_codes`. Returns the new ends of both, the first
    BUFFER_TOO_SMALL if it is too short.
    """
    start = ends[document - 1, -1] if document else np.int64(0)
    bits = MIN_TABLE_BITS
    while 1 << bits < 2 * (ends[document, -1] - start):
        bits += 1
    shift = np.uint64(64 - bits)
    if out >= len(terms):
        return np.int64(BUFFER_TOO_SMALL), distinct_end
    keys = np.zeros(1 << bits, np.uint32)
    levels = np.zeros(1 << bits, np.uint8)
    _rate_codes(coded, ends, document, start, keys, levels, shift)
    firsts = np.full(1 << bits, UNSEEN, np.int64)
    mask = (1 << bits) - 1
    begin = start
    for field in range(len(searched_fields)):
        end = ends[document, field]
        position = field_starts[field]
        for n in range(begin, end if searched_fields[field] else begin):
            code = coded[n]
            if code == 0:  # a line break between two pieces
                position += 1
                continue
            length = 0
            while terms[position + length] != SPACE:
                length += 1
            slot = np.int64((np.uint64(code) * SLOT_MULTIPLIER) >> shift)
            while keys[slot] != code:
                slot = (slot + 1) & mask
            first = firsts[slot]
            if first == UNSEEN:
                firsts[slot] = position
                distinct_codes[distinct_end] = code
                distinct_end += 1
            # Two terms may have the same code: both are indexed.
            if first == UNSEEN or not _is_same_term(terms, first, position, length):
                if out + length + 3 >= len(terms):
                    return np.int64(BUFFER_TOO_SMALL), distinct_end
                out = _append_term(terms, out, position, length, levels[slot])
            position += length + 1
        begin = end
    terms[out] = FIELD_END
    return out + 1, distinct_end


@jit
def _rate_codes(
    coded: Numbers,
    ends: Offsets,
    document: int,
    start: np.int64,
    keys: Numbers,
    levels: Bytes,
    shift: np.uint64,
) -> None:
    """Fill a hash table with the codes of a document and the level of each."""
    mask = len(keys) - 1
    bodies = np.zeros(len(keys), np.int32)
    weights = np.zeros(len(keys), np.float64)
    flags = np.zeros(len(keys), np.uint8)
    begin = start
    for field in range(ends.shape[1]):
        weight, flag = FIELD_WEIGHT_ARRAY[field], FIELD_FLAGS[field]
        for n in range(begin, ends[document, field]):
            code = coded[n]
            if code == 0:
                continue
            slot = np.int64((np.uint64(code) * SLOT_MULTIPLIER) >> shift)
            while keys[slot] != 0 and keys[slot] != code:
                slot = (slot + 1) & mask
            keys[slot] = code
            if field == BODY_FIELD:
                bodies[slot] += 1
            else:
                weights[slot] += weight
                flags[slot] |= flag
        begin = ends[document, field]
    body_terms = ends[document, BODY_FIELD] - ends[document, BODY_FIELD - 1]
    path_terms = ends[document, URL_FIELD] - ends[document, URL_FIELD - 1]
    for n in range(len(keys)):
        if keys[n]:
            levels[n] = compiled_level(bodies[n], weights[n], flags[n], body_terms, path_terms)


@jit
def _append_term(
    terms: Bytes, out: np.int64, position: np.int64, length: int, level: int
) -> np.int64:
    """Copy a term to `out`, with the letter of its level and a space; return the new end."""
    for m in range(length):
        terms[out + m] = terms[position + m]
    terms[out + length] = FIRST_LEVEL_LETTER + level
    terms[out + length + 1] = SPACE
    return out + length + 2


@jit
def _is_same_term(terms: Bytes, first: np.int64, second: np.int64, length: int) -> bool:
    """Whether the terms at these positions are equal; each is followed by a space."""
    for m in range(length + 1):  # noqa: SIM110, which Numba cannot compile
        if terms[first + m] != terms[second + m]:
            return False
    return True
