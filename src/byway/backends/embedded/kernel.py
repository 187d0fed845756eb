"""The inner loops over the bytes of texts, compiled. Import it late: this takes a while.

A chunk is what stands between two bytes that can be part of no word, wherever they stand. What its
terms are, a lexicon says, which gives each chunk a number: a table of hashes finds the number, and
all that belongs to a chunk lies between the ends of the number before and its own.

    rows   for each number: where its key, its spelling, its codes and its words end, as uint32;
           and of which language it is
    keys   the chunk and a new line
    said   its spelling: each term and a space
    codes  the code of each term, words the number of each word that is counted, as uint32
"""

import numpy as np
from numpy.typing import NDArray

from byway.backends.embedded.votes import MIX, ONE, ZERO, Hashes, likeness
from byway.compiled import compiled

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.uint32]
Places = NDArray[np.int64]

PIECE, FIELD = 1, 2
"""The bytes that end a piece of a field, and a field; 0 parts chunks, as these two do."""
KEY, SAID, CODE, WORD, LANGUAGE = range(5)
"""What the columns of a row say."""
COLUMNS = 5
NO_ROOM = -1
"""More came out than there is room for."""
STRIDE = 16
"""Bytes that are copied at once, wherever a spelling ends: most terms are shorter."""

NEW_LINE, DOT, HYPHEN = 10, ord("."), ord("-")
E, N = ord("e"), ord("n")
PRIME = np.uint64(0x100000001B3)
HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)


@compiled
def take_apart(
    text: Bytes,
    fields: int,
    languages: Numbers,
    until: Places,
    seed: np.uint64,
    table: Hashes,
    rows: Numbers,
    keys: Bytes,
    size: int,
    chunks: NDArray[np.int32],
    counted: Places,
) -> tuple[int, int]:
    """The numbers of the chunks of some documents, those that are new included.

    Returns how many numbers there are now, and how many `chunks` got; NO_ROOM if it could not go
    on. A piece's end is written there as -PIECE, a field's as -FIELD. `counted` gets which chunk of
    each document is the last that begins before the byte `until`. The text ends as a field does.
    """
    here, found = np.int64(0), 0
    field = document = 0
    start_key = seed ^ np.uint64(languages[0]) * MIX
    while here < len(text):
        byte = text[here]
        if byte <= FIELD or _parts(text, here):
            here += 1
            if 0 < byte <= FIELD:
                chunks[found] = -np.int32(byte)
                found += 1
                field += byte == FIELD
                if field == fields:
                    field, document = 0, document + 1
                    if document < len(languages):
                        start_key = seed ^ np.uint64(languages[document]) * MIX
            continue
        start, key = here, start_key
        while byte > FIELD and not _parts(text, here):
            key = (key ^ np.uint64(byte)) * PRIME
            here += 1
            byte = text[here]
        key ^= key >> HALF
        place, number = _found(key, text[start:here], languages[document], table, rows, keys)
        if number == 0:
            if not _has_room(table, rows, keys, size, here - start):
                return size, NO_ROOM
            size += 1
            number = np.int64(size)
            table[place] = (key >> HALF) << HALF | np.uint64(number)
            _keep(text[start:here], languages[document], rows, keys, size)
        if start < until[document]:
            counted[document] = found
        chunks[found] = number
        found += 1
    return size, found


@compiled
def _parts(text: Bytes, here: np.int64) -> bool:
    """Does this byte part chunks? Dots and hyphens mostly do, but not in .net and e-mail."""
    byte = text[here]
    if byte == DOT:
        return bool(text[here + 1] | 32 != N)
    if byte == HYPHEN:
        return bool(here == 0 or text[here - 1] | 32 != E)
    return False


@compiled
def _found(
    key: np.uint64, chunk: Bytes, language: np.uint32, table: Hashes, rows: Numbers, keys: Bytes
) -> tuple[np.uint64, np.int64]:
    """The number of a chunk, 0 if it has none; and its place in the table."""
    mask = np.uint64(len(table) - 1)
    place = key & mask
    while table[place] != ZERO:
        if table[place] >> HALF == key >> HALF:
            number = np.int64(table[place] & LOW)
            begin, end = np.int64(rows[number - 1, KEY]), np.int64(rows[number, KEY])
            same = end - begin - 1 == len(chunk) and rows[number, LANGUAGE] == language
            n = 0
            while same and n < len(chunk):
                same = keys[begin + n] == chunk[n]
                n += 1
            if same:
                return place, number
        place = (place + ONE) & mask
    return place, np.int64(0)


