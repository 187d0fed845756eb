"""Which number has a chunk? It is found by its bytes in a table. Import it late.

table  what is sought, and its number with its language above it. A chunk of up to eight bytes
       is sought as it is, so that the table alone tells; a longer one by a hash
rows   for each number: where its key ends, and of which language it is, among others
keys   the chunk and a byte 0
"""

import numpy as np
from numpy.typing import NDArray

from byway.core.numba import jit
from byway.index.analysis.compiled_simhash import MIX_INCREMENT, ONE, ZERO, Hashes
from byway.index.analysis.compiled_tokenizer import (
    EIGHT,
    FIELD_END,
    SEPARATOR,
    Bytes,
    Spans,
    load_eight_bytes,
)

Numbers = NDArray[np.uint32]

KEY_END, TERMS_END, CODES_END, WORDS_END, LANGUAGE_COLUMN = range(5)
"""What the columns of a row say."""
COLUMN_COUNT = 5
HALF_WORD_BITS = np.uint64(32)
LOW_32_BITS = np.uint64(0xFFFFFFFF)
HASHED_KEY_FLAG = np.uint64(1 << 63)
"""Said of what is sought by a hash."""
BYTE_SHIFT, WORD_BITS = np.uint64(3), np.uint64(64)
ALL_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)


@jit
def assign_chunk_ids(
    text: Bytes,
    eights: Hashes,
    spans: Spans,
    fields: int,
    languages: Numbers,
    seed: np.uint64,
    table: Hashes,
    rows: Numbers,
    keys: Bytes,
    size: int,
    chunks: NDArray[np.int32],
) -> tuple[int, bool]:
    """Give the chunks with these spans their numbers, those that are new included.

    Returns how many numbers there are now, and whether all chunks got theirs.
    """
    field = document = 0
    language = np.uint64(languages[0])
    shift = _shift(table)
    for n in range(len(spans)):
        end = np.int64(spans[n, 1])
        if end <= 0:
            chunks[n] = end
            field += end == -FIELD_END
            if field == fields:
                field, document = 0, document + 1
                if document < len(languages):
                    language = np.uint64(languages[document])
            continue
        start = np.int64(spans[n, 0])
        sought, tag, place = _sought(eights, start, end, language, seed, shift)
        place, known = _found(table, sought, tag, place, text, start, end, rows, keys)
        if known == 0:
            if not _has_room(table, rows, keys, size, end - start):
                return size, False
            size += 1
            known = np.int64(size)
            table[place, 0], table[place, 1] = sought, tag << HALF_WORD_BITS | np.uint64(known)
            _keep(text, start, end, language, rows, keys, size)
        chunks[n] = known
    return size, True


@jit
def _shift(table: Hashes) -> np.uint64:
    """How far a hash is moved so that it is a place in the table."""
    shift = WORD_BITS
    room = len(table)
    while room > 1:
        room >>= 1
        shift -= ONE
    return shift


@jit
def _sought(
    eights: Hashes,
    start: np.int64,
    end: np.int64,
    language: np.uint64,
    seed: np.uint64,
    shift: np.uint64,
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """What a chunk is sought by, what is said with its number, and its place in the table."""
    here, long = np.uint64(start), np.uint64(end - start)
    if long <= EIGHT:
        sought = load_eight_bytes(eights, here) & (ALL_ONES >> (WORD_BITS - (long << BYTE_SHIFT)))
        return sought, language, ((sought + language * MIX_INCREMENT) * seed) >> shift
    key = language * MIX_INCREMENT
    while long > EIGHT:
        key = (key + load_eight_bytes(eights, here)) * seed
        key ^= key >> HALF_WORD_BITS
        here += EIGHT
        long -= EIGHT
    key = (
        key + (load_eight_bytes(eights, here) & (ALL_ONES >> (WORD_BITS - (long << BYTE_SHIFT))))
    ) * seed
    return key, language | HASHED_KEY_FLAG >> HALF_WORD_BITS, key >> shift


@jit
def _found(
    table: Hashes,
    sought: np.uint64,
    tag: np.uint64,
    place: np.uint64,
    text: Bytes,
    start: np.int64,
    end: np.int64,
    rows: Numbers,
    keys: Bytes,
) -> tuple[np.uint64, np.int64]:
    """The number of a chunk, 0 if it has none; and its place in the table."""
    mask = np.uint64(len(table) - 1)
    while table[place, 1] != ZERO:
        if table[place, 0] == sought and table[place, 1] >> HALF_WORD_BITS == tag:
            known = np.int64(table[place, 1] & LOW_32_BITS)
            if end - start <= 8 or _is_key(text, start, end, rows, keys, known):
                return place, known
        place = (place + ONE) & mask
    return place, np.int64(0)


@jit
def _is_key(
    text: Bytes, start: np.int64, end: np.int64, rows: Numbers, keys: Bytes, known: np.int64
) -> bool:
    begin = np.int64(rows[known - 1, KEY_END])
    if np.int64(rows[known, KEY_END]) - begin - 1 != end - start:
        return False
    for n in range(end - start):  # noqa: SIM110 - what it suggests cannot be compiled
        if keys[begin + n] != text[start + n]:
            return False
    return True


@jit
def _has_room(table: Hashes, rows: Numbers, keys: Bytes, size: int, long: np.int64) -> bool:
    end = np.int64(rows[size, KEY_END]) + long + 1
    return bool(2 * (size + 1) < len(table) and size + 1 < len(rows) and end <= len(keys))


@jit
def _keep(
    text: Bytes,
    start: np.int64,
    end: np.int64,
    language: np.uint64,
    rows: Numbers,
    keys: Bytes,
    number: int,
) -> None:
    begin = np.int64(rows[number - 1, KEY_END])
    for n in range(end - start):
        keys[begin + n] = text[start + n]
    keys[begin + end - start] = SEPARATOR
    rows[number, KEY_END] = begin + end - start + 1
    rows[number, LANGUAGE_COLUMN] = language


@jit
def rehash(table: Hashes, larger: Hashes, seed: np.uint64) -> None:
    """Put all that a table holds into a larger one."""
    mask = np.uint64(len(larger) - 1)
    shift = _shift(larger)
    for n in range(len(table)):
        sought, said = table[n, 0], table[n, 1]
        if said != ZERO:
            key = (
                sought
                if said & HASHED_KEY_FLAG
                else (sought + (said >> HALF_WORD_BITS) * MIX_INCREMENT) * seed
            )
            place = key >> shift
            while larger[place, 1] != ZERO:
                place = (place + ONE) & mask
            larger[place, 0], larger[place, 1] = sought, said
