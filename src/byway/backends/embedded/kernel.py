"""The inner loops over the bytes of texts, compiled. Import it late: this takes a while.

A chunk is what stands between two bytes that can be part of no word, wherever they stand. What its
terms are, a lexicon says: a table of hashes, by which its records are found in an arena.

    record   lengths of key and spelling in bytes, how many terms and words it has, as uint32
             the code of each term, the number of each word, as uint32
             the key: the chunk, in small letters; its spelling: each term and a space
"""

import numpy as np
from numpy.typing import NDArray

from byway.compiled import compiled

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.uint32]
Hashes = NDArray[np.uint64]

PIECE, FIELD = 0, 1
"""The bytes that end a piece of a field, and a field."""
HEAD = 4
"""Numbers before those of a record's terms."""
NO_ROOM = -1
"""More came out than there is room for."""

NEW_LINE, DOT, HYPHEN = 10, ord("."), ord("-")
E, N = ord("e"), ord("n")
PRIME = np.uint64(0x100000001B3)
MIX = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
BYTE = np.uint64(0xFF)
ONE = np.uint64(1)
ZERO = np.uint64(0)


@compiled
def look_up(
    text: Bytes,
    folds: Bytes,
    seed: np.uint64,
    table: Hashes,
    arena: Bytes,
    spelt: Bytes,
    codes: Numbers,
    ends: NDArray[np.int64],
    missing: NDArray[np.int64],
    counted: tuple[int, int, int],
    stamps: Numbers,
    counts: Numbers,
    stamp: np.uint32,
) -> int:
    """The terms of all fields of a document; returns how many chunks the lexicon does not know.

    `spelt` gets the terms, pieces on lines of their own; `codes` their codes, 0 between pieces;
    `ends` where each field ends in both; `missing` where chunks begin and end that are not known.
    In field `counted[0]`, and in `counted[1]` up to byte `counted[2]`, words are counted: once for
    each stamp.
    """
    numbers = arena.view(np.uint32)
    here, out, coded = np.int64(0), np.int64(0), np.int64(0)
    field = missed = 0
    in_field = in_piece = False
    while here < len(text):
        if _parts(text, folds, here):
            if text[here] <= FIELD:
                in_piece = False
            if text[here] == FIELD:
                ends[field, 0], ends[field, 1] = out, coded
                field += 1
                in_field = False
            here += 1
            continue
        start = here
        key = seed
        while here < len(text) and not _parts(text, folds, here):
            key = (key ^ np.uint64(folds[text[here]])) * PRIME
            here += 1
        record = _found(key ^ (key >> HALF), text[start:here], folds, table, numbers, arena)
        if record == 0:
            if missed == len(missing):
                return missed
            missing[missed, 0], missing[missed, 1] = start, here
            missed += 1
            continue
        if field == counted[0] or (field == counted[1] and start < counted[2]):
            _count(numbers, record, stamps, counts, stamp)
        terms, long = np.int64(numbers[record + 2]), np.int64(numbers[record + 1])
        if terms == 0:
            continue
        if out + long + 1 > len(spelt) or coded + terms + 1 > len(codes):
            return NO_ROOM
        if in_field and not in_piece:
            spelt[out] = NEW_LINE
            codes[coded] = 0
            out, coded = out + 1, coded + 1
        in_field = in_piece = True
        _copy(numbers, arena, record, spelt[out:], codes[coded:])
        out, coded = out + long, coded + terms
    return missed


@compiled
def _parts(text: Bytes, folds: Bytes, here: np.int64) -> bool:
    """Does this byte part chunks? Dots and hyphens mostly do, but not in .net and e-mail."""
    byte = folds[text[here]]
    if byte == DOT:
        return bool(here + 1 == len(text) or text[here + 1] | 32 != N)
    if byte == HYPHEN:
        return bool(here == 0 or text[here - 1] | 32 != E)
    return bool(byte == 0)


@compiled
def _found(
    key: np.uint64, chunk: Bytes, folds: Bytes, table: Hashes, numbers: Numbers, arena: Bytes
) -> np.int64:
    """Where the record of a chunk is; 0 if there is none."""
    mask = np.uint64(len(table) - 1)
    place = key & mask
    while table[place] != ZERO:
        if table[place] >> HALF == key >> HALF:
            record = np.int64(table[place] & LOW)
            begin = _key(numbers, record)
            same = np.int64(numbers[record]) == len(chunk)
            for n in range(len(chunk) if same else 0):
                same = same and arena[begin + n] == folds[chunk[n]]
            if same:
                return record
        place = (place + ONE) & mask
    return np.int64(0)


