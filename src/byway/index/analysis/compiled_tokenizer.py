"""Compiled tokenizer: splits UTF-8 text into chunks at separators. Import this module lazily.

Functions compiled together share one file: the compiler's cache only notices changes within a
file.
"""

import numpy as np
from numpy.typing import NDArray

from byway.core.fields import MAX_LINE_START_WORD_CHARS, MAX_NAMES_PER_PAGE
from byway.core.numba import jit
from byway.core.text import is_word_char
from byway.core.text.characters import ANY_NON_ASCII_CHAR, ascii_sign_contexts

# Text is first folded byte by byte, so that few bytes need a second look: separators become 0,
# white space 1 or 2, and bytes that separate words depending on their neighbours become a value
# below SPECIAL_BYTE_COUNT. All other ASCII bytes are letters and digits.

SEPARATOR, SPACE, LINE, PIECE_END, FIELD_END = range(5)
"""Folded bytes that always separate words. The last two end a piece and a field."""
TWO_BYTE_LEAD, THREE_BYTE_LEAD, FIRST_SIGN = range(5, 8)
"""Folded forms of the UTF-8 lead bytes 0xC2 and 0xE2, which start most non-ASCII separators, and of
the first ASCII punctuation character that can be part of a word."""
SPECIAL_BYTE_COUNT = 16
ORIGINAL_BYTES = {TWO_BYTE_LEAD: 0xC2, THREE_BYTE_LEAD: 0xE2} | {
    number: ord(sign)
    for number, sign in enumerate(sorted({each.sign for each in ascii_sign_contexts()}), FIRST_SIGN)
}
"""The original byte of each folded byte that separates words only in some contexts."""
MIN_CONTINUATION_BYTE = 0x80
"""The lowest UTF-8 continuation byte."""


def fold_table(lowercase: bool) -> bytes:
    """The folded form of each byte; with `lowercase`, letters in lower case.

    In the text before folding, bytes 0 and 1 end pieces and fields.
    """
    plain = bytes(range(256)).lower() if lowercase else bytes(range(256))
    folded = {
        byte: SPACE if chr(byte).isspace() else SEPARATOR
        for byte in range(128)
        if not is_word_char(chr(byte))
    }
    folded |= {0: PIECE_END, 1: FIELD_END, ord("\n"): LINE}
    folded |= {original: number for number, original in ORIGINAL_BYTES.items()}
    return bytes(folded.get(byte, plain[byte]) for byte in range(256))


FOLD_TABLE, TURKISH_FOLD_TABLE = fold_table(lowercase=True), fold_table(lowercase=False)
UNFOLD_TABLE = bytes(ORIGINAL_BYTES.get(byte, byte) for byte in range(256))
"""The original form of bytes that are part of words."""

CONTEXT_FLAGS = PRECEDES, FOLLOWS, PRECEDES_LETTER, ENDS_WORD = 1, 2, 4, 8
IS_SEPARATOR, IS_SPACE = 1, 2
TWO_BYTE_FLAGS = np.uint64(256 * SPECIAL_BYTE_COUNT)
THREE_BYTE_FLAGS = TWO_BYTE_FLAGS + np.uint64(64)
"""Where the flags of characters start, by the low six bits of their continuation bytes."""
SIX_BITS, SIX = np.uint64(63), np.uint64(6)


def context_table() -> bytes:
    """A row for each sign, with the places of each folded byte where the sign is part of a word.

    Then the flags of the characters that start with the two lead bytes, and eight separators.
    """
    table = np.zeros((SPECIAL_BYTE_COUNT, 256), np.uint8)
    folded = {chr(byte): [TURKISH_FOLD_TABLE[byte]] for byte in range(MIN_CONTINUATION_BYTE)}
    non_ascii = range(MIN_CONTINUATION_BYTE, 256)
    folded[ANY_NON_ASCII_CHAR] = [TWO_BYTE_LEAD, THREE_BYTE_LEAD, *non_ascii]
    for sign, *contexts in ascii_sign_contexts():
        for flag, characters in zip(CONTEXT_FLAGS, contexts, strict=True):
            for character in characters:
                table[folded[sign], folded[character]] |= flag
    led = map(chr, (*range(0x80, 0xC0), *range(0x2000, 0x3000)))
    flags = [IS_SEPARATOR * (not is_word_char(c)) + IS_SPACE * c.isspace() for c in led]
    return table.tobytes() + bytes(flags) + bytes(8)


CONTEXT_TABLE = context_table()
"""Precedes each text: the compiler's cache would not notice a change to a constant array, and
another array as an argument slows down every call."""
TEXT_START = len(CONTEXT_TABLE)

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]
Spans = NDArray[np.int32]
Hashes = NDArray[np.uint64]

PADDING_BYTES = 16
"""Minimum number of zeros after a text: bytes are read eight at a time."""
EXTRA_SPANS_PER_DOCUMENT = MAX_NAMES_PER_PAGE + 1
"""Spans per document that do not correspond to bytes of text: the ends of its line starts."""

