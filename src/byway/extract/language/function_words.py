"""Function word (stop word) counts of a text, by language.

Code, names and tables have few, and only by chance: `int` is Breton, `mod` is Danish.
"""

import string
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain, repeat

from byway.core.text import STOP_WORDS, fold_text

WORD_EDGE_CHARS = string.punctuation + "“”„«»…–—،।"
"""Punctuation stripped from the edges of words."""


def bare_words(text: str) -> list[str]:
    """Words without the punctuation around them; javax.net.ssl is one word."""
    return [word.strip(WORD_EDGE_CHARS) for word in text.split()]


def folded_words(text: str) -> list[str]:
    """Words folded as in the stop word lists: lower case, without accents."""
    return bare_words(fold_text(text))


def function_word_counts(words: Iterable[str]) -> Counter[str]:
    """The number of function words in each language."""
    return Counter(chain.from_iterable(map(_languages_by_word().get, words, repeat(()))))


def function_word_share(language: str, words: Sequence[str]) -> float:
    """The share of words that are function words in a language."""
    function_words = STOP_WORDS.get(language, frozenset())
    return sum(map(function_words.__contains__, words)) / (len(words) or 1)


def distinct_function_words(language: str, words: Iterable[str]) -> int:
    """The number of distinct function words of a language; single letters are too ambiguous."""
    function_words = STOP_WORDS.get(language, frozenset())
    return sum(len(word) > 1 for word in function_words.intersection(words))


@cache
def _languages_by_word() -> dict[str, tuple[str, ...]]:
    """The languages of each function word."""
    words = set[str]().union(*STOP_WORDS.values())
    return {word: tuple(name for name in STOP_WORDS if word in STOP_WORDS[name]) for word in words}
