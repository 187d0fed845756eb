"""By which terms does the index know a text? Each word's stem in the language of the text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain

import Stemmer

from byway.core.languages import stemmers
from byway.core.text import stemmer_ru
from byway.core.text.normalizer import fold_accents
from byway.core.text.tokenizer import (
    MAX_TOKEN_CHARS,
    WORD_PATTERN,
    bigrams,
    split_word,
    surface_form,
    surface_forms,
)

SCRIPT_PATTERNS = {
    "Arabic": r"[\u0600-\u06ff]",
    "Armenian": r"[\u0530-\u058f]",
    "Devanagari": r"[\u0900-\u097f]",
    "Greek": r"[\u0370-\u03ff\u1f00-\u1fff]",
    "Hebrew": r"[\u0590-\u05ff]",
    "Latin": r"[a-z\u00df-\u024f\u1e00-\u1eff]",
    "Serbian": r"[a-z\u00df-\u024f\u0400-\u052f]",
    "Tamil": r"[\u0b80-\u0bff]",
}

LANGUAGES = {code: (stemmer.snowball, stemmer.script) for code, stemmer in stemmers().items()}
"""Languages with their own stemmer: its Snowball name and the script it stems."""

LANGUAGE_BITS = {code: 1 << stemmer.bit for code, stemmer in stemmers().items()}
"""The bit of each language with a stemmer. Indexes store these bits."""

OTHER_LANGUAGES_BIT = 1
"""The bit of all languages without a stemmer of their own, English among them."""


def language_bit(language: str) -> int:
    """The bit of a language."""
    return LANGUAGE_BITS.get(language, OTHER_LANGUAGES_BIT)


TURKISH = "tr"
"""Its small letters are not those of the others."""


def terms(text: str, language: str = "") -> list[str]:
    """The terms of a text: its words as the index knows them, in order."""
    known = _analyser(language if language in LANGUAGES else "")
    return list(chain.from_iterable(map(known.__getitem__, WORD_PATTERN.findall(text))))


def terms_per_language(text: str, languages: tuple[str, ...]) -> list[tuple[int, tuple[str, ...]]]:
    """The terms of a text in no language, and in each of these, with their bits."""
    if text.isalnum() and text.isascii():  # as most that are typed
        low = text.lower()[:MAX_TOKEN_CHARS]
        return [
            (bits, known[text] if known.is_turkish else (known.ascii_term(low),))
            for bits, known in _plain_analysers(languages)
        ]
    written = WORD_PATTERN.findall(text)
    each = _plain_analysers(languages) if text.isascii() else _analysers(languages)
    return [
        (bits, tuple(chain.from_iterable(map(known.__getitem__, written)))) for bits, known in each
    ]


def terms_of_words(words: Sequence[str], languages: tuple[str, ...]) -> dict[str, int]:
    """The terms of words of small English letters, in no language and in each of these.

    Each comes with the bits of the languages that have it.
    """
    found: dict[str, int] = {}
    for bits, known in _plain_analysers(languages):
        for term in known.ascii_terms(words):
            found[term] = found.get(term, 0) | bits
    return found


def terms_of_lowercase_words(words: Sequence[str], language: str = "") -> list[str]:
    """The term of each of these words, which are lowered: what `terms` says, and soon."""
    return _analyser(language if language in LANGUAGES else "").lowercase_terms(words)


def terms_and_words(text: str, language: str = "") -> tuple[list[str], list[str]]:
    """What `terms` and `surface_forms` say of a short text, for the price of one.

    Nothing is remembered, but for Turkish.
    """
    if language == TURKISH:
        return terms(text, language), surface_forms(text)
    known = _analyser(language if language in LANGUAGES else "")
    if text.isascii() and text.isalnum():  # nearly always
        word = text.lower()[:MAX_TOKEN_CHARS]
        return [known.term(word)], [word]
    found: list[str] = []
    folds: list[str] = []
    for written in WORD_PATTERN.findall(text):
        if written.isascii() and written.isalnum():
            folds.append(written.lower()[:MAX_TOKEN_CHARS])
            found.append(known.term(folds[-1]))
        elif each := bigrams(written):
            found += each
            folds += each
        else:
            for part, _, _ in split_word(written):
                found.append(known.term(part))
                folds.append(surface_form(written, part))
    return found, folds


def terms_by_word(language: str = "") -> Mapping[str, tuple[str, ...]]:
    """The terms of each word as written; for who has many words, each whole, to look up."""
    return _analyser(language if language in LANGUAGES else "")


def term_spans(text: str, language: str = "") -> list[tuple[str, int, int]]:
    """Each term of a text, and where in the text as written it stands."""
    known = terms_by_word(language)
    found: list[tuple[str, int, int]] = []
    for match in WORD_PATTERN.finditer(text):
        written = match.group()
        here = known[written]
        start, end = match.span()
        if len(here) == 1:
            found.append((here[0], start, end))
        else:
            each = zip(here, _places(written, here, known), strict=True)
            found += [(term, start + a, start + b) for term, (a, b) in each]
    return found


def _places(
    written: str, here: tuple[str, ...], known: Mapping[str, tuple[str, ...]]
) -> list[tuple[int, int]]:
    """Where in a match of WORD its terms stand, of which there are several or none."""
    near = [(start, end) for _, start, end in split_word(written)] if here else []
    # Signs that become more letters than one, and marks that are none, shift the places.
    if all(known[written[a:b]] == (term,) for term, (a, b) in zip(here, near, strict=True)):
        return near
    return [(0, len(written))] * len(here)


class _Analyzer(dict[str, tuple[str, ...]]):
    """The terms of each word as written. Pages repeat their words, so nearly all are known.

    A word as written is one term as a rule; ½ is two, and some letters are none.
    """

    def __init__(self, language: str) -> None:
        self._most = 50_000 if language else 500_000
        self.is_turkish = language == TURKISH
        self.english_stemmer = Stemmer.Stemmer("english", 0)
        self._own = None
        if language:
            name, script = LANGUAGES[language]
            self._own = Stemmer.Stemmer(name, 0)
            self._script = re.compile(SCRIPT_PATTERNS[script])
        self.latin_stemmer_name, self._latin = "english", self.english_stemmer
        """The stemmer for words of English letters, and what it is called."""
        if self._own is not None and self._script.match("a"):
            self.latin_stemmer_name, self._latin = name, self._own

    def __missing__(self, written: str) -> tuple[str, ...]:
        if written.isascii() and written.isalnum() and not self.is_turkish:  # nearly always
            kept: tuple[str, ...] = (self.term(written.lower()[:MAX_TOKEN_CHARS]),)
        elif each := bigrams(written):
            kept = tuple(each)
        else:
            if self.is_turkish:
                written = written.replace("İ", "i").replace("I", "ı")
            kept = tuple([self.term(part) for part, _, _ in split_word(written)])
        # Longer ones, and sentences in Chinese, hardly come again, and would fill the memory.
        if len(written) <= MAX_TOKEN_CHARS and len(kept) < 4:
            if len(self) >= self._most:
                self.clear()
            self[written] = kept
        return kept

    def ascii_term(self, word: str) -> str:
        """The term that a word of small English letters and digits becomes."""
        stem: str = (self.english_stemmer if word[0] < "a" else self._latin).stemWord(word)
        return (stem if stem.isascii() else fold_accents(stem)) or word

    def ascii_terms(self, words: Sequence[str]) -> Iterable[str]:
        """The terms that words of small English letters become, soon."""
        if self.is_turkish:
            return chain.from_iterable(map(self.__getitem__, words))
        return map(fold_accents, self._latin.stemWords(words))

    def term(self, part: str) -> str:
        """The term that a lowered word becomes."""
        if part[0] > "\u2fff":  # pairs of East Asian characters have neither accents nor endings
            return part[:MAX_TOKEN_CHARS]
        if self._own is not None and self._script.match(part):
            # Stemmed before it is folded: the accents tell an ending from a part of the word.
            stem: str = self._own.stemWord(part)
            return fold_accents(stem or part)[:MAX_TOKEN_CHARS]
        word = fold_accents(part)[:MAX_TOKEN_CHARS]
        stemmed = (
            stemmer_ru.stem(word) if "а" <= word[0] <= "я" else self.english_stemmer.stemWord(word)
        )
        return stemmed or word

    def lowercase_terms(self, words: Sequence[str]) -> list[str]:
        """The terms that many lowered words become, stemmed all at once."""
        short = [word[:MAX_TOKEN_CHARS] for word in words]
        if self._own is None:
            plain: list[str] = self.english_stemmer.stemWords(short)
            return [
                stem if stem and word.isascii() else self.term(word)
                for word, stem in zip(short, plain, strict=True)
            ]
        stems: list[str] = self._own.stemWords(short)
        known = self._script.match
        return [
            fold_accents(stem)[:MAX_TOKEN_CHARS] if stem and known(word) else self.term(word)
            for word, stem in zip(short, stems, strict=True)
        ]


@lru_cache(maxsize=64)
def _analysers(languages: tuple[str, ...]) -> tuple[tuple[int, _Analyzer], ...]:
    """Those for a text in no language, and in each of these, with their bits."""
    each = dict.fromkeys(language for language in languages if language in LANGUAGES)
    return (
        (1, _analyser("")),
        *((LANGUAGE_BITS[language], _analyser(language)) for language in each),
    )


@lru_cache(maxsize=64)
def _plain_analysers(languages: tuple[str, ...]) -> tuple[tuple[int, _Analyzer], ...]:
    """Those that differ for words in ASCII, each with the bits of all like it."""
    found: dict[str, tuple[int, _Analyzer]] = {}
    for bit, known in _analysers(languages):
        bits, first = found.get(known.latin_stemmer_name, (0, known))
        found[known.latin_stemmer_name] = bits | bit, first
    return tuple(found.values())


@cache
def _analyser(language: str) -> _Analyzer:
    return _Analyzer(language)


# Which numbers are worth finding?
#
# Prices, article numbers and counters fill an index and are asked for hardly ever. The terms of a
# document pass here on their way into the index, and those of a query on theirs.
#
# >>> [term for term in ("room", "42", "2024", "9000", "31415926", "x86") if worth_finding(term)]
# ['room', '42', '2024', 'x86']


MAX_SHORT_NUMBER_DIGITS = 3
"""Digits of a number that is kept whatever it is: chapters, versions, sizes."""


def is_indexable_term(term: str) -> bool:
    """Is this a word, a short number, or one that may be a year (1000 to 2999)?"""
    return (
        not term.isdigit()
        or len(term) <= MAX_SHORT_NUMBER_DIGITS
        or (len(term) == 4 and term[0] in "12")
    )
