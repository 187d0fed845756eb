"""Which words does a text write in CAPITALS? Each once.

Few pieces of a text have any, and which they are is seen by the shapes of its bytes:

    The HTTP/2 of RFC 9113  ->  Aaa AAAA.. aa AAA ....
"""

import re
import string
from functools import cache

MAX_ALL_CAPS_WORDS = 2000
"""Words taken from one text: more is noise, or an attack."""
MAX_NON_ASCII_SHARE = 0.05
"""The share of a text that is not ASCII above which bytes tell too little of it."""

#: Two capitals with neither white space nor a small letter in between, and the rest of their piece.
TWO_CAPITALS_PATTERN = re.compile(rb"A[^a ]*A[^ ]*")
#: A word in capitals; the look-ahead spares the slow test at every small letter.
ALL_CAPS_WORD_PATTERN = re.compile(r"(?<![^\W_])[^\W\d_a-zа-яё][^\W_]*[^\W\d_a-zа-яё](?![^\W_])")


def capitals(text: str) -> tuple[str, ...]:
    """The words of a text that are written in capitals."""
    words: dict[str, None] = {}
    for chunk in dict.fromkeys(filter(str.isupper, _likely(text).split())):
        word = chunk.strip(string.punctuation)
        if not word.isalpha():
            words |= dict.fromkeys(ALL_CAPS_WORD_PATTERN.findall(chunk))
        elif len(word) > 1:
            words[word] = None
    return tuple(words)[:MAX_ALL_CAPS_WORDS]


def _likely(text: str) -> str:
    """The pieces of a text that may have such words: taking all of it apart took twice the time."""
    plain = text.encode("ascii", "replace")
    if not text.isascii() and plain.count(b"?") > MAX_NON_ASCII_SHARE * len(text):
        return text
    shapes = plain.translate(_shapes())
    return " ".join(
        [
            text[shapes.rfind(b" ", 0, found.start()) + 1 : found.end()]
            for found in TWO_CAPITALS_PATTERN.finditer(shapes)
        ]
    )


@cache
def _shapes() -> bytes:
    """What each byte is. A question mark stands for all that is not ASCII: it may be a capital."""
    shapes = bytearray(b"." * 256)
    for char in map(chr, range(128)):
        if char.isspace():
            shapes[ord(char)] = ord(" ")
        elif char.isalpha() or char == "?":
            shapes[ord(char)] = ord("a" if char.islower() else "A")
    return bytes(shapes)
