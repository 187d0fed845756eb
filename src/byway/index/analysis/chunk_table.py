"""Compiled hash table that maps each chunk of text to an id. Import this module lazily.

table  the lookup key of a chunk, and its id with its language in the high bits. The key of a
       chunk of up to eight bytes is the chunk itself; a longer chunk is hashed
rows   for each id: the end of its bytes in `keys`, its language, and the columns below
keys   the bytes of the chunk, followed by a zero byte
"""

import numpy as np
from numpy.typing import NDArray

from byway.core.numba import jit
from byway.index.analysis.compiled_tokenizer import (
    EIGHT,
    FIELD_END,
    ONE,
    SEPARATOR,
    ZERO,
    Bytes,
    Hashes,
    Spans,
    load_eight_bytes,
)

Numbers = NDArray[np.uint32]

KEY_END, TERMS_END, CODES_END, WORDS_END, LANGUAGE_COLUMN = range(5)
"""The columns of a row."""
COLUMN_COUNT = 5
MIX_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
HALF_WORD_BITS = np.uint64(32)
LOW_32_BITS = np.uint64(0xFFFFFFFF)
HASHED_KEY_FLAG = np.uint64(1 << 63)
"""The flag of a lookup key that is a hash."""
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
    """Fill `chunks` with the ids of the chunks at these spans; new chunks get a new id.

    Returns the highest id, and whether there was room for all chunks.
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
        key, tag, place = _lookup_key(eights, start, end, language, seed, shift)
        place, number = _look_up(table, key, tag, place, text, start, end, rows, keys)
        if number == 0:
            if not _has_room(table, rows, keys, size, end - start):
                return size, False
            size += 1
            number = np.int64(size)
            table[place, 0], table[place, 1] = key, tag << HALF_WORD_BITS | np.uint64(number)
            _store(text, start, end, language, rows, keys, size)
        chunks[n] = number
    return size, True


@jit
def _shift(table: Hashes) -> np.uint64:
    """The shift that turns a hash into a slot in the table."""
    shift = WORD_BITS
    room = len(table)
    while room > 1:
        room >>= 1
        shift -= ONE
    return shift


@jit
def _lookup_key(
    eights: Hashes,
    start: np.int64,
    end: np.int64,
    language: np.uint64,
    seed: np.uint64,
    shift: np.uint64,
) -> tuple[np.uint64, np.uint64, np.uint64]:
    """The lookup key of a chunk, the tag stored with its id, and its slot in the table."""
    position, length = np.uint64(start), np.uint64(end - start)
    if length <= EIGHT:
        key = load_eight_bytes(eights, position) & (
            ALL_ONES >> (WORD_BITS - (length << BYTE_SHIFT))
        )
        return key, language, ((key + language * MIX_INCREMENT) * seed) >> shift
    key = language * MIX_INCREMENT
    while length > EIGHT:
        key = (key + load_eight_bytes(eights, position)) * seed
        key ^= key >> HALF_WORD_BITS
        position += EIGHT
        length -= EIGHT
    key = (
        key
        + (load_eight_bytes(eights, position) & (ALL_ONES >> (WORD_BITS - (length << BYTE_SHIFT))))
    ) * seed
    return key, language | HASHED_KEY_FLAG >> HALF_WORD_BITS, key >> shift


@jit
def _look_up(
    table: Hashes,
    key: np.uint64,
    tag: np.uint64,
    place: np.uint64,
    text: Bytes,
    start: np.int64,
    end: np.int64,
    rows: Numbers,
    keys: Bytes,
) -> tuple[np.uint64, np.int64]:
    """The slot of a chunk in the table, and its id; 0 if it has none."""
    mask = np.uint64(len(table) - 1)
    while table[place, 1] != ZERO:
        if table[place, 0] == key and table[place, 1] >> HALF_WORD_BITS == tag:
            number = np.int64(table[place, 1] & LOW_32_BITS)
            if end - start <= 8 or _has_bytes(text, start, end, rows, keys, number):
                return place, number
        place = (place + ONE) & mask
    return place, np.int64(0)


@jit
def _has_bytes(
    text: Bytes, start: np.int64, end: np.int64, rows: Numbers, keys: Bytes, number: np.int64
) -> bool:
    begin = np.int64(rows[number - 1, KEY_END])
    if np.int64(rows[number, KEY_END]) - begin - 1 != end - start:
        return False
    for n in range(end - start):  # noqa: SIM110 - Numba cannot compile all()
        if keys[begin + n] != text[start + n]:
            return False
    return True


@jit
def _has_room(table: Hashes, rows: Numbers, keys: Bytes, size: int, length: np.int64) -> bool:
    end = np.int64(rows[size, KEY_END]) + length + 1
    return bool(2 * (size + 1) < len(table) and size + 1 < len(rows) and end <= len(keys))


@jit
def _store(
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
    """Copy all entries of a table into a larger one."""
    mask = np.uint64(len(larger) - 1)
    shift = _shift(larger)
    for n in range(len(table)):
        key, entry = table[n, 0], table[n, 1]
        if entry != ZERO:
            hashed = (
                key
                if entry & HASHED_KEY_FLAG
                else (key + (entry >> HALF_WORD_BITS) * MIX_INCREMENT) * seed
            )
            place = hashed >> shift
            while larger[place, 1] != ZERO:
                place = (place + ONE) & mask
            larger[place, 0], larger[place, 1] = key, entry
