"""Tokenizer table: the characters of words, and the characters that join them.

The plain tokenizer (`byway.core.text.tokenizer`) and the compiled one
(`byway.index.analysis.compiled_tokenizer`) are both built from it. Every constant here is part of
the index version, so a change rebuilds indexes.
"""

import re
import unicodedata
from collections.abc import Iterator, Set
from itertools import chain
from typing import NamedTuple

MAX_TOKEN_CHARS = 60
"""Maximum length of a token; longer runs of letters are mostly encoded data and are cut off."""

INVISIBLE_CHARS = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphens and zero-width characters, which have no meaning inside words."""

ZERO_WIDTH_NON_JOINER = "\u200c"
"""Separates Persian words from their endings; kept because the stemmer needs it."""

LETTER_CLASS = r"[^\W_]"
"""Letters and digits. An underscore separates words."""


class Joiner(NamedTuple):
    """A character that is part of a word when it stands between letters."""

    signs: str
    """Its forms; normalization replaces each with the first, and terms contain none."""
    before: str = ""
    """The letter that must precede it, as a character class; any if empty."""
    after: str = LETTER_CLASS
    """The letters that must follow it, as a pattern."""
    after_first_letter: bool = False
    """Whether it may only follow the first letter of a word."""


APOSTROPHE = Joiner("'’ʼ׳״")
HYPHEN = Joiner("-‐‑", before="[eE]", after=r"[^\W\d_]{2}", after_first_letter=True)
CATALAN_MIDDLE_DOT = Joiner("·", before="[lL]", after="[lL]")
JOINERS = (APOSTROPHE, HYPHEN, CATALAN_MIDDLE_DOT)
"""O'Reilly, e-mail, col·lecció."""

PREFIXED_WORDS = {".": ("net",)}
"""Words that a punctuation character may begin: .NET."""

SUFFIXES = ("++",)
"""Characters that may end any word: C++."""
FIRST_LETTER_SUFFIXES = ("#",)
"""Characters that may end words of one letter: C#. After more letters, # is the permalink sign of
headings."""

UNSPACED_LETTERS = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u0edc-\u0edf"
    "\u1000-\u102a\u103f\u1050-\u1055\u1100-\u11ff\u1780-\u17b3\u3005-\u3007\u3041-\u3096"
    "\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Letters of scripts without spaces between words (Thai, Lao, Burmese, Khmer, Chinese, Japanese)
