"""How is a word spelled? One spelling for all the ways in which it is written.

Lowering makes one word of its cases, widths and compositions and leaves the accents, which stemmers
go by. Folding takes the accents away too.
"""

import unicodedata
from itertools import chain

INVISIBLE_CHARS = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphens and zero widths: they stand inside words and mean nothing."""

ZERO_WIDTH_NON_JOINER = "\u200c"
"""What parts a Persian word from its endings, unseen; stemmers go by it."""

APOSTROPHES = "'’ʼ׳״"
HYPHENS = "-‐‑"


def _marks() -> str:
    """Combining marks as ranges for `re`, to which they are no letters."""
    codes = chain(range(0x300, 0x1E00), range(0x20D0, 0x20F1), range(0xA600, 0xAC00))
    marks = {code for code in codes if unicodedata.category(chr(code))[0] == "M"}
    firsts = sorted(code for code in marks if code - 1 not in marks)
    lasts = sorted(code for code in marks if code + 1 not in marks)
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(firsts, lasts, strict=True))


def _lowering() -> dict[int, str | None]:
    """Marks of stress and of Semitic vowels gone, and all that is unseen; digits as ours."""
    table: dict[int, str | None] = dict.fromkeys(range(0x0300, 0x0370))
    semitic = chain(range(0x0591, 0x05C8), range(0x0610, 0x061B), range(0x064B, 0x0660))
    table |= {code: None for code in semitic if unicodedata.category(chr(code)) == "Mn"}
    table |= dict.fromkeys((0x0640, 0x0670))  # the bar that makes Arabic words long, a small alef
    table |= {ord(each): None for each in INVISIBLE_CHARS if each != ZERO_WIDTH_NON_JOINER}
    table |= dict.fromkeys(map(ord, APOSTROPHES), "'") | dict.fromkeys(map(ord, HYPHENS), "-")
    for code in range(0x0660, 0x1C60):
        digit = unicodedata.decimal(chr(code), None)
        if digit is not None:
            table[code] = str(digit)
    return table | {ord("ё"): "е"}


def _folding() -> dict[int, str | None]:
    """Latin and Greek letters without their accents; Arabic letters in their plainest form."""
    table: dict[int, str | None] = {ord(ZERO_WIDTH_NON_JOINER): None}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        plain = unicodedata.normalize("NFKD", chr(code)).encode("ascii", "ignore").decode()
        if plain:
            table[code] = plain
    for code in (*range(0x0370, 0x0400), *range(0x1F00, 0x2000)):
        plain = unicodedata.normalize("NFD", chr(code))[0]
        if plain != chr(code):
            table[code] = plain
    whole = {"ß": "ss", "ø": "o", "đ": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
    whole |= {"ð": "d", "ħ": "h", "ŧ": "t", "ŋ": "n"}
    arabic = dict.fromkeys("أإآٱ", "ا") | {"ي": "ی", "ى": "ی", "ك": "ک", "ة": "ه"}
    return table | {ord(letter): plain for letter, plain in (whole | arabic).items()}


COMBINING_MARKS = _marks()
"""Vowel signs and accents that stand apart: without them हिन्दी would be three words."""

LOWERCASE_TABLE = _lowering()
FOLDING_TABLE = _folding()
SURFACE_FOLDING_TABLE = FOLDING_TABLE | {ord("ё"): "е"}


def normalize_case(text: str) -> str:
    """Text in one case, width and composition, with its accents."""
    if text.isascii():
        return text.lower()
    # Thai and Lao write am as one letter; taken apart, it would no longer be where it was.
    text = unicodedata.normalize("NFKC", text).replace("\u0e4d\u0e32", "\u0e33")
    text = text.replace("\u0ecd\u0eb2", "\u0eb3").casefold()
    return unicodedata.normalize("NFC", text).translate(LOWERCASE_TABLE)


def fold_accents(word: str) -> str:
    """A lowered word without its accents: Zurich is Zürich."""
    return word if word.isascii() else word.translate(FOLDING_TABLE)


def fold_surface_form(word: str) -> str:
    """A word as `words` has it, of one as `spelt` has it: Ёлка is елка."""
    return word if word.isascii() else word.translate(SURFACE_FOLDING_TABLE)


def fold_text(text: str) -> str:
    """Text in one spelling: compatibility forms, accents and case folded away."""
    return fold_accents(normalize_case(text))


def storable_text(text: str) -> str:
    """Text that every store takes: no NULs, no halves of surrogate pairs."""
    if "\0" in text:
        text = text.replace("\0", " ")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
