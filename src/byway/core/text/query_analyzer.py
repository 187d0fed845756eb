"""Query analyzer: the index terms that a typed word may have, by language.

The language of a query cannot be detected from its few words, so each word is analyzed in several
languages, and each analysis counts in every page.

>>> analyze_word("running", ["de"])
(('run',), ('running',))
>>> analyze_word("informacion", ["es"])
(('informacion',), ('inform',))
>>> analyze_word("node.js"), analyze_word("wi-fi")
((('node', 'js'),), (('wi', 'fi'), ('wifi',)))
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from byway.core.languages import word_lists
from byway.core.text.analyzer import terms, terms_of_words, terms_per_language
from byway.core.text.normalizer import HYPHENS, fold_accents

Terms = tuple[str, ...]
PLAIN_WORD_PATTERN = re.compile("[a-z]{1,60}")
INNER_HYPHEN_PATTERN = re.compile(rf"(?<=[^\W\d_])[{HYPHENS}](?=[^\W\d_])")


def analyze_word(word: str, languages: Collection[str] = ()) -> tuple[Terms, ...]:
    """The analyses of a typed word, without a language and in each of these languages.

    An analysis is one term, or several adjacent ones for a compound.
    """
    return _analyze_word(word, tuple(languages))


@lru_cache(maxsize=20_000)
def _analyze_word(word: str, languages: tuple[str, ...]) -> tuple[Terms, ...]:
    found = terms_per_language(word, languages)
    if word.isascii() and word.lower().endswith(_plain_endings(languages)):
        accented = _with_accented_endings(word, languages)
        found += [tuple(terms(spelling, language)) for language, spelling in accented]
    joined = word if word.isalnum() else INNER_HYPHEN_PATTERN.sub("", word)
    if joined != word:  # wi-fi matches wifi
        found += terms_per_language(joined, languages)
    return _distinct(found)


def analyze_words(words: Sequence[str], languages: tuple[str, ...]) -> tuple[Terms, ...]:
    """All analyses of these folded words."""
    endings = _plain_endings(languages)
    plain = [
        word for word in words if PLAIN_WORD_PATTERN.fullmatch(word) and not word.endswith(endings)
    ]
    found = [(term,) for term in terms_of_words(plain, languages)]
    others = (one for word in {*words}.difference(plain) for one in _analyze_word(word, languages))
    return _distinct((*found, *others))


def analyze_exact(text: str, languages: tuple[str, ...]) -> tuple[Terms, ...]:
    """The analyses of a quoted text, which must match as typed."""
    return _exact_word(text, languages) if text.isalnum() else _exact_text(text, languages)


def _exact_text(text: str, languages: tuple[str, ...]) -> tuple[Terms, ...]:
    return _distinct(terms_per_language(text, languages))


_exact_word = lru_cache(maxsize=20_000)(_exact_text)
"""Cached for words only: whole texts are rarely searched for again."""


def _distinct(analyses: Iterable[Terms]) -> tuple[Terms, ...]:
    """Each non-empty analysis once."""
    return tuple(dict.fromkeys(filter(None, analyses)))


def _with_accented_endings(word: str, languages: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Variants of a word typed without accents, with the accents that change its stem."""
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
