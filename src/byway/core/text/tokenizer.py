"""Tokenizer: words in spaced scripts, character bigrams in unspaced ones.

>>> tokenize("Her e-mail: C++, .NET and l’avion; snake_case 3.11")
['her', 'email', 'c++', '.net', 'and', 'avion', 'snake', 'case', '3', '11']
>>> tokenize("日本語")
['日本', '本語']"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import chain
from operator import add
from unicodedata import normalize

INVISIBLE_CHARS = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
"""Soft hyphens and zero-width characters, which have no meaning inside words."""

ZERO_WIDTH_NON_JOINER = "\u200c"
"""Separates Persian words from their endings; the stemmer needs it."""

APOSTROPHES = "'’ʼ׳״"
HYPHENS = "-‐‑"


def _marks() -> str:
    """Combining marks as ranges for `re`, which does not treat them as letters."""
    codes = chain(range(0x300, 0x1E00), range(0x20D0, 0x20F1), range(0xA600, 0xAC00))
    marks = {code for code in codes if unicodedata.category(chr(code))[0] == "M"}
    firsts = sorted(code for code in marks if code - 1 not in marks)
    lasts = sorted(code for code in marks if code + 1 not in marks)
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(firsts, lasts, strict=True))


def _lowercase_table() -> dict[int, str | None]:
    """Table that removes stress marks, Semitic vowels and invisible characters; unifies digits."""
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
    """Normalize text to lower case, one width and one composition; keep accents."""
    if text.isascii():
        return text.lower()
    # Thai and Lao write am as one letter; decomposing it would shift positions in the text.
    text = unicodedata.normalize("NFKC", text).replace("\u0e4d\u0e32", "\u0e33")
    text = text.replace("\u0ecd\u0eb2", "\u0eb3").casefold()
    return unicodedata.normalize("NFC", text).translate(LOWERCASE_TABLE)


def fold_accents(word: str) -> str:
    """A lowercase word without its accents: zürich becomes zurich."""
    return word if word.isascii() else word.translate(FOLDING_TABLE)


def fold_surface_form(word: str) -> str:
    """Fold a surface form: ёлка becomes елка."""
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


def single_line(text: str | None, max_chars: int = 1000) -> str:
    """Text on one line, with whitespace collapsed, at most `max_chars` long."""
    if not text:
        return ""
    text = " ".join(text.split())[:max_chars]
    return text if text.isascii() and "\0" not in text else storable_text(text)


LETTER_CLASS = r"[^\W_]"
INNER_MARKS = rf"{APOSTROPHES}{INVISIBLE_CHARS}\u0300-\u036f"

#: Letters and digits; then combining marks, invisible characters, inner apostrophes and the Catalan
#: middle dot. The hyphen of e-mail is part of the word. C++, C# and .NET are words; after more than
#: one letter, # is the permalink sign of headings. An underscore separates words.
WORD_PATTERN = re.compile(
    rf"(?:{LETTER_CLASS}+|\.(?<!{LETTER_CLASS}\.)(?=(?i:net)(?!{LETTER_CLASS})){LETTER_CLASS}+)"
    rf"(?:(?=[^\s,.;:()])(?:[{COMBINING_MARKS}{INVISIBLE_CHARS}]+{LETTER_CLASS}*"
    rf"|[{APOSTROPHES}](?={LETTER_CLASS}){LETTER_CLASS}+"
    rf"|[{HYPHENS}](?<=[eE].)(?<!{LETTER_CLASS}[eE].)(?<![{INNER_MARKS}][eE].)(?=[^\W\d_]{{2}}){LETTER_CLASS}+"
    rf"|·(?<=[lL]·)(?=[lL]){LETTER_CLASS}+))*"
    rf"(?:\+\+|\#(?<={LETTER_CLASS}\#)(?<!{LETTER_CLASS}.\#)(?<![{INNER_MARKS}].\#))?"
)

#: Characters that can be part of a word, at least in some contexts.
WORD_CHAR_PATTERN = re.compile(
    rf"{LETTER_CLASS}|[{HYPHENS}{APOSTROPHES}{INVISIBLE_CHARS}{COMBINING_MARKS}·.+#]"
)

MAX_TOKEN_CHARS = 60
"""Longer runs of letters are mostly encoded data, and are cut off here."""

#: Letters of scripts without spaces between words (Thai, Lao, Burmese, Khmer, Chinese, Japanese)
#: and of Korean, which has spaces but many endings and no stemmer.
UNSPACED_LETTERS = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u0edc-\u0edf"
    "\u1000-\u102a\u103f\u1050-\u1055\u1100-\u11ff\u1780-\u17b3\u3005-\u3007\u3041-\u3096"
    "\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97c\uac00-\ud7fb\uf900-\ufaff\U00020000-\U0003ffff"
)
UNSPACED_RUN_PATTERN = re.compile(
    rf"(?:[{UNSPACED_LETTERS}][{COMBINING_MARKS}{ZERO_WIDTH_NON_JOINER}]*)+"
)
MARKED_CHAR_PATTERN = re.compile(
    rf"[^{COMBINING_MARKS}{ZERO_WIDTH_NON_JOINER}][{COMBINING_MARKS}{ZERO_WIDTH_NON_JOINER}]*"
)

#: The subset without combining marks or variants, enough for nearly all texts.
EAST_ASIAN_PATTERN = re.compile(
    "[\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]{2,}"
)

#: A lowercase word in a European script that normalization leaves unchanged.
UNCHANGED_LOWERCASE_LETTERS = "".join(
    c for c in map(chr, range(0xDF, 0x460)) if c.isalpha() and normalize_case(c) == c
)
LOWERCASE_WORD_PATTERN = re.compile(f"[0-9a-z{UNCHANGED_LOWERCASE_LETTERS}]+")

#: Elided articles and pronouns in French, Italian and Catalan.
ELISION_PATTERN = re.compile(
    r"(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu|[ds]?all|[dn]ell|sull|coll|quell|bell|sant|un|gl)'"
)
CONTRACTION_PATTERN = re.compile(r"'(?:s|d|m|ll|re|ve)$")


def tokenize(text: str) -> list[str]:
    """The words of a text, folded but not stemmed."""
    if text.isalnum() and text.isascii():  # like most typed words
        return [text.lower()[:MAX_TOKEN_CHARS]]
    words: list[str] = []
    for written in WORD_PATTERN.findall(text):
        words += bigrams(written) or [
            fold_accents(part)[:MAX_TOKEN_CHARS] for part, _, _ in split_word(written)
        ]
    return words


def surface_forms(text: str) -> list[str]:
    """The words of a text in lower case, with their accents.

    >>> surface_forms("L’Été à ZÜRICH: ёлка")
    ['été', 'à', 'zürich', 'ёлка']
    """
    forms: list[str] = []
    for written in WORD_PATTERN.findall(text):
        forms += bigrams(written) or [
            surface_form(written, part) for part, _, _ in split_word(written)
        ]
    return forms


def surface_form(written: str, part: str) -> str:
    """A part of a match with all its accents, including those that `normalize_case` removes."""
    if written.isascii():
        return part[:MAX_TOKEN_CHARS]
    part, lowercase = part[:MAX_TOKEN_CHARS], written.lower()
    if lowercase == part:  # nearly always
        return part
    lowercase = normalize("NFC", lowercase)[:MAX_TOKEN_CHARS]
    return lowercase if fold_surface_form(lowercase) == fold_accents(part) else part


def is_word_char(character: str) -> bool:
    """Whether the character can be part of a word."""
    return WORD_CHAR_PATTERN.match(character) is not None


def is_lowercase_word(text: str) -> bool:
    """Whether the text is a single word in normalized lower case."""
    return text.isalnum() and LOWERCASE_WORD_PATTERN.fullmatch(text) is not None


def bigrams(written: str) -> list[str]:
    """The bigrams of a plain East Asian match; a faster `split_word` for this case."""
    return list(map(add, written, written[1:])) if EAST_ASIAN_PATTERN.fullmatch(written) else []


def split_word(written: str) -> Iterator[tuple[str, int, int]]:
    """The words in a match of WORD_PATTERN, with accents, and their spans in the match.

    Usually one; ½ gives two, a Chinese sentence gives all its character bigrams.
    """
    # Matched before normalization, which turns signs into letters: Java™ is not javatm.
    normalized = normalize_case(written)
    if normalized.isalnum() and not UNSPACED_RUN_PATTERN.search(normalized):  # nearly always
        yield normalized[:MAX_TOKEN_CHARS], 0, len(written)
        return
    same_length = len(normalized) == len(written)
    for match in WORD_PATTERN.finditer(normalized):
        for part, start, end in _split_by_script(match.group()):
            if same_length:
                yield part, match.start() + start, match.start() + end
            else:
                yield part, 0, len(written)


def _split_by_script(word: str) -> Iterator[tuple[str, int, int]]:
    """Split a word at boundaries between spaced and unspaced scripts."""
    position = 0
    for run in () if word.isascii() else UNSPACED_RUN_PATTERN.finditer(word):
        if position < run.start():
            yield from _spaced_words(word, position, run.start())
        yield from _bigrams_of_run(run.group(), run.start())
        position = run.end()
    if position == 0:
        yield _without_clitics(word)[:MAX_TOKEN_CHARS], 0, len(word)
    elif position < len(word):
        yield from _spaced_words(word, position, len(word))


def _spaced_words(word: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    for match in WORD_PATTERN.finditer(word[start:end]):
        yield (
            _without_clitics(match.group())[:MAX_TOKEN_CHARS],
            start + match.start(),
            start + match.end(),
        )


def _bigrams_of_run(run: str, start: int) -> Iterator[tuple[str, int, int]]:
    """The bigrams of a run of characters; a single character is returned as is."""
    ends = [match.end() for match in MARKED_CHAR_PATTERN.finditer(run)]
    begins = [0, *ends[:-1]]
    for begin, end in zip(begins, ends[1:] or ends, strict=False):
        yield run[begin:end], start + begin, start + end


def _without_clitics(word: str) -> str:
    """A word without elisions and contractions (l'avion, it's), and without hyphens (e-mail)."""
    if "'" in word:
        elided = ELISION_PATTERN.match(word)
        if elided:
            word = word[elided.end() :]
        word = CONTRACTION_PATTERN.sub("", word).replace("'", "")
    if (
        word.endswith("#") and len(fold_accents(word)) > 2
    ):  # a # may only follow a single letter; þ folds to th
        word = word[:-1]
    return word.replace("-", "").replace("·", "")


def normalize_phrase(text: str) -> str:
    """The folded words of a text, joined by spaces, without punctuation.

    >>> normalize_phrase("std::vector — „Zeit“, C++ & e-mail")
    'std vector zeit c++ email'
    """
    if text.isascii() and text.isalnum():
        return text.lower()
    return " ".join(filter(None, map(_without_clitics, WORD_PATTERN.findall(fold_text(text)))))
