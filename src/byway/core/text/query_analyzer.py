"""Query analyzer: the index terms that a typed word may have, by language.

The language of a query cannot be detected from its few words, so each word is analyzed in all
languages of the collection. The words of a page are all in its own language, so each analysis has
the bits of the languages that give it.

>>> analyze_word("running", ["de"])
(('run',), ('running',))
>>> analyze_word("informacion", ["es"])
(('informacion',), ('inform',))
>>> analyze_word("node.js"), analyze_word("wi-fi")
((('node', 'js'),), (('wi', 'fi'), ('wifi',)))
>>> analyze_word_by_language("running", ("en", "de")) == {("run",): 1, ("running",): 32}
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
    """The analyses of a typed word in a collection with these languages.

    An analysis is one term, or several adjacent ones for a compound.
    """
    return tuple(analyze_word_by_language(word, tuple(languages)))


@lru_cache(maxsize=20_000)
def analyze_word_by_language(word: str, languages: tuple[str, ...]) -> Mapping[Terms, int]:
    """The same analyses, each with the bits of the languages that give it."""
    by_analysis = _bits_by_analysis(terms_per_language(word, languages))
    if word.isascii() and word.lower().endswith(_plain_endings(languages)):
        for language, accented in _with_accented_endings(word, languages):
            analysis = tuple(terms(accented, language))
            by_analysis[analysis] = by_analysis.get(analysis, 0) | LANGUAGE_BITS.get(language, 1)
    joined = word if word.isalnum() else INNER_HYPHEN_PATTERN.sub("", word)
    if joined != word:  # wi-fi matches wifi
        for analysis, bits in _bits_by_analysis(terms_per_language(joined, languages)).items():
            by_analysis[analysis] = by_analysis.get(analysis, 0) | bits
    return by_analysis


def analyze_words(words: Sequence[str], languages: tuple[str, ...]) -> dict[Terms, int]:
    """All analyses of these folded words, each with the bits of the languages that give it."""
    endings = _plain_endings(languages)
    plain = [
        word for word in words if PLAIN_WORD_PATTERN.fullmatch(word) and not word.endswith(endings)
    ]
    bits_by_analysis: dict[Terms, int] = {}
    for term, bits in terms_of_words(plain, languages).items():
        bits_by_analysis[(term,)] = bits
    for word in {*words}.difference(plain):
        for analysis, bits in analyze_word_by_language(word, languages).items():
            bits_by_analysis[analysis] = bits_by_analysis.get(analysis, 0) | bits
    return bits_by_analysis


def analyze_exact(text: str, languages: tuple[str, ...]) -> Mapping[Terms, int]:
    """The analyses of a quoted text, which must match as typed, with language bits."""
    return _exact_word(text, languages) if text.isalnum() else _exact_text(text, languages)


def _exact_text(text: str, languages: tuple[str, ...]) -> dict[Terms, int]:
    return _bits_by_analysis(terms_per_language(text, languages))


_exact_word = lru_cache(maxsize=20_000)(_exact_text)
"""Cached for words only: whole texts are rarely searched for again."""


def _bits_by_analysis(analyses: Iterable[tuple[int, Terms]]) -> dict[Terms, int]:
    """The language bits of each non-empty analysis."""
    bits_by_analysis: dict[Terms, int] = {}
    for bit, analysis in analyses:
        if analysis:
            bits_by_analysis[analysis] = bits_by_analysis.get(analysis, 0) | bit
    return bits_by_analysis


def _with_accented_endings(word: str, languages: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """A word typed without accents, with the accents that change its stem in a language."""
    lowercase = word.lower()
    for language, plain, accented in _endings(languages):
        if lowercase.endswith(plain):
            yield language, word[: -len(plain)] + accented


@lru_cache(maxsize=64)
def _plain_endings(languages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple({plain for _, plain, _ in _endings(languages)})


@lru_cache(maxsize=64)
def _endings(languages: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    """The accented endings of these languages: language, ending without accents, ending."""
    lists = word_lists("accented_endings")
    return tuple(
        (language, fold_accents(ending), ending)
        for language in languages
        for ending in lists.get(language, "").split()
    )
