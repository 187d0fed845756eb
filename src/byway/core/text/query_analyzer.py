"""By which terms may the index know a word that somebody typed?

The language of a query cannot be told from its few words. So each word is read in all the languages
of the collection. But the words of one page are all in its own: each reading comes with the bits of
the languages that have it.

>>> readings("running", ["de"])
(('run',), ('running',))
>>> readings("informacion", ["es"])
(('informacion',), ('inform',))
>>> readings("node.js"), readings("wi-fi")
((('node', 'js'),), (('wi', 'fi'), ('wifi',)))
>>> spoken("running", ("en", "de", "nl")) == {("run",): 1 | BITS["nl"], ("running",): BITS["de"]}
True
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from byway.core.languages import word_lists
from byway.core.text.analyzer import LANGUAGE_BITS, terms, terms_of_words, terms_per_language
from byway.core.text.normalizer import HYPHENS, fold_accents

Terms = tuple[str, ...]
PLAIN_WORD_PATTERN = re.compile("[a-z]{1,60}")
INNER_HYPHEN_PATTERN = re.compile(rf"(?<=[^\W\d_])[{HYPHENS}](?=[^\W\d_])")


def analyze_word(word: str, languages: Collection[str] = ()) -> tuple[Terms, ...]:
    """Each way in which the index may know a written word, in a collection in these languages.

    A way is one term, or more where the word is a compound: they stand side by side then.
    """
    return tuple(analyze_word_by_language(word, tuple(languages)))


@lru_cache(maxsize=20_000)
def analyze_word_by_language(word: str, languages: tuple[str, ...]) -> Mapping[Terms, int]:
    """The same ways, each with bits for the languages that have it."""
    found = _bits(terms_per_language(word, languages))
    if word.isascii() and word.lower().endswith(_plain_endings(languages)):
        for language, each in _accented(word, languages):
            way = tuple(terms(each, language))
            found[way] = found.get(way, 0) | LANGUAGE_BITS.get(language, 1)
    joined = word if word.isalnum() else INNER_HYPHEN_PATTERN.sub("", word)
    if joined != word:  # who looks for wi-fi is glad of wifi
        for way, bits in _bits(terms_per_language(joined, languages)).items():
            found[way] = found.get(way, 0) | bits
    return found


def analyze_words(words: Sequence[str], languages: tuple[str, ...]) -> dict[Terms, int]:
    """Every way in which the index may know any of these words, which are folded.

    Each comes with bits for the languages that have it.
    """
    endings = _plain_endings(languages)
    plain = [
        word for word in words if PLAIN_WORD_PATTERN.fullmatch(word) and not word.endswith(endings)
    ]
    found: dict[Terms, int] = {}
    for term, bits in terms_of_words(plain, languages).items():
        found[(term,)] = bits
    for word in {*words}.difference(plain):
        for way, bits in analyze_word_by_language(word, languages).items():
            found[way] = found.get(way, 0) | bits
    return found


def analyze_exact(text: str, languages: tuple[str, ...]) -> Mapping[Terms, int]:
    """The terms of a text that is meant as it is spelt, with bits for the languages."""
    return _alone(text, languages) if text.isalnum() else _as_spelt(text, languages)


def _as_spelt(text: str, languages: tuple[str, ...]) -> dict[Terms, int]:
    return _bits(terms_per_language(text, languages))


_alone = lru_cache(maxsize=20_000)(_as_spelt)
"""A text is hardly asked for again, but its words are."""


def _bits(ways: Iterable[tuple[int, Terms]]) -> dict[Terms, int]:
    """The bits of each way, empty ones left out."""
    found: dict[Terms, int] = {}
    for bit, way in ways:
        if way:
            found[way] = found.get(way, 0) | bit
    return found


def _accented(word: str, languages: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """A word typed without accents, with those that would change its stem in a language."""
    low = word.lower()
    for language, plain, accented in _endings(languages):
        if low.endswith(plain):
            yield language, word[: -len(plain)] + accented


@lru_cache(maxsize=64)
def _plain_endings(languages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple({plain for _, plain, _ in _endings(languages)})


@lru_cache(maxsize=64)
def _endings(languages: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    """Each ending of these languages, without its accents and with them."""
    lists = word_lists("accented_endings")
    return tuple(
        (language, fold_accents(ending), ending)
        for language in languages
        for ending in lists.get(language, "").split()
    )
