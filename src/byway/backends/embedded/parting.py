"""Where do chunks begin and end? Between signs that are part of no word. Import it late.

The bytes of a text are first folded, so that most that part chunks are zeros, and those of which it
depends on what is beside them are small numbers. What is compiled together stands here together:
the compiler notices changes of one file only.
"""

import numpy as np
from numpy.typing import NDArray

from byway.backends.embedded.votes import ONE, ZERO, Hashes
from byway.compiled import compiled
from byway.text import in_words

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]
Spans = NDArray[np.int32]

PIECE, FIELD = 1, 2
"""The bytes that end a piece of a field, and a field; 0 parts chunks, as these two do."""
DOT, HYPHEN, APOSTROPHE, SHARP, TWO, THREE = range(3, 9)
"""Signs that part chunks mostly. The last two begin signs of two and of three bytes."""
FEW = 9
"""Folded bytes that are greater are part of a chunk."""
WRITTEN = {DOT: ord("."), HYPHEN: ord("-"), APOSTROPHE: ord("'"), SHARP: ord("#")} | {
    TWO: 0xC2,
    THREE: 0xE2,
}
"""What stands for these numbers in a text."""

APART = bytes(range(2, 33)) + b'!"$%&()*,/:;<=>?@[\\]^_`{|}~\x7f'
"""What is part of no word, wherever it stands."""

E, N = ord("e"), ord("n")
SMALL = 32
"""The bit that makes letters small: those of Turkish are not."""
DIGIT, UNPLAIN = ord("0"), 128
"""Letters and digits lie between; nothing else does, once folded."""
TAIL = 0x80
NONE, PAIR, TRIPLE = np.uint64(0), np.uint64(2), np.uint64(3)
PAIRS: NDArray[np.bool_] = np.array([not in_words(chr(0x80 + n)) for n in range(64)])
TRIPLES: NDArray[np.bool_] = np.array([not in_words(chr(0x2000 + n)) for n in range(4096)])
"""Which signs of two and three bytes part chunks, by what follows their first byte."""

PADDING = 16
"""Zeros behind a text, at least: bytes are looked at in eights."""
SEVEN, EIGHT, BYTE = np.uint64(7), np.uint64(8), np.uint64(3)
LAST = np.uint64(63)
HIGH = np.uint64(0x8080808080808080)
FEWEST = np.uint64(FEW * 0x0101010101010101)
WHICH = np.uint64(0x0001020304050607)
TOP = np.uint64(56)


@compiled
def take_apart(
    text: Bytes, eights: Hashes, end: int, fields: int, until: Places, spans: Spans, counted: Places
) -> int:
    """Where the chunks of some documents begin and end; returns how many there are.

    The end of a piece is the span 0 to -PIECE, that of a field 0 to -FIELD. `counted` gets which
    chunk of each document is the last that begins before the byte `until`. The text ends as a field
    does, and some zeros follow.
    """
    here, stop, found = ZERO, np.uint64(end), 0
    field = document = 0
    while here < stop:
        byte = text[here]
        if byte <= FIELD:
            here += ONE
            if byte:
                spans[found, 0], spans[found, 1] = 0, -np.int32(byte)
                found += 1
                field += byte == FIELD
                if field == fields:
                    field, document = 0, document + 1
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
def _chunk_end(text: Bytes, eights: Hashes, here: np.uint64) -> np.uint64:
    while True:
        eight = eight_from(eights, here)
        hit = (eight - FEWEST) & ~eight & HIGH  # the first of them is in the first byte below FEW
        if hit == ZERO:
            here += EIGHT
            continue
        first = (hit & (~hit + ONE)) >> SEVEN
        here += (first * WHICH) >> TOP
        if text[here] <= FIELD or _parting(text, here):
            return here
        here += ONE


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
        return PAIR if PAIRS[after - TAIL] else NONE
    if byte == THREE:
        rest = (np.int64(after) - TAIL) * 64 + np.int64(text[here + PAIR]) - TAIL
        return TRIPLE if TRIPLES[rest] else NONE
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


def folds(small: bool) -> bytes:
    """What each byte is: 0 if it parts chunks, a number from above, or a letter in its small form.

    Bytes 0 and 1 end pieces and fields in the texts that are folded.
    """
    plain = bytes(range(256)).lower() if small else bytes(range(256))
    known = {0: PIECE, 1: FIELD, **dict.fromkeys(APART, 0)}
    known |= {written: number for number, written in WRITTEN.items()}
    return bytes(known.get(byte, plain[byte]) for byte in range(256))


FOLDS, TURKISH_FOLDS = folds(small=True), folds(small=False)
UNFOLDS = bytes(WRITTEN.get(byte, byte) for byte in range(256))
"""The way back, for what is part of chunks."""
