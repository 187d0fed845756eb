"""Unicode normalizer: case, width and composition, and folding of accents.

Case normalization keeps the accents, which stemmers need; folding removes them as well.
"""

import unicodedata
from itertools import chain

INVISIBLE_CHARS = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphens and zero-width characters inside words, without meaning."""

ZERO_WIDTH_NON_JOINER = "\u200c"
"""Separates Persian words from their endings; the stemmer needs it."""

APOSTROPHES = "'’ʼ׳״"
HYPHENS = "-‐‑"


def _marks() -> str:
    """Combining marks as ranges for `re`, which does not count them as letters."""
    codes = chain(range(0x300, 0x1E00), range(0x20D0, 0x20F1), range(0xA600, 0xAC00))
    marks = {code for code in codes if unicodedata.category(chr(code))[0] == "M"}
    firsts = sorted(code for code in marks if code - 1 not in marks)
    lasts = sorted(code for code in marks if code + 1 not in marks)
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(firsts, lasts, strict=True))


def _lowercase_table() -> dict[int, str | None]:
    """Removes stress marks, Semitic vowels and invisible characters; unifies digits."""
    table: dict[int, str | None] = dict.fromkeys(range(0x0300, 0x0370))
    semitic = chain(range(0x0591, 0x05C8), range(0x0610, 0x061B), range(0x064B, 0x0660))
    table |= {code: None for code in semitic if unicodedata.category(chr(code)) == "Mn"}
    table |= dict.fromkeys((0x0640, 0x0670))  # tatweel and superscript alef
    table |= {ord(char): None for char in INVISIBLE_CHARS if char != ZERO_WIDTH_NON_JOINER}
    table |= dict.fromkeys(map(ord, APOSTROPHES), "'") | dict.fromkeys(map(ord, HYPHENS), "-")
    for code in range(0x0660, 0x1C60):
        digit = unicodedata.decimal(chr(code), None)
        if digit is not None:
            table[code] = str(digit)
    return table | {ord("ё"): "е"}


def _folding_table() -> dict[int, str | None]:
    """Latin and Greek letters without accents; Arabic letters in their basic form."""
    table: dict[int, str | None] = {ord(ZERO_WIDTH_NON_JOINER): None}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        plain = unicodedata.normalize("NFKD", chr(code)).encode("ascii", "ignore").decode()
        if plain:
            table[code] = plain
    for code in (*range(0x0370, 0x0400), *range(0x1F00, 0x2000)):
        plain = unicodedata.normalize("NFD", chr(code))[0]
        if plain != chr(code):
            table[code] = plain
    letters = {"ß": "ss", "ø": "o", "đ": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
    letters |= {"ð": "d", "ħ": "h", "ŧ": "t", "ŋ": "n"}
    arabic = dict.fromkeys("أإآٱ", "ا") | {"ي": "ی", "ى": "ی", "ك": "ک", "ة": "ه"}
    return table | {ord(letter): plain for letter, plain in (letters | arabic).items()}


COMBINING_MARKS = _marks()
"""Vowel signs and accents as separate characters: without them हिन्दी would be three words."""

LOWERCASE_TABLE = _lowercase_table()
FOLDING_TABLE = _folding_table()
SURFACE_FOLDING_TABLE = FOLDING_TABLE | {ord("ё"): "е"}


def normalize_case(text: str) -> str:
    """Text in lower case, one width and one composition, with its accents."""
    if text.isascii():
        return text.lower()
    # Thai and Lao write am as one letter; decomposed, positions in the text would shift.
    text = unicodedata.normalize("NFKC", text).replace("\u0e4d\u0e32", "\u0e33")
    text = text.replace("\u0ecd\u0eb2", "\u0eb3").casefold()
    return unicodedata.normalize("NFC", text).translate(LOWERCASE_TABLE)


def fold_accents(word: str) -> str:
    """A lowercase word without its accents: zürich becomes zurich."""
    return word if word.isascii() else word.translate(FOLDING_TABLE)


def fold_surface_form(word: str) -> str:
    """The folded word of a surface form: ёлка becomes елка."""
    return word if word.isascii() else word.translate(SURFACE_FOLDING_TABLE)


def fold_text(text: str) -> str:
    """Text with case, compatibility forms and accents folded."""
    return fold_accents(normalize_case(text))


def storable_text(text: str) -> str:
    """Text that every store accepts: without NULs and lone surrogates."""
    if "\0" in text:
        text = text.replace("\0", " ")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
