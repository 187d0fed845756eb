"""Which bytes of a text part its words? They are folded, so that few need a second look.

Most bytes that part words become 0, those of white space say so, and a sign of which it depends on
what is beside it becomes a number below FEW. All others are part of a word.
"""

import numpy as np
from numpy.typing import NDArray

from byway.text import in_words

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
