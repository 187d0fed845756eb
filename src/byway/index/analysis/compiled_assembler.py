"""Compiled assembly of documents from chunk terms, with SimHash. Import this module lazily.

A chunk is the text between two characters that are never part of a word. The chunk cache gives
each chunk an id; the data of a chunk lies between the end of the previous id and its own end:

    rows         for each id: the ends of its key, terms, codes and words, as uint32, and its
                 language
    chunk_terms  its terms, each followed by a space
    codes        the code of each term, as uint32
"""

import numpy as np
from numpy.typing import NDArray

from byway.core.numba import jit
from byway.core.text.simhash import (
    HASH_SALT,
    MAX_TERM_VOTES,
    MIN_EXACT_HASH_WORDS,
    MIN_SIMHASH_WORDS,
)
from byway.index.analysis.chunk_table import CODES_END, MIX_INCREMENT, TERMS_END, Numbers
from byway.index.analysis.compiled_impacts import BUFFER_TOO_SMALL, append_impacts
from byway.index.analysis.compiled_tokenizer import (
    FIELD_END,
    LOW_BIT_OF_EACH_BYTE,
    ONE,
    ZERO,
    Bytes,
    Hashes,
    Offsets,
)

NEW_LINE = 10
COPY_BLOCK_BYTES = 16
"""Bytes copied at once, even past the end of a chunk's terms: most terms are shorter."""
MIX_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
SALT_UINT64 = np.uint64(HASH_SALT)
BYTE_MASK = np.uint64(0xFF)
MAX_VOTES_PER_BYTE = 255
"""Maximum number of votes that fit in a byte."""


@jit
def assemble_documents(
    chunks: NDArray[np.int32],
    indexed_fields: NDArray[np.bool_],
    searched_fields: NDArray[np.bool_],
    body: int,
    rows: Numbers,
    chunk_terms: Bytes,
    codes: Numbers,
    terms: Bytes,
    coded: Numbers,
    distinct_codes: Numbers,
    ends: Offsets,
    distinct_ends: Offsets,
    duplicate_hashes: Offsets,
) -> int:
    """Assemble documents from these chunks into the output arrays; return the end of `terms`.

    `terms` gets the terms of the indexed fields, each piece on its own line, then the impacts, with
    FIELD_END after each; `coded` the codes of all fields, 0 between pieces; `ends` the end of
    each field in `coded`; `distinct_codes` and `distinct_ends` those of the searched fields.
    Returns BUFFER_TOO_SMALL if `terms` or `coded` is too short.
    """
    out = code = distinct_end = np.int64(0)
    field_starts = np.zeros(len(indexed_fields), np.int64)
    field = document = start = 0
    for place in range(len(chunks)):
        if chunks[place] != -FIELD_END:
            continue
        is_indexed = indexed_fields[field]
        field_starts[field] = out
        out, code = _assemble_field(
            chunks[start:place], is_indexed, rows, chunk_terms, codes, terms, coded, out, code
        )
        if out == BUFFER_TOO_SMALL or (is_indexed and out == len(terms)):
            return BUFFER_TOO_SMALL
        if is_indexed:
            terms[out] = FIELD_END
            out += 1
        ends[document, field] = code
        if field == body:
            duplicate_hashes[document] = _body_hash(coded, ends, document, body)
        start = place + 1
        field += 1
        if field == len(indexed_fields):
            out, distinct_end = append_impacts(
                terms,
                out,
                field_starts,
                coded,
                ends,
                document,
                searched_fields,
                distinct_codes,
                distinct_end,
            )
            if out == BUFFER_TOO_SMALL:
                return BUFFER_TOO_SMALL
            distinct_ends[document] = distinct_end
            field, document = 0, document + 1
    return int(out)


