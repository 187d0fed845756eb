"""Tokenizer: words in spaced scripts, character bigrams in unspaced ones.

>>> tokenize("Her e-mail: C++, .NET and l’avion; snake_case 3.11")
['her', 'email', 'c++', '.net', 'and', 'avion', 'snake', 'case', '3', '11']
>>> tokenize("日本語")
['日本', '本語']"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from operator import add

from byway.core.languages import all_languages
from byway.core.text import characters
from byway.core.text.characters import (
    FIRST_LETTER_SUFFIXES,
    INVISIBLE_CHARS,
    JOINERS,
    LETTER_CLASS,
    MAX_TOKEN_CHARS,
    ZERO_WIDTH_NON_JOINER,
)

LOWERCASE_TABLE = characters.lowercase_table()
FOLDING_TABLE = characters.folding_table()
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


WORD_PATTERN = characters.word_pattern()
COMBINING_MARKS = characters.combining_marks()
"""Vowel signs and accents as separate characters: without them हिन्दी would be three words."""

#: Characters that can be part of a word, at least in some contexts.
WORD_CHAR_PATTERN = re.compile(
    rf"{LETTER_CLASS}|[{re.escape(characters.word_signs())}{INVISIBLE_CHARS}{COMBINING_MARKS}]"
)
UNSPACED_RUN_PATTERN = re.compile(
    rf"(?:[{characters.UNSPACED_LETTERS}][{COMBINING_MARKS}{ZERO_WIDTH_NON_JOINER}]*)+"
)
MARKED_CHAR_PATTERN = re.compile(
    rf"[^{COMBINING_MARKS}{ZERO_WIDTH_NON_JOINER}][{COMBINING_MARKS}{ZERO_WIDTH_NON_JOINER}]*"
)
EAST_ASIAN_PATTERN = re.compile(f"[{characters.PLAIN_EAST_ASIAN_LETTERS}]{{2,}}")

#: A lowercase word in a European script that normalization leaves unchanged.
UNCHANGED_LOWERCASE_LETTERS = "".join(
    c for c in map(chr, range(0xDF, 0x460)) if c.isalpha() and normalize_case(c) == c
)
LOWERCASE_WORD_PATTERN = re.compile(f"[0-9a-z{UNCHANGED_LOWERCASE_LETTERS}]+")

ELISION_PATTERN = re.compile(characters.ELISIONS)
CONTRACTION_PATTERN = re.compile(characters.CONTRACTIONS)
JOINER_SIGNS = tuple(joiner.signs[0] for joiner in JOINERS)


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
    lowercase = unicodedata.normalize("NFC", lowercase)[:MAX_TOKEN_CHARS]
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
    if word.isalnum():  # nearly always
        return word
    if "'" in word:
        elided = ELISION_PATTERN.match(word)
        if elided:
            word = word[elided.end() :]
        word = CONTRACTION_PATTERN.sub("", word)
    for sign in JOINER_SIGNS:
        word = word.replace(sign, "")
    is_long = word.endswith(FIRST_LETTER_SUFFIXES) and len(fold_accents(word)) > 2  # þ folds to th
    return word[:-1] if is_long else word


def normalize_phrase(text: str) -> str:
    """The folded words of a text, joined by spaces, without punctuation.

    >>> normalize_phrase("std::vector — „Zeit“, C++ & e-mail")
    'std vector zeit c++ email'
    """
    if text.isascii() and text.isalnum():
        return text.lower()
    return " ".join(filter(None, map(_without_clitics, WORD_PATTERN.findall(fold_text(text)))))


CHAPTER_NUMBER_PATTERN = re.compile(
    r"(?:[^\W\d_]+\s+\d+(?:\.\d+)*[.,]|(?:[A-Z]\.)?\d+(?:\.\d+)*\.)\s+(?=\S*[^\W\d_])"
)
"""`25.1. Routine Vacuuming`, `A.3. Linux Mint`, `Chapter 8. Data Types`, but not `Python 3.11`."""

NUMERAL_PATTERN = re.compile(r"[ivx]{2,}|\d+(?: \d+)*")
"""A chapter number as a normalized phrase: `4 2 13`, `xiv`."""


def strip_chapter_number(title: str) -> str:
    """The title without its chapter or section number."""
    return title[match.end() :] if (match := CHAPTER_NUMBER_PATTERN.match(title)) else title


def page_names(title: str, main_headings: Iterable[str]) -> list[str]:
    """The names of a page as people would type them: `csv`, not `csv — The Documentation`.

    If the title contains the first main heading, the rest is just the site name.
    """
    heading = next(iter(main_headings), "")
    title, heading = (strip_chapter_number(" ".join(text.split())) for text in (title, heading))
    names = [heading] if heading and heading in title else [title, heading]
    return [name for name in dict.fromkeys(names) if name]


def is_generic_title(name: str) -> bool:
    """Whether a normalized title does not describe the page: `contents`, `chapter 8`."""
    kind, _, number = name.partition(" ")
    return (
        name in _normalized_phrases("generic_titles")
        or not any(map(str.isalpha, name))
        or (
            NUMERAL_PATTERN.fullmatch(number) is not None
            and kind in _normalized_phrases("numbered_parts")
        )
    )


@cache
def _normalized_phrases(field: str) -> frozenset[str]:
    """The normalized phrases in this field of every language file."""
    lists = (getattr(language, field) for language in all_languages().values())
    return frozenset(map(normalize_phrase, chain.from_iterable(lists)))