@compiled
def _key(numbers: Numbers, record: np.int64) -> np.int64:
    """At which byte the key of a record begins."""
    return 4 * (record + HEAD + np.int64(numbers[record + 2]) + np.int64(numbers[record + 3]))


@compiled
def _count(
    numbers: Numbers, record: np.int64, stamps: Numbers, counts: Numbers, stamp: np.uint32
) -> None:
    """Count the words of a record that were not counted with this stamp before."""
    first = record + HEAD + np.int64(numbers[record + 2])
    for n in range(first, first + np.int64(numbers[record + 3])):
        word = numbers[n]
        if stamps[word] != stamp:
            stamps[word] = stamp
            counts[word] += np.uint32(1)


@compiled
def _copy(numbers: Numbers, arena: Bytes, record: np.int64, spelt: Bytes, codes: Numbers) -> None:
    """Put the terms of a record there, spelt and as codes."""
    for n in range(np.int64(numbers[record + 2])):
        codes[n] = numbers[record + HEAD + n]
    begin = _key(numbers, record) + np.int64(numbers[record])
    for n in range(np.int64(numbers[record + 1])):
        spelt[n] = arena[begin + n]


@compiled
def take_in(seed: np.uint64, table: Hashes, arena: Bytes, start: int, end: int) -> int:
    """Put the records from one place of the arena to another into the table; returns how many."""
    numbers = arena.view(np.uint32)
    mask = np.uint64(len(table) - 1)
    record, taken = np.int64(start), 0
    while record < end:
        long, begin = np.int64(numbers[record]), _key(numbers, record)
        key = seed
        for n in range(begin, begin + long):
            key = (key ^ np.uint64(arena[n])) * PRIME
        key = key ^ (key >> HALF)
        place = key & mask
        while table[place] != ZERO:
            place = (place + ONE) & mask
        table[place] = (key >> HALF) << HALF | np.uint64(record)
        record = (begin + long + np.int64(numbers[record + 1]) + 3) // 4
        taken += 1
    return taken


@compiled
def simhash(codes: Numbers, salt: np.uint64, enough: int) -> np.int64:
    """What `likeness.simhash` makes of the terms with these codes."""
    size = len(codes)
    words = np.empty(size, np.uint64)
    for n in range(size):
        words[n] = _mixed(np.uint64(codes[n]) + salt)
    pairs = np.empty(max(0, size - 1), np.uint64)
    for n in range(size - 1):
        pairs[n] = _mixed(_mixed(words[n]) + words[n + 1])
    votes = np.zeros(64, np.int64)
    _vote(words, 2, enough, votes)
    _vote(pairs, 1, enough, votes)
    said = ZERO
    for bit in range(64):
        if votes[bit] > 0:
            said |= ONE << np.uint64(bit)
    return np.int64(said)


@compiled
def _mixed(key: np.uint64) -> np.uint64:
    key = key + MIX
    key = (key ^ (key >> np.uint64(30))) * MIX_1
    key = (key ^ (key >> np.uint64(27))) * MIX_2
    return key ^ (key >> np.uint64(31))


@compiled
def _vote(hashes: Hashes, weight: int, enough: int, votes: NDArray[np.int64]) -> None:
    """For each bit: add in how many hashes it is 1, less those in which it is 0."""
    room = 16
    while room < 2 * len(hashes):
        room *= 2
    mask = np.uint64(room - 1)
    known, often = np.empty(room, np.uint64), np.zeros(room, np.int64)
    ones = np.zeros((8, 256), np.int64)
    all_in_all = 0
    for each in hashes:
        place = each & mask
        while often[place] and known[place] != each:
            place = (place + ONE) & mask
        known[place] = each
        often[place] += 1
        if often[place] <= enough:
            all_in_all += 1
            for n in range(8):
                ones[n, (each >> np.uint64(8 * n)) & BYTE] += 1
    for n in range(8):
        for byte in range(256):
            for bit in range(8):
                if byte >> bit & 1:
                    votes[8 * n + bit] += 2 * weight * ones[n, byte]
    for bit in range(64):
        votes[bit] -= weight * all_in_all
