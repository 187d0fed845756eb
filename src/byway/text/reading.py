"""By which terms may the index know a word that somebody typed?

The language of a query cannot be told from its few words. So each word is read in all the languages
of the collection.

>>> readings("running", ["de"])
(('run',), ('running',))
>>> readings("informacion", ["es"])
(('informacion',), ('inform',))
>>> readings("node.js"), readings("wi-fi")
((('node', 'js'),), (('wi', 'fi'), ('wifi',)))
"""

import re
from collections.abc import Collection, Iterator
from functools import cache, lru_cache

from byway.text.analyser import terms, terms_in
from byway.text.listed import listed
from byway.text.spelling import HYPHENS, folded

JOINT = re.compile(rf"(?<=[^\W\d_])[{HYPHENS}](?=[^\W\d_])")


def readings(word: str, languages: Collection[str] = ()) -> tuple[tuple[str, ...], ...]:
    """Each way in which the index may know a written word, in a collection in these languages.

    A way is one term, or more where the word is a compound: they stand side by side then.
    """
    return _readings(word, tuple(languages))


@lru_cache(maxsize=20_000)
def _readings(word: str, languages: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    found = terms_in(word, languages)
    if word.isascii() and word.lower().endswith(_plain_endings(languages)):
        for language in languages:
            found += [tuple(terms(each, language)) for each in _accented(word, language)]
    joined = word if word.isalnum() else JOINT.sub("", word)
    if joined != word:  # who looks for wi-fi is glad of wifi
        found += terms_in(joined, languages)
    return tuple(dict.fromkeys(filter(None, found)))


def _accented(word: str, language: str) -> Iterator[str]:
    """A word typed without accents, with those that would change its stem."""
    plain_ones, endings = _endings().get(language, ((), ()))
    low = word.lower()
    if low.endswith(plain_ones):
        for plain, accented in endings:
            if low.endswith(plain):
                yield word[: -len(plain)] + accented


@lru_cache(maxsize=64)
def _plain_endings(languages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(one for language in languages for one in _endings().get(language, ((), ()))[0])


@cache
def _endings() -> dict[str, tuple[tuple[str, ...], tuple[tuple[str, str], ...]]]:
    """Of each language, its endings without accents, and each with the one it stands for."""
    found = {}
    for language, line in listed("endings.txt").items():
        endings = tuple((folded(ending), ending) for ending in line.split())
        found[language] = tuple(plain for plain, _ in endings), endings
    return found
