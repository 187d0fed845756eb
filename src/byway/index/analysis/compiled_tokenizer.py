"""Compiled tokenizer: splits UTF-8 text into chunks between separators. Import it lazily.

Functions compiled together share one file: the compiler's cache only notices changes within a
file.
"""

import numpy as np
from numpy.typing import NDArray

from byway.core.fields import MAX_LINE_START_WORD_CHARS, MAX_NAMES_PER_PAGE
from byway.core.numba import jit
from byway.core.text import is_word_char

# Text is first folded byte by byte, so that few bytes need a second look: separators become 0,
# white space 1 or 2, and characters that separate words depending on their neighbours become a
# value below SPECIAL_BYTE_COUNT. All other bytes are part of a word.

SEPARATOR, SPACE, LINE, PIECE_END, FIELD_END = range(5)
"""Folded bytes that always separate words. The last two end a piece and a field."""
DOT, HYPHEN, APOSTROPHE, SHARP, TWO_BYTE_LEAD, THREE_BYTE_LEAD = range(5, 11)
"""Folded bytes that separate words depending on their neighbours. The last two start two-byte
and three-byte characters."""
SPECIAL_BYTE_COUNT = 11
ORIGINAL_BYTES = {DOT: ord("."), HYPHEN: ord("-"), APOSTROPHE: ord("'"), SHARP: ord("#")} | {
    TWO_BYTE_LEAD: 0xC2,
    THREE_BYTE_LEAD: 0xE2,
}
"""The original byte of each of these."""
MIN_CONTINUATION_BYTE = 0x80
"""The lowest UTF-8 continuation byte."""

SEPARATOR_BYTES = bytes(range(2, 33)) + b'!"$%&()*,/:;<=>?@[\\]^_`{|}~\x7f'
"""Bytes that are never part of a word."""
TWO_BYTE_SEPARATORS: NDArray[np.bool_] = np.array(
    [not is_word_char(chr(0x80 + n)) for n in range(64)]
)
THREE_BYTE_SEPARATORS: NDArray[np.bool_] = np.array(
    [not is_word_char(chr(0x2000 + n)) for n in range(4096)]
)
"""Whether each character with these lead bytes separates words."""
TWO_BYTE_SPACES: NDArray[np.bool_] = np.array([chr(0x80 + n).isspace() for n in range(64)])
THREE_BYTE_SPACES: NDArray[np.bool_] = np.array([chr(0x2000 + n).isspace() for n in range(4096)])
"""Whether each of these characters is white space."""


def fold_table(lowercase: bool) -> bytes:
    """The folded form of each byte; with `lowercase`, letters in lower case.

    In the text before folding, bytes 0 and 1 end pieces and fields.
    """
    plain = bytes(range(256)).lower() if lowercase else bytes(range(256))
    folded = {byte: SPACE if chr(byte).isspace() else SEPARATOR for byte in SEPARATOR_BYTES}
    folded |= {0: PIECE_END, 1: FIELD_END, ord("\n"): LINE}
    folded |= {original: number for number, original in ORIGINAL_BYTES.items()}
    return bytes(folded.get(byte, plain[byte]) for byte in range(256))


FOLD_TABLE, TURKISH_FOLD_TABLE = fold_table(lowercase=True), fold_table(lowercase=False)
UNFOLD_TABLE = bytes(ORIGINAL_BYTES.get(byte, byte) for byte in range(256))
"""The original form of bytes that are part of words."""

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]
Spans = NDArray[np.int32]
Hashes = NDArray[np.uint64]

PADDING_BYTES = 16
"""Minimum number of zeros after a text: bytes are read eight at a time."""
EXTRA_SPANS_PER_DOCUMENT = MAX_NAMES_PER_PAGE + 1
"""Spans per document that take no bytes of their own: the ends of its line starts."""

