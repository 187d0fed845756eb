"""Where do the chunks of a text begin and end? Between signs that part words. Import it late.

What is compiled together stands here together: the compiler notices changes of one file only.
"""

import numpy as np
from numpy.typing import NDArray

from byway.core.fields import LONGEST_START, MOST_NAMES
from byway.core.numba import compiled
from byway.core.text import in_words
from byway.index.analysis.compiled_simhash import ONE, ZERO, Hashes

# Which bytes of a text part its words? They are folded, so that few need a second look.
#
# Most bytes that part words become 0, those of white space say so, and a sign of which it depends
# on what is beside it becomes a number below FEW. All others are part of a word.


APART, SPACE, LINE, PIECE, FIELD = range(5)
"""What parts words wherever it stands. The last two end a piece of a field, and a field."""
DOT, HYPHEN, APOSTROPHE, SHARP, TWO, THREE = range(5, 11)
"""What parts words mostly. The last two begin signs of two and of three bytes."""
FEW = 11
WRITTEN = {DOT: ord("."), HYPHEN: ord("-"), APOSTROPHE: ord("'"), SHARP: ord("#")} | {
    TWO: 0xC2,
    THREE: 0xE2,
}
"""What these last ones stand for."""
TAIL = 0x80
"""The least byte behind the first of a sign."""

PARTS = bytes(range(2, 33)) + b'!"$%&()*,/:;<=>?@[\\]^_`{|}~\x7f'
"""What is part of no word, wherever it stands."""
OF_TWO: NDArray[np.bool_] = np.array([not in_words(chr(0x80 + n)) for n in range(64)])
OF_THREE: NDArray[np.bool_] = np.array([not in_words(chr(0x2000 + n)) for n in range(4096)])
"""Which signs part words of those that TWO and THREE begin."""
BLANK_TWO: NDArray[np.bool_] = np.array([chr(0x80 + n).isspace() for n in range(64)])
BLANK_THREE: NDArray[np.bool_] = np.array([chr(0x2000 + n).isspace() for n in range(4096)])
"""Which of them are white space."""


def folds(small: bool) -> bytes:
    """What each byte becomes; letters in their small form, if asked for.

    Bytes 0 and 1 end pieces and fields in the texts that are folded.
    """
    plain = bytes(range(256)).lower() if small else bytes(range(256))
    known = {byte: SPACE if chr(byte).isspace() else APART for byte in PARTS}
    known |= {0: PIECE, 1: FIELD, ord("\n"): LINE}
    known |= {written: number for number, written in WRITTEN.items()}
    return bytes(known.get(byte, plain[byte]) for byte in range(256))


FOLDS, TURKISH_FOLDS = folds(small=True), folds(small=False)
UNFOLDS = bytes(WRITTEN.get(byte, byte) for byte in range(256))
"""The way back, for what is part of words."""


Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Spans = NDArray[np.int32]

PADDING = 16
"""Zeros behind a text, at least: bytes are looked at in eights."""
MORE = MOST_NAMES + 1
"""Spans of a document for which it may have no bytes: the ends of its starts."""

E, N = ord("e"), ord("n")
SMALL = 32
"""The bit that makes letters small: those of Turkish are not."""
DIGIT, UNPLAIN = ord("0"), 128
"""Letters and digits lie between; nothing else does, once folded."""
NONE, PAIR, TRIPLE = np.uint64(0), np.uint64(2), np.uint64(3)
SEVEN, EIGHT, BYTE = np.uint64(7), np.uint64(8), np.uint64(3)
LAST, TOP = np.uint64(63), np.uint64(56)
EACH = np.uint64(0x0101010101010101)
HIGH = np.uint64(0x8080808080808080)
FEWEST, LINES = np.uint64(FEW) * EACH, np.uint64(LINE) * EACH
WHICH = np.uint64(0x0001020304050607)


@compiled
def take_apart(
    text: Bytes,
    eights: Hashes,
    end: int,
    fields: int,
    starts: int,
    looked_at: Places,
    until: Places,
    spans: Spans,
    counted: Places,
) -> int:
    """Where the chunks of some documents begin and end; returns how many there are.

    The end of a piece is the span 0 to -PIECE, that of a field 0 to -FIELD. `counted` gets which
    chunk of each document is the last that begins before the byte `until`. The text ends as a field
    does, and some zeros follow. The field `starts` gets what lines begin with in the first bytes of
    the next field, so many as `looked_at` says.
    """
    here, stop, found = ZERO, np.uint64(end), 0
    field = document = 0
    while here < stop:
        byte = text[here]
        if byte <= FIELD:
            here += ONE
            if byte >= PIECE:
                spans[found, 0], spans[found, 1] = 0, -np.int32(byte)
                found += 1
                field += byte == FIELD
                if field == fields:
                    field, document = 0, document + 1
                elif field == starts and byte == FIELD and looked_at[document]:
                    body = here + ONE
                    last = body + np.uint64(looked_at[document])
                    found = _starts(text, eights, body, last, spans, found)
            continue
        if byte < FEW:
            skipped = _parting(text, here)
            if skipped:
                here += skipped
                continue
        start = here
        here = _chunk_end(text, eights, start)
        if np.int64(start) < until[document]:
            counted[document] = found
        spans[found, 0], spans[found, 1] = start, here
        found += 1
    return found


