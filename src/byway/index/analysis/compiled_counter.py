"""The inner loops over the bytes of texts, compiled. Import it late: this takes a while.

A chunk is what stands between two signs that can be part of no word, wherever they stand. What its
terms are, a lexicon says, which gives each chunk a number: all that belongs to a chunk lies between
the ends of the number before and its own.

    rows   for each number: where its key, its spelling, its codes and its words end, as uint32;
           and of which language it is
    said   its spelling: each term and a space
    codes  the code of each term, words the number of each word that is counted, as uint32
"""

import numpy as np
from numpy.typing import NDArray

from byway.core.numba import compiled
from byway.index.analysis.chunk_table import CODE, SAID, WORD, Numbers
from byway.index.analysis.compiled_simhash import likeness
from byway.index.analysis.compiled_tokenizer import FIELD, Bytes, Places

NO_ROOM = -1
"""More came out than there is room for."""
NEW_LINE = 10
STRIDE = 16
"""Bytes that are copied at once, wherever a spelling ends: most terms are shorter."""


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
