"""Distinct all-caps words of a text.

Few parts of a text have all-caps words. Byte shapes find these parts quickly:

    The HTTP/2 of RFC 9113  ->  Aaa AAAA.. aa AAA ....
"""

import re
import string
from functools import cache

MAX_ALL_CAPS_WORDS = 2000
"""Maximum words taken from one text: more are noise or an attack."""
MAX_NON_ASCII_SHARE = 0.05
"""Share of non-ASCII characters above which byte shapes do not help."""

#: Two capitals with no whitespace or lower-case letter in between, and the rest of the chunk.
TWO_CAPITALS_PATTERN = re.compile(rb"A[^a ]*A[^ ]*")
#: An all-caps word; the first character class skips lower-case letters fast.
ALL_CAPS_WORD_PATTERN = re.compile(r"(?<![^\W_])[^\W\d_a-zа-яё][^\W_]*[^\W\d_a-zа-яё](?![^\W_])")


def capitals(text: str) -> tuple[str, ...]:
    """The all-caps words of a text, in order."""
    words: dict[str, None] = {}
    for chunk in dict.fromkeys(filter(str.isupper, _candidate_chunks(text).split())):
        word = chunk.strip(string.punctuation)
        if not word.isalpha():
            words |= dict.fromkeys(ALL_CAPS_WORD_PATTERN.findall(chunk))
        elif len(word) > 1:
            words[word] = None
    return tuple(words)[:MAX_ALL_CAPS_WORDS]


def _candidate_chunks(text: str) -> str:
    """The parts of a text that may have all-caps words; splitting all of it took twice as long."""
    encoded = text.encode("ascii", "replace")
    if not text.isascii() and encoded.count(b"?") > MAX_NON_ASCII_SHARE * len(text):
        return text
    shapes = encoded.translate(_shapes())
    return " ".join(
        [
            text[shapes.rfind(b" ", 0, match.start()) + 1 : match.end()]
            for match in TWO_CAPITALS_PATTERN.finditer(shapes)
        ]
    )


@cache
def _shapes() -> bytes:
    """The shape of each byte. `?` stands for non-ASCII characters, which may be capitals."""
    shapes = bytearray(b"." * 256)
    for char in map(chr, range(128)):
        if char.isspace():
            shapes[ord(char)] = ord(" ")
        elif char.isalpha() or char == "?":
            shapes[ord(char)] = ord("a" if char.islower() else "A")
    return bytes(shapes)
