"""Words out of text: the same for documents and for queries.

>>> terms("The Ёлки и the running cafés")
['the', 'елк', 'и', 'the', 'run', 'cafe']
"""

import re
import unicodedata
from collections.abc import Iterator

import Stemmer

#: A letter or digit, then letters, digits, marks on them, soft hyphens, inner apostrophes and a
#: final + or #, so that C++ and C# are words. An underscore parts words.
WORD = re.compile(r"[^\W_](?:[^\W_]|[\u0300-\u036f\u00ad]|['’](?=[^\W_]))*(?:\+\+|#)?")

LONGEST = 60
"""Longer runs of letters are not words (encoded data, mostly) and are cut here."""


def _folding() -> dict[int, str | None]:
    """Latin letters without their accents; stress marks, soft hyphens and zero widths gone."""
    table: dict[int, str | None] = dict.fromkeys(range(0x0300, 0x0370))
    table |= dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
    table |= {ord("ё"): "е", ord("’"): "'", ord("ß"): "ss", ord("ø"): "o", ord("đ"): "d"}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        plain = unicodedata.normalize("NFKD", chr(code)).encode("ascii", "ignore").decode()
        if plain:
            table.setdefault(code, plain)
    return table


FOLDING = _folding()
RUSSIAN = re.compile(r"[а-яА-Я]")


class _Stems(dict[str, str]):
    """Stems by word. Pages repeat their words, so nearly every look-up is a hit."""

    MOST = 500_000

    def __init__(self) -> None:
        self._english = Stemmer.Stemmer("english", 0)
        self._russian = Stemmer.Stemmer("russian", 0)

    def __missing__(self, word: str) -> str:
        if len(self) >= self.MOST:
            self.clear()
        stemmer = self._russian if RUSSIAN.match(word) else self._english
        stem: str = stemmer.stemWord(word[:LONGEST]) or word[:LONGEST]
        self[word] = stem
        return stem


_stems = _Stems()


def clean(text: str) -> str:
    """Text in one spelling: compatibility forms, accents and case folded away."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).casefold().translate(FOLDING)
        return unicodedata.normalize("NFC", text)
    return text.lower()


def words(text: str) -> list[str]:
    """The words of a text, folded but not stemmed."""
    return WORD.findall(clean(text))


def terms(text: str) -> list[str]:
    """The terms of a text: its words as the index knows them, in order."""
    return [_stems[word] for word in WORD.findall(clean(text))]


def spans(text: str) -> Iterator[tuple[str, int, int]]:
    """Each term of a text, and where in the text as written it stands."""
    for found in WORD.finditer(text):
        for word in words(found.group())[:1]:
            yield _stems[word], found.start(), found.end()


def storable(text: str) -> str:
    """Text that every store takes: no NULs, no halves of surrogate pairs."""
    if "\0" in text:
        text = text.replace("\0", " ")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