MIN_ALNUM_BYTE = ord("0")
"""After folding, all bytes from this one to MIN_CONTINUATION_BYTE are letters and digits."""
ZERO, ONE = np.uint64(0), np.uint64(1)
NO_BYTES, TWO_BYTES, THREE_BYTES = np.uint64(0), np.uint64(2), np.uint64(3)
SEVEN, EIGHT, BYTE_SHIFT = np.uint64(7), np.uint64(8), np.uint64(3)
LAST_BIT, TOP_BYTE_SHIFT = np.uint64(63), np.uint64(56)
LOW_BIT_OF_EACH_BYTE = np.uint64(0x0101010101010101)
HIGH_BIT_OF_EACH_BYTE = np.uint64(0x8080808080808080)
SPECIAL_COUNT_IN_EACH_BYTE, LINE_IN_EACH_BYTE = (
    np.uint64(SPECIAL_BYTE_COUNT) * LOW_BIT_OF_EACH_BYTE,
    np.uint64(LINE) * LOW_BIT_OF_EACH_BYTE,
)
BYTE_INDEX_MULTIPLIER = np.uint64(0x0001020304050607)


@jit
def find_chunks(
    text: Bytes,
    eights: Hashes,
    end: int,
    fields: int,
    line_starts_field: int,
    line_start_bytes: Offsets,
    counted_bytes: Offsets,
    spans: Spans,
    last_counted_chunks: Offsets,
) -> int:
    """Fill `spans` with the starts and ends of the chunks; return their count.

    A piece ends with the span (0, -PIECE_END), a field with (0, -FIELD_END).
    `last_counted_chunks` gets the last chunk of each document that starts before the byte
    `counted_bytes`. The text starts with CONTEXT_TABLE and ends with the end of a field and
    PADDING_BYTES zeros. The field `line_starts_field` gets the line starts in the first
    `line_start_bytes` bytes of the next field, the body.
    """
    position, stop, span_count = np.uint64(TEXT_START), np.uint64(end), 0
    field = document = 0
    while position < stop:
        byte = text[position]
        if byte <= FIELD_END:
            position += ONE
            if byte >= PIECE_END:
                spans[span_count, 0], spans[span_count, 1] = 0, -np.int32(byte)
                span_count += 1
                field += byte == FIELD_END
                if field == fields:
                    field, document = 0, document + 1
                elif (
                    field == line_starts_field and byte == FIELD_END and line_start_bytes[document]
                ):
                    body = position + ONE
                    last = body + np.uint64(line_start_bytes[document])
                    span_count = _find_line_starts(text, eights, body, last, spans, span_count)
            continue
        if byte < SPECIAL_BYTE_COUNT:
            skipped = _separator_bytes(text, position)
            if skipped:
                position += skipped
                continue
        start = position
        chunk_end, position = _chunk_end(text, eights, start)
        if np.int64(start) < counted_bytes[document]:
            last_counted_chunks[document] = span_count
        spans[span_count, 0], spans[span_count, 1] = start, chunk_end
        span_count += 1
    return span_count


@jit
def _find_line_starts(
    text: Bytes,
    eights: Hashes,
    position: np.uint64,
    stop: np.uint64,
    spans: Spans,
    span_count: int,
) -> int:
    """Add the chunks of the first two words of each line: its line start in `byway.core.fields`."""
    pieces = 0
    while position < stop and pieces < MAX_NAMES_PER_PAGE:
        position = _after_blanks(text, position, stop)
        if position < stop and text[position] != LINE:
            first = _word_end(text, position, stop)
            second = _after_blanks(text, first, stop)
            last = first
            if first < second < stop and text[second] != LINE:
                last = _word_end(text, second, stop)
            span_count = _chunks_between(text, eights, position, last, spans, span_count)
            spans[span_count, 0], spans[span_count, 1] = 0, -np.int32(PIECE_END)
            span_count += 1
            pieces += 1
            position = last
        position = _line_end(text, eights, position, stop) + ONE
    return span_count


@jit
def _after_blanks(text: Bytes, position: np.uint64, stop: np.uint64) -> np.uint64:
    """The end of a run of white space; a newline ends it."""
    while position < stop:
        length = _blank_bytes(text, position)
        if not length:
            break
        position += length
    return position


@jit
def _word_end(text: Bytes, position: np.uint64, stop: np.uint64) -> np.uint64:
    """The end of a run without white space, or of its first MAX_LINE_START_WORD_CHARS."""
    characters = 0
    while position < stop:
        byte = text[position]
        if byte < MIN_ALNUM_BYTE or byte >= MIN_CONTINUATION_BYTE:
            if byte == LINE or _blank_bytes(text, position):
                break
            characters -= (
                MIN_CONTINUATION_BYTE <= byte < MIN_CONTINUATION_BYTE + 64
            )  # part of a character already counted
        if characters == MAX_LINE_START_WORD_CHARS:
            break
        characters += 1
        position += ONE
    return position