@jit
def _assemble_field(
    chunks: NDArray[np.int32],
    is_indexed: bool,
    rows: Numbers,
    chunk_terms: Bytes,
    codes: Numbers,
    terms: Bytes,
    coded: Numbers,
    out: np.int64,
    code: np.int64,
) -> tuple[np.int64, np.int64]:
    """Append a field to `terms` at `out` and to `coded` at `code`; return their new ends.

    The first is BUFFER_TOO_SMALL if either array is too short.
    """
    has_terms = False
    piece_ended = False  # since the last term
    for chunk in chunks:
        number = np.int64(chunk)
        if number <= 0:
            piece_ended = True
            continue
        first, last = np.int64(rows[number - 1, CODES_END]), np.int64(rows[number, CODES_END])
        begin, end = np.int64(rows[number - 1, TERMS_END]), np.int64(rows[number, TERMS_END])
        if first == last:
            continue
        if out + end - begin + COPY_BLOCK_BYTES >= len(terms) or code + last - first >= len(coded):
            return np.int64(BUFFER_TOO_SMALL), code
        starts_piece = has_terms and piece_ended
        has_terms, piece_ended = True, False
        if starts_piece:
            coded[code] = 0
            code += 1
        coded[code] = codes[first]
        for m in range(1, last - first):
            coded[code + m] = codes[first + m]
        code += last - first
        if is_indexed:
            if starts_piece:
                terms[out] = NEW_LINE
                out += 1
            for m in range(COPY_BLOCK_BYTES):
                terms[out + m] = chunk_terms[begin + m]
            for m in range(COPY_BLOCK_BYTES, end - begin):
                terms[out + m] = chunk_terms[begin + m]
            out += end - begin
    return out, code


@jit
def _body_hash(coded: Numbers, ends: Offsets, document: int, body: int) -> np.int64:
    """The duplicate hash of a document whose body has just ended."""
    start = ends[document - 1, -1] if document else np.int64(0)
    title = coded[start : ends[document, 0]]
    return duplicate_hash_of_codes(coded[ends[document, body - 1] : ends[document, body]], title)


@jit
def duplicate_hash_of_codes(codes: NDArray[np.uint32], title: NDArray[np.uint32]) -> np.int64:
    """`simhash.duplicate_hash` of the terms with these codes; 0 separates pieces."""
    words = np.empty(len(codes), np.uint64)
    size = 0
    for code in codes:
        if code:
            words[size] = _mix(np.uint64(code) + SALT_UINT64)
            size += 1
    if size < MIN_SIMHASH_WORDS:
        return _exact_hash(codes, title) if size >= MIN_EXACT_HASH_WORDS else np.int64(0)
    pairs = np.empty(size - 1, np.uint64)
    for n in range(size - 1):
        pairs[n] = _mix(_mix(words[n]) + words[n + 1])
    votes = np.zeros(64, np.int64)
    _add_votes(words[:size], 2, votes)
    _add_votes(pairs, 1, votes)
    simhash = ZERO
    for bit in range(64):
        if votes[bit] > 0:
            simhash |= ONE << np.uint64(bit)
    return np.int64(simhash)


@jit
def _exact_hash(codes: NDArray[np.uint32], title: NDArray[np.uint32]) -> np.int64:
    """A hash of title and body, for text too short for a SimHash."""
    key = SALT_UINT64
    for code in title:
        if code:
            key = _mix(key ^ np.uint64(code))
    key = _mix(key)
    for code in codes:
        if code:
            key = _mix(key ^ np.uint64(code))
    return np.int64(key)


@jit
def _mix(key: np.uint64) -> np.uint64:
    """The mixing function of SplitMix64."""
    key = key + MIX_INCREMENT
    key = (key ^ (key >> np.uint64(30))) * MIX_MULTIPLIER_1
    key = (key ^ (key >> np.uint64(27))) * MIX_MULTIPLIER_2
    return key ^ (key >> np.uint64(31))


@jit
def _add_votes(hashes: Hashes, weight: int, votes: NDArray[np.int64]) -> None:
    """For each bit, add the number of hashes that set it, minus the number that do not."""
    room = 16
    while room < 2 * len(hashes):
        room *= 2
    mask = np.uint64(room - 1)
    keys, counts = np.empty(room, np.uint64), np.zeros(room, np.uint8)
    ones = np.zeros(8, np.uint64)  # the nth element holds eight byte counters of set nth bits
    total = 0
    for key in hashes:
        place = key & mask
        while counts[place] and keys[place] != key:
            place = (place + ONE) & mask
        keys[place] = key
        if counts[place] == MAX_TERM_VOTES:
            continue
        counts[place] += np.uint8(1)
        for n in range(8):
            ones[n] += (key >> np.uint64(n)) & LOW_BIT_OF_EACH_BYTE
        total += 1
        if total % MAX_VOTES_PER_BYTE == 0:
            _flush_votes(ones, weight, votes)
    _flush_votes(ones, weight, votes)
    for bit in range(64):
        votes[bit] -= weight * total


@jit
def _flush_votes(ones: Hashes, weight: int, votes: NDArray[np.int64]) -> None:
    """Add the byte counters to the votes and reset them."""
    for n in range(8):
        for byte in range(8):
            one_count = np.int64((ones[n] >> np.uint64(8 * byte)) & BYTE_MASK)
            votes[8 * byte + n] += 2 * weight * one_count
        ones[n] = ZERO