and of Korean, which has spaces but many endings and no stemmer."""

PLAIN_EAST_ASIAN_LETTERS = "\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
"""Those without combining marks or variants, enough for nearly all texts."""

SCRIPTS = {
    "Arabic": r"[\u0600-\u06ff]",
    "Armenian": r"[\u0530-\u058f]",
    "Devanagari": r"[\u0900-\u097f]",
    "Greek": r"[\u0370-\u03ff\u1f00-\u1fff]",
    "Hebrew": r"[\u0590-\u05ff]",
    "Latin": r"[a-z\u00df-\u024f\u1e00-\u1eff]",
    "Serbian": r"[a-z\u00df-\u024f\u0400-\u052f]",
    "Tamil": r"[\u0b80-\u0bff]",
}
"""The lowercase letters that each stemmer handles."""

ELISIONS = (
    "(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu|[ds]?all|[dn]ell|sull|coll|quell|bell|sant|un|gl)'"
)
"""Elided articles and pronouns in French, Italian and Catalan."""
CONTRACTIONS = "'(?:s|d|m|ll|re|ve)$"

FOLDED_LETTERS = (
    {"ß": "ss", "ø": "o", "đ": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
    | {"ð": "d", "ħ": "h", "ŧ": "t", "ŋ": "n"}
    | {**dict.fromkeys("أإآٱ", "ا"), "ي": "ی", "ى": "ی", "ك": "ک", "ة": "ه"}
)
"""Letters that Unicode does not decompose, and Arabic letters, with their basic forms."""


def combining_marks() -> str:
    """Combining marks as character ranges for `re`, which does not treat them as letters."""
    codes = chain(range(0x300, 0x1E00), range(0x20D0, 0x20F1), range(0xA600, 0xAC00))
    marks = {code for code in codes if unicodedata.category(chr(code))[0] == "M"}
    firsts = sorted(code for code in marks if code - 1 not in marks)
    lasts = sorted(code for code in marks if code + 1 not in marks)
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(firsts, lasts, strict=True))


def lowercase_table() -> dict[int, str | None]:
    """Table that removes stress marks, Semitic vowels and invisible characters; unifies digits."""
    table: dict[int, str | None] = dict.fromkeys(range(0x0300, 0x0370))
    semitic = chain(range(0x0591, 0x05C8), range(0x0610, 0x061B), range(0x064B, 0x0660))
    table |= {code: None for code in semitic if unicodedata.category(chr(code)) == "Mn"}
    table |= dict.fromkeys((0x0640, 0x0670))  # tatweel and superscript alef
    table |= {ord(char): None for char in INVISIBLE_CHARS if char != ZERO_WIDTH_NON_JOINER}
    for joiner in JOINERS:
        table |= dict.fromkeys(map(ord, joiner.signs), joiner.signs[0])
    for code in range(0x0660, 0x1C60):
        digit = unicodedata.decimal(chr(code), None)
        if digit is not None:
            table[code] = str(digit)
    return table | {ord("ё"): "е"}


def folding_table() -> dict[int, str | None]:
    """Table that strips Latin and Greek accents, and maps Arabic letters to basic forms."""
    table: dict[int, str | None] = {ord(ZERO_WIDTH_NON_JOINER): None}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        plain = unicodedata.normalize("NFKD", chr(code)).encode("ascii", "ignore").decode()
        if plain:
            table[code] = plain
    for code in (*range(0x0370, 0x0400), *range(0x1F00, 0x2000)):
        plain = unicodedata.normalize("NFD", chr(code))[0]
        if plain != chr(code):
            table[code] = plain
    return table | {ord(letter): plain for letter, plain in FOLDED_LETTERS.items()}


def free_joiner_signs() -> str:
    """The characters that join any letters."""
    return "".join(
        joiner.signs for joiner in JOINERS if not (joiner.before or joiner.after_first_letter)
    )


def word_signs() -> str:
    """Signs that can be part of a word."""
    return "".join(
        chain((joiner.signs for joiner in JOINERS), PREFIXED_WORDS, SUFFIXES, FIRST_LETTER_SUFFIXES)
    )


def word_pattern() -> re.Pattern[str]:
    """Pattern of a word: letters with combining marks, invisible characters and signs."""
    letter = LETTER_CLASS
    prefixed = (
        rf"|{re.escape(sign)}(?<!{letter}{re.escape(sign)})"
        rf"(?=(?i:{'|'.join(words)})(?!{letter})){letter}+"
        for sign, words in PREFIXED_WORDS.items()
    )
    joined = (
        f"|[{re.escape(joiner.signs)}]{_context(joiner.before, joiner.after_first_letter)}"
        f"(?={joiner.after}){letter}+"
        for joiner in JOINERS
    )
    suffixes = chain(
        map(re.escape, SUFFIXES),
        (f"{re.escape(sign)}{_context(letter, True)}" for sign in FIRST_LETTER_SUFFIXES),
    )
    common_ends = "".join(
        sign for sign in ",.;:()" if sign not in "".join(j.signs for j in JOINERS)
    )
    return re.compile(
        rf"(?:{letter}+{''.join(prefixed)})"
        rf"(?:(?=[^\s{common_ends}])(?:[{combining_marks()}{INVISIBLE_CHARS}]+{letter}*{''.join(joined)}))*"
        rf"(?:{'|'.join(suffixes)})?"
    )


def _context(before: str, after_first_letter: bool) -> str:
    """Pattern that tests the letter before a sign that has just been matched."""
    if not after_first_letter:
        return f"(?<={before}.)" if before else ""
    inner_marks = rf"[{re.escape(free_joiner_signs())}{INVISIBLE_CHARS}\u0300-\u036f]"
    return f"(?<={before}.)(?<!{LETTER_CLASS}{before}.)(?<!{inner_marks}{before}.)"


ANY_NON_ASCII_CHAR = "\u00e9"
"""Stands for all of them in a sign context."""
ANY_CHAR = frozenset((*map(chr, range(128)), ANY_NON_ASCII_CHAR))
ANY_LETTER = frozenset(filter(str.isalnum, ANY_CHAR))
ANY_BUT_ASCII_LETTER = ANY_CHAR - ANY_LETTER | {ANY_NON_ASCII_CHAR}


class SignContext(NamedTuple):
    """The characters around an ASCII sign that can make it part of a word."""

    sign: str
    before: Set[str]
    after: Set[str] = ANY_CHAR
    earlier: Set[str] = ANY_CHAR
    """Characters that can precede the one before."""
    later: Set[str] = frozenset()
    """Characters that can follow the one after if another sign depends on this one, whatever
    precedes it: in 'c# and 'e-mail, c and e do not count as first letters."""


def ascii_sign_contexts() -> Iterator[SignContext]:
    """The contexts of each ASCII sign, at least one."""
    for joiner in JOINERS:
        before = {letter for letter in ANY_LETTER if re.match(joiner.before, letter)}
        earlier = ANY_BUT_ASCII_LETTER if joiner.after_first_letter else ANY_CHAR
        for sign in filter(str.isascii, joiner.signs):
            later = ANY_BUT_ASCII_LETTER if sign in free_joiner_signs() else frozenset[str]()
            yield SignContext(sign, before, ANY_LETTER, earlier, later)
    for sign, words in PREFIXED_WORDS.items():
        first_letters = {case for word in words for case in word[0] + word[0].upper()}
        yield SignContext(sign, ANY_BUT_ASCII_LETTER, first_letters)
    for suffix in SUFFIXES:
        yield from (SignContext(sign, ANY_LETTER.union(suffix)) for sign in suffix)
    for sign in FIRST_LETTER_SUFFIXES:
        yield SignContext(sign, ANY_LETTER, earlier=ANY_BUT_ASCII_LETTER)