@jit
def _blank_bytes(text: Bytes, position: np.uint64) -> np.uint64:
    """The length in bytes of the white-space character at this position; 0 if there is none."""
    byte = text[position]
    if byte == SPACE:
        return ONE
    if byte < TWO_BYTE_LEAD or THREE_BYTE_LEAD < byte < 0xE1 or byte > 0xE3:
        return NO_BYTES
    after, last = text[position + ONE], text[position + TWO_BYTES]
    if byte == TWO_BYTE_LEAD:
        return TWO_BYTES if text[TWO_BYTE_FLAGS + (after & SIX_BITS)] & IS_SPACE else NO_BYTES
    if byte == THREE_BYTE_LEAD:
        code = THREE_BYTE_FLAGS + ((after & SIX_BITS) << SIX) + (last & SIX_BITS)
        return THREE_BYTES if text[code] & IS_SPACE else NO_BYTES
    is_space = (byte == 0xE1 and after == 0x9A) or (byte == 0xE3 and after == 0x80)
    return THREE_BYTES if is_space and last == 0x80 else NO_BYTES


@jit
def _line_end(text: Bytes, eights: Hashes, position: np.uint64, stop: np.uint64) -> np.uint64:
    while position < stop:
        eight = load_eight_bytes(eights, position) ^ LINE_IN_EACH_BYTE
        hit = (
            (eight - LOW_BIT_OF_EACH_BYTE) & ~eight & HIGH_BIT_OF_EACH_BYTE
        )  # its lowest bit is in the first LINE byte
        if hit != ZERO:
            return position + _first_byte(hit)
        position += EIGHT
    return position


@jit
def _chunks_between(
    text: Bytes,
    eights: Hashes,
    position: np.uint64,
    stop: np.uint64,
    spans: Spans,
    span_count: int,
) -> int:
    """Add the chunks between two positions; the last one may be truncated."""
    while position < stop:
        byte = text[position]
        skipped = (
            ONE
            if byte <= FIELD_END
            else _separator_bytes(text, position)
            if byte < SPECIAL_BYTE_COUNT
            else NO_BYTES
        )
        if skipped:
            position += skipped
            continue
        start = position
        chunk_end, position = _chunk_end(text, eights, start)
        spans[span_count, 0], spans[span_count, 1] = start, min(chunk_end, stop)
        span_count += 1
    return span_count


@jit
def _chunk_end(text: Bytes, eights: Hashes, position: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The end of the chunk at this position, and of the special separator after it, if any."""
    while True:
        eight = load_eight_bytes(eights, position)
        hit = (
            (eight - SPECIAL_COUNT_IN_EACH_BYTE) & ~eight & HIGH_BIT_OF_EACH_BYTE
        )  # its lowest bit is in the first byte below SPECIAL_BYTE_COUNT
        if hit == ZERO:
            position += EIGHT
            continue
        position += _first_byte(hit)
        if text[position] <= FIELD_END:
            return position, position
        skipped = _separator_bytes(text, position)
        if skipped:
            return position, position + skipped
        position += ONE


@jit
def _first_byte(hit: np.uint64) -> np.uint64:
    """The index of the lowest byte that has its highest bit set."""
    return (((hit & (~hit + ONE)) >> SEVEN) * BYTE_INDEX_MULTIPLIER) >> TOP_BYTE_SHIFT


@jit
def load_eight_bytes(eights: Hashes, position: np.uint64) -> np.uint64:
    """The eight bytes starting at this position, as an integer."""
    place, shift = position >> BYTE_SHIFT, (position & SEVEN) << BYTE_SHIFT
    first, second = np.uint64(eights[place]), np.uint64(eights[place + ONE])
    return (first >> shift) | ((second << ONE) << (LAST_BIT - shift))


@jit
def _separator_bytes(text: Bytes, position: np.uint64) -> np.uint64:
    """The number of separator bytes at this position; 0 inside .net, e-mail, don't and C#."""
    byte, after, later = text[position], text[position + ONE], text[position + TWO_BYTES]
    if byte == TWO_BYTE_LEAD:
        return TWO_BYTES if text[TWO_BYTE_FLAGS + (after & SIX_BITS)] & IS_SEPARATOR else NO_BYTES
    if byte == THREE_BYTE_LEAD:
        code = THREE_BYTE_FLAGS + ((after & SIX_BITS) << SIX) + (later & SIX_BITS)
        return THREE_BYTES if text[code] & IS_SEPARATOR else NO_BYTES
    sign = np.uint64(byte) << EIGHT
    if not text[sign + after] & FOLLOWS:
        return ONE
    before = text[position - ONE]
    earlier = text[position - TWO_BYTES]
    is_joined = (text[sign + before] & PRECEDES != 0) & (
        text[sign + earlier] & PRECEDES_LETTER != 0
    )
    return NO_BYTES if is_joined | (text[sign + later] & ENDS_WORD != 0) else ONE
