"""Which words say nothing about a text? Those that stand in every text of its language.

They stay in the index, since phrases need them. Ranking and suggestions ask here.
"""

from collections.abc import Mapping
from functools import cache

from byway.text.analyser import terms
from byway.text.listed import listed
from byway.text.spelling import clean

LISTED = listed("stop_words.txt")
STOP_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(clean(line).split()) for language, line in LISTED.items()
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