@compiled
def _starts(
    text: Bytes, eights: Hashes, here: np.uint64, stop: np.uint64, spans: Spans, found: int
) -> int:
    """The chunks in the first two words of each line: what `byway.core.fields` calls its
    beginning.
    """
    pieces = 0
    while here < stop and pieces < MOST_NAMES:
        here = _after_blanks(text, here, stop)
        if here < stop and text[here] != LINE:
            first = _word_end(text, here, stop)
            second = _after_blanks(text, first, stop)
            last = first
            if first < second < stop and text[second] != LINE:
                last = _word_end(text, second, stop)
            found = _chunks_between(text, eights, here, last, spans, found)
            spans[found, 0], spans[found, 1] = 0, -np.int32(PIECE)
            found += 1
            pieces += 1
            here = last
        here = _line_end(text, eights, here, stop) + ONE
    return found


@compiled
def _after_blanks(text: Bytes, here: np.uint64, stop: np.uint64) -> np.uint64:
    """Where white space ends; a new line is none of it."""
    while here < stop:
        long = _blank(text, here)
        if not long:
            break
        here += long
    return here


@compiled
def _word_end(text: Bytes, here: np.uint64, stop: np.uint64) -> np.uint64:
    """Where what is no white space ends, or has been enough."""
    characters = 0
    while here < stop:
        byte = text[here]
        if byte < DIGIT or byte >= TAIL:
            if byte == LINE or _blank(text, here):
                break
            characters -= TAIL <= byte < TAIL + 64  # part of a sign that was counted
        if characters == LONGEST_START:
            break
        characters += 1
        here += ONE
    return here


@compiled
def _blank(text: Bytes, here: np.uint64) -> np.uint64:
    """How many bytes of white space begin here, of one sign?"""
    byte = text[here]
    if byte == SPACE:
        return ONE
    if byte < TWO or THREE < byte < 0xE1 or byte > 0xE3:
        return NONE
    if byte == TWO:
        return PAIR if BLANK_TWO[text[here + ONE] - TAIL] else NONE
    after, last = text[here + ONE], text[here + PAIR]
    if byte == THREE:
        rest = (np.int64(after) - TAIL) * 64 + np.int64(last) - TAIL
        return TRIPLE if BLANK_THREE[rest] else NONE
    wide = (byte == 0xE1 and after == 0x9A) or (byte == 0xE3 and after == 0x80)
    return TRIPLE if wide and last == 0x80 else NONE


@compiled
def _line_end(text: Bytes, eights: Hashes, here: np.uint64, stop: np.uint64) -> np.uint64:
    while here < stop:
        eight = eight_from(eights, here) ^ LINES
        hit = (eight - EACH) & ~eight & HIGH  # the first of them is in the first byte that is LINE
        if hit != ZERO:
            return here + _first_of(hit)
        here += EIGHT
    return here


@compiled
def _chunks_between(
    text: Bytes, eights: Hashes, here: np.uint64, stop: np.uint64, spans: Spans, found: int
) -> int:
    """The chunks of a few bytes; the last of them may be cut."""
    while here < stop:
        byte = text[here]
        skipped = ONE if byte <= FIELD else _parting(text, here) if byte < FEW else NONE
        if skipped:
            here += skipped
            continue
        start = here
        here = min(_chunk_end(text, eights, start), stop)
        spans[found, 0], spans[found, 1] = start, here
        found += 1
    return found


@compiled
def _chunk_end(text: Bytes, eights: Hashes, here: np.uint64) -> np.uint64:
    while True:
        eight = eight_from(eights, here)
        hit = (eight - FEWEST) & ~eight & HIGH  # the first of them is in the first byte below FEW
        if hit == ZERO:
            here += EIGHT
            continue
        here += _first_of(hit)
        if text[here] <= FIELD or _parting(text, here):
            return here
        here += ONE


@compiled
def _first_of(hit: np.uint64) -> np.uint64:
    """In which byte is the lowest bit? All bits are the highest of their bytes."""
    return (((hit & (~hit + ONE)) >> SEVEN) * WHICH) >> TOP


@compiled
def eight_from(eights: Hashes, here: np.uint64) -> np.uint64:
    """The eight bytes from here on."""
    place, shift = here >> BYTE, (here & SEVEN) << BYTE
    first, second = np.uint64(eights[place]), np.uint64(eights[place + ONE])
    return (first >> shift) | ((second << ONE) << (LAST - shift))


@compiled
def _parting(text: Bytes, here: np.uint64) -> np.uint64:
    """How many bytes from here on part chunks? 0 if these do not, in .net, e-mail, don't and C#."""
    byte, after = text[here], text[here + ONE]
    if byte == TWO:
        return PAIR if OF_TWO[after - TAIL] else NONE
    if byte == THREE:
        rest = (np.int64(after) - TAIL) * 64 + np.int64(text[here + PAIR]) - TAIL
        return TRIPLE if OF_THREE[rest] else NONE
    before = text[here - ONE] if here else np.uint8(0)
    earlier = text[here - PAIR] if here > ONE else np.uint8(0)
    if byte == DOT:
        return NONE if after | SMALL == N and not _plain(before) else ONE
    if byte == HYPHEN:
        return NONE if before | SMALL == E and not _plain(earlier) else ONE
    if byte == SHARP:
        return ONE if before <= FIELD or (_plain(before) and _plain(earlier)) else NONE
    # An apostrophe before a word matters to what is tied to its first letter: 'e-mail', 'c#'.
    first = before <= FIELD and after | SMALL != E and text[here + PAIR] != SHARP
    return ONE if first or after <= DOT else NONE


@compiled
def _plain(byte: np.uint8) -> bool:
    """Is this an English letter or a digit?"""
    return bool(DIGIT <= byte < UNPLAIN)