@compiled
def _has_room(table: Hashes, rows: Numbers, keys: Bytes, size: int, long: np.int64) -> bool:
    end = np.int64(rows[size, KEY]) + long + 1
    return bool(2 * (size + 1) < len(table) and size + 1 < len(rows) and end <= len(keys))


@compiled
def _keep(chunk: Bytes, language: np.uint32, rows: Numbers, keys: Bytes, number: int) -> None:
    begin = np.int64(rows[number - 1, KEY])
    keys[begin : begin + len(chunk)] = chunk
    keys[begin + len(chunk)] = NEW_LINE
    rows[number, KEY] = begin + len(chunk) + 1
    rows[number, LANGUAGE] = language


@compiled
def fill(seed: np.uint64, table: Hashes, rows: Numbers, keys: Bytes, size: int) -> None:
    """Put all numbers into an empty table."""
    mask = np.uint64(len(table) - 1)
    for number in range(1, size + 1):
        key = seed ^ np.uint64(rows[number, LANGUAGE]) * MIX
        for n in range(np.int64(rows[number - 1, KEY]), np.int64(rows[number, KEY]) - 1):
            key = (key ^ np.uint64(keys[n])) * PRIME
        key ^= key >> HALF
        place = key & mask
        while table[place] != ZERO:
            place = (place + ONE) & mask
        table[place] = (key >> HALF) << HALF | np.uint64(number)


@compiled
def put_together(
    chunks: NDArray[np.int32],
    spelt_fields: NDArray[np.bool_],
    body: int,
    rows: Numbers,
    said: Bytes,
    codes: Numbers,
    spelt: Bytes,
    coded: Numbers,
    ends: Places,
    alike: Places,
) -> int:
    """What documents of these chunks say; returns the end of `spelt`, NO_ROOM if it does not fit.

    `spelt` gets the terms of the fields that are spelt, pieces on lines of their own, FIELD behind
    each; `coded` the codes of all, 0 between pieces; `ends` where each field ends there; `alike`
    what each body is like.
    """
    out, code = np.int64(0), np.int64(0)
    field = document = 0
    begun = False  # is there anything of this field?
    apart = False  # and has the piece that it stands in ended?
    for chunk in chunks:
        number = np.int64(chunk)
        if number <= 0:
            apart = True
            if number == -FIELD:
                ends[document, field] = code
                if field == body:
                    start = ends[document - 1, -1] if document else np.int64(0)
                    title = coded[start : ends[document, 0]]
                    alike[document] = likeness(coded[ends[document, field - 1] : code], title)
                if spelt_fields[field]:
                    if out == len(spelt):
                        return NO_ROOM
                    spelt[out] = FIELD
                    out += 1
                begun = False
                field += 1
                if field == len(spelt_fields):
                    field, document = 0, document + 1
            continue
        first, last = np.int64(rows[number - 1, CODE]), np.int64(rows[number, CODE])
        begin, end = np.int64(rows[number - 1, SAID]), np.int64(rows[number, SAID])
        if first == last:
            continue
        if out + end - begin + STRIDE >= len(spelt) or code + last - first >= len(coded):
            return NO_ROOM
        between = begun and apart
        begun, apart = True, False
        if between:
            coded[code] = 0
            code += 1
        coded[code] = codes[first]
        for m in range(1, last - first):
            coded[code + m] = codes[first + m]
        code += last - first
        if spelt_fields[field]:
            if between:
                spelt[out] = NEW_LINE
                out += 1
            for m in range(STRIDE):
                spelt[out + m] = said[begin + m]
            for m in range(STRIDE, end - begin):
                spelt[out + m] = said[begin + m]
            out += end - begin
    return int(out)


@compiled
def count(
    chunks: NDArray[np.int32],
    fields: int,
    title: int,
    body: int,
    until: Places,
    rows: Numbers,
    words: Numbers,
    stamps: Numbers,
    counts: Numbers,
    stamp: int,
) -> None:
    """Count the words of titles, and those of bodies up to a chunk, once for each document.

    What was counted for the first of them has this stamp, and so on.
    """
    field = document = 0
    for n in range(len(chunks)):
        number = np.int64(chunks[n])
        if number <= 0:
            field += number == -FIELD
            if field == fields:
                field, document = 0, document + 1
        elif field == title or (field == body and n <= until[document]):
            for m in range(np.int64(rows[number - 1, WORD]), np.int64(rows[number, WORD])):
                word = words[m]
                if stamps[word] != stamp + document:
                    stamps[word] = stamp + document
                    counts[word] += np.uint32(1)
