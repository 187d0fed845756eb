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

from byway.core.numba import jit
from byway.index.analysis.chunk_table import CODES_END, TERMS_END, WORDS_END, Numbers
from byway.index.analysis.compiled_simhash import duplicate_hash_of_codes
from byway.index.analysis.compiled_tokenizer import FIELD_END, Bytes, Offsets

BUFFER_TOO_SMALL = -1
"""More came out than there is room for."""
NEW_LINE = 10
COPY_BLOCK_BYTES = 16
"""Bytes that are copied at once, wherever a spelling ends: most terms are shorter."""


@jit
def assemble_documents(
    chunks: NDArray[np.int32],
    indexed_fields: NDArray[np.bool_],
    body: int,
    rows: Numbers,
    chunk_terms: Bytes,
    codes: Numbers,
    terms: Bytes,
    coded: Numbers,
    ends: Offsets,
    duplicate_hashes: Offsets,
) -> int:
    """What documents of these chunks say; returns the end of `terms`, NO_ROOM if it does not fit.

    `terms` gets the terms of the fields that are spelt, pieces on lines of their own, FIELD behind
    each; `coded` the codes of all, 0 between pieces; `ends` where each field ends there;
    `duplicate_hashes`
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
            if number == -FIELD_END:
                ends[document, field] = code
                if field == body:
                    start = ends[document - 1, -1] if document else np.int64(0)
                    title = coded[start : ends[document, 0]]
                    duplicate_hashes[document] = duplicate_hash_of_codes(
                        coded[ends[document, field - 1] : code], title
                    )
                if indexed_fields[field]:
                    if out == len(terms):
                        return BUFFER_TOO_SMALL
                    terms[out] = FIELD_END
                    out += 1
                begun = False
                field += 1
                if field == len(indexed_fields):
                    field, document = 0, document + 1
            continue
        first, last = np.int64(rows[number - 1, CODES_END]), np.int64(rows[number, CODES_END])
        begin, end = np.int64(rows[number - 1, TERMS_END]), np.int64(rows[number, TERMS_END])
        if first == last:
            continue
        if out + end - begin + COPY_BLOCK_BYTES >= len(terms) or code + last - first >= len(coded):
            return BUFFER_TOO_SMALL
        between = begun and apart
        begun, apart = True, False
        if between:
            coded[code] = 0
            code += 1
        coded[code] = codes[first]
        for m in range(1, last - first):
            coded[code + m] = codes[first + m]
        code += last - first
        if indexed_fields[field]:
            if between:
                terms[out] = NEW_LINE
                out += 1
            for m in range(COPY_BLOCK_BYTES):
                terms[out + m] = chunk_terms[begin + m]
            for m in range(COPY_BLOCK_BYTES, end - begin):
                terms[out + m] = chunk_terms[begin + m]
            out += end - begin
    return int(out)


@jit
def count_document_frequencies(
    chunks: NDArray[np.int32],
    fields: int,
    title: int,
    body: int,
    last_counted_chunks: Offsets,
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
            field += number == -FIELD_END
            if field == fields:
                field, document = 0, document + 1
        elif field == title or (field == body and n <= last_counted_chunks[document]):
            for m in range(
                np.int64(rows[number - 1, WORDS_END]), np.int64(rows[number, WORDS_END])
            ):
                word = words[m]
                if stamps[word] != stamp + document:
                    stamps[word] = stamp + document
                    counts[word] += np.uint32(1)
