"""Words out of text: the same for documents and for queries.

>>> terms("The Ёлки и the running cafés")
['the', 'елк', 'и', 'the', 'run', 'cafe']
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

import Stemmer

UNSEEN = "\u00ad\u200b-\u200d\u2060\ufeff"
"""Soft hyphens and zero widths: they stand inside words and mean nothing."""

#: A letter or digit, then letters, digits, marks on them, what is unseen and inner apostrophes.
#: C++ and C# are words; after more than one letter, # is the sign by which headings link to
#: themselves. An underscore parts words.
WORD = re.compile(
    rf"[^\W_](?:[^\W_]|[\u0300-\u036f{UNSEEN}]|['’](?=[^\W_]))*(?:\+\+|(?<![^\W_]{{2}})#)?"
)

LONGEST = 60
"""Longer runs of letters are not words (encoded data, mostly) and are cut here."""


def _folding() -> dict[int, str | None]:
    """Latin letters without their accents; stress marks, soft hyphens and zero widths gone."""
    table: dict[int, str | None] = dict.fromkeys(range(0x0300, 0x0370))
    table |= dict.fromkeys((0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF))
    table |= {ord("ё"): "е", ord("’"): "'", ord("ß"): "ss", ord("ø"): "o", ord("đ"): "d"}
    table[ord("ʼ")] = "'"
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        plain = unicodedata.normalize("NFKD", chr(code)).encode("ascii", "ignore").decode()
        if plain:
            table.setdefault(code, plain)
    return table


FOLDING = _folding()
RUSSIAN = re.compile(r"[а-яА-Я]")


class _Terms(dict[str, tuple[str, ...]]):
    """The terms of each word as written. Pages repeat their words, so nearly all are known.

    A word as written is one term as a rule; ½ is two, and some letters are none.
    """

    MOST = 500_000

    def __init__(self) -> None:
        self._english = Stemmer.Stemmer("english", 0)
        self._russian = Stemmer.Stemmer("russian", 0)

    def __missing__(self, written: str) -> tuple[str, ...]:
        found = tuple(map(self._stem, words(written[:LONGEST])))
        if len(written) <= LONGEST:  # longer ones hardly come again, and would fill the memory
            if len(self) >= self.MOST:
                self.clear()
            self[written] = found
        return found

    def _stem(self, word: str) -> str:
        stemmer = self._russian if RUSSIAN.match(word) else self._english
        stem: str = stemmer.stemWord(word)
        return stem or word


_terms = _Terms()


def clean(text: str) -> str:
    """Text in one spelling: compatibility forms, accents and case folded away."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text).casefold().translate(FOLDING)
        return unicodedata.normalize("NFC", text)
    return text.lower()


def words(text: str) -> list[str]:
    """The words of a text, folded but not stemmed."""
    # Parted before they are folded, since folding makes letters of signs: Java™ is not javatm.
    return [word for written in WORD.findall(text) for word in WORD.findall(clean(written))]


def terms(text: str, language: str = "") -> list[str]:
    """The terms of a text: its words as the index knows them, in order."""
    return [term for written in WORD.findall(text) for term in _terms[written]]


def readings(word: str, languages: Iterable[str] = ()) -> tuple[tuple[str, ...], ...]:
    """What the index may call a word, in these languages."""
    return (found,) if (found := tuple(terms(word))) else ()


def spans(text: str, language: str = "") -> Iterator[tuple[str, int, int]]:
    """Each term of a text, and where in the text as written it stands."""
    for found in WORD.finditer(text):
        for term in _terms[found.group()]:
            yield term, found.start(), found.end()


def storable(text: str) -> str:
    """Text that every store takes: no NULs, no halves of surrogate pairs."""
    if "\0" in text:
        text = text.replace("\0", " ")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
