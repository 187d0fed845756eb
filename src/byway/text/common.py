"""Which words say nothing about a text? Those that stand in every text of its language.

They stay in the index, since phrases need them. Ranking and suggestions ask here.
"""

from collections.abc import Mapping
from functools import cache
from pkgutil import get_data

from byway.text.spelling import clean
from byway.text.terms import terms


def _lists() -> Mapping[str, str]:
    data = get_data("byway.text", "stop_words.txt") or b""
    lines = (line.partition(":") for line in data.decode().splitlines() if line[:1] != "#")
    found = {language: listed for language, _, listed in lines}
    return found | {"nb": found["no"], "nn": found["no"]}


LISTED = _lists()
STOP_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(clean(listed).split()) for language, listed in LISTED.items()
}
"""The words, folded, of each language that has a list; two letters, as everywhere."""


def is_common(word: str, language: str = "") -> bool:
    """Is this word, or the term it became, one that every text of the language has?

    Of a language without a list, the answer is that of English and Russian.
    """
    return word in _common(language if language in STOP_WORDS else "")


@cache
def _common(language: str) -> frozenset[str]:
    found: set[str] = set()
    for each in (language,) if language else ("en", "ru"):
        found |= STOP_WORDS[each].union(terms(LISTED[each], each))
    return frozenset(found)
