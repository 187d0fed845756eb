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
from functools import cache

from byway.text.analyser import terms
from byway.text.listed import listed
from byway.text.spelling import HYPHENS, folded

JOINT = re.compile(rf"(?<=[^\W\d_])[{HYPHENS}](?=[^\W\d_])")


def readings(word: str, languages: Collection[str] = ()) -> tuple[tuple[str, ...], ...]:
    """Each way in which the index may know a written word, in a collection in these languages.

    A way is one term, or more where the word is a compound: they stand side by side then.
    """
    found = [tuple(terms(word, language)) for language in ("", *languages)]
    if word.isascii():
        for language in languages:
            found += [tuple(terms(each, language)) for each in _accented(word, language)]
    joined = JOINT.sub("", word)
    if joined != word:  # who looks for wi-fi is glad of wifi
        found += [tuple(terms(joined, language)) for language in ("", *languages)]
    return tuple(dict.fromkeys(filter(None, found)))


def _accented(word: str, language: str) -> Iterator[str]:
    """A word typed without accents, with those that would change its stem."""
    for plain, accented in _endings().get(language, ()):
        if word.lower().endswith(plain):
            yield word[: -len(plain)] + accented


@cache
def _endings() -> dict[str, tuple[tuple[str, str], ...]]:
    return {
        language: tuple((folded(ending), ending) for ending in endings.split())
        for language, endings in listed("endings.txt").items()
    }