LETTER_E, LETTER_N = ord("e"), ord("n")
LOWERCASE_BIT = 32
"""The bit set in lower-case letters: Turkish text is folded without lower-casing."""
MIN_ALNUM_BYTE, MIN_NON_ASCII_BYTE = ord("0"), 128
"""After folding, all bytes between these two are letters and digits."""
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
    `counted_bytes`. The text ends with the end of a field and PADDING_BYTES zeros. The field
    `line_starts_field` gets the line starts in the first `line_start_bytes` bytes of the next
    field, the body.
    """
    position, stop, span_count = ZERO, np.uint64(end), 0
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
        position = _chunk_end(text, eights, start)
        if np.int64(start) < counted_bytes[document]:
            last_counted_chunks[document] = span_count
        spans[span_count, 0], spans[span_count, 1] = start, position
        span_count += 1
    return span_count


@jit
def _find_line_starts(
    text: Bytes, eights: Hashes, position: np.uint64, stop: np.uint64, spans: Spans, span_count: int
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
    """The number of bytes of the white-space character at this position; 0 if there is none."""
    byte = text[position]
    if byte == SPACE:
        return ONE
    if byte < TWO_BYTE_LEAD or THREE_BYTE_LEAD < byte < 0xE1 or byte > 0xE3:
        return NO_BYTES
    if byte == TWO_BYTE_LEAD:
        return (
            TWO_BYTES if TWO_BYTE_SPACES[text[position + ONE] - MIN_CONTINUATION_BYTE] else NO_BYTES
        )
    after, last = text[position + ONE], text[position + TWO_BYTES]
    if byte == THREE_BYTE_LEAD:
        code_offset = (
            (np.int64(after) - MIN_CONTINUATION_BYTE) * 64 + np.int64(last) - MIN_CONTINUATION_BYTE
        )
        return THREE_BYTES if THREE_BYTE_SPACES[code_offset] else NO_BYTES
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
    text: Bytes, eights: Hashes, position: np.uint64, stop: np.uint64, spans: Spans, span_count: int
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
        position = min(_chunk_end(text, eights, start), stop)
        spans[span_count, 0], spans[span_count, 1] = start, position
        span_count += 1
    return span_count


@jit
def _chunk_end(text: Bytes, eights: Hashes, position: np.uint64) -> np.uint64:
    while True:
        eight = load_eight_bytes(eights, position)
        hit = (
            (eight - SPECIAL_COUNT_IN_EACH_BYTE) & ~eight & HIGH_BIT_OF_EACH_BYTE
        )  # its lowest bit is in the first byte below SPECIAL_BYTE_COUNT
        if hit == ZERO:
            position += EIGHT
            continue
        position += _first_byte(hit)
        if text[position] <= FIELD_END or _separator_bytes(text, position):
            return position
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
    byte, after = text[position], text[position + ONE]
    if byte == TWO_BYTE_LEAD:
        return TWO_BYTES if TWO_BYTE_SEPARATORS[after - MIN_CONTINUATION_BYTE] else NO_BYTES
    if byte == THREE_BYTE_LEAD:
        code_offset = (
            (np.int64(after) - MIN_CONTINUATION_BYTE) * 64
            + np.int64(text[position + TWO_BYTES])
            - MIN_CONTINUATION_BYTE
        )
        return THREE_BYTES if THREE_BYTE_SEPARATORS[code_offset] else NO_BYTES
    before = text[position - ONE] if position else np.uint8(0)
    earlier = text[position - TWO_BYTES] if position > ONE else np.uint8(0)
    if byte == DOT:
        return NO_BYTES if after | LOWERCASE_BIT == LETTER_N and not _is_alnum(before) else ONE
    if byte == HYPHEN:
        return NO_BYTES if before | LOWERCASE_BIT == LETTER_E and not _is_alnum(earlier) else ONE
    if byte == SHARP:
        return (
            ONE if before <= FIELD_END or (_is_alnum(before) and _is_alnum(earlier)) else NO_BYTES
        )
    # An apostrophe at the start of 'e-mail' or 'c#' is kept: first-letter rules need it.
    is_leading = (
        before <= FIELD_END
        and after | LOWERCASE_BIT != LETTER_E
        and text[position + TWO_BYTES] != SHARP
    )
    return ONE if is_leading or after <= DOT else NO_BYTES


@jit
def _is_alnum(byte: np.uint8) -> bool:
    """Whether the byte is an ASCII letter or digit."""
    return bool(MIN_ALNUM_BYTE <= byte < MIN_NON_ASCII_BYTE)
