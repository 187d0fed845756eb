"""How much of a text are the function words of each language?

Code, names and tables have few, and those by chance: `int` is Breton, `mod` is Danish.
"""

import string
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain, repeat

from byway.core.text import STOP_WORDS, fold_text

WORD_EDGE_CHARS = string.punctuation + "“”„«»…–—،।"
"""What stands around words."""


def bare_words(text: str) -> list[str]:
    """The words without what stands around them: javax.net.ssl is a name, and not three words."""
    return [word.strip(WORD_EDGE_CHARS) for word in text.split()]


def folded_words(text: str) -> list[str]:
    """The same as they are in the lists: small, and without accents."""
    return bare_words(fold_text(text))


def function_word_counts(words: Iterable[str]) -> Counter[str]:
    """How many of some words are function words of each language."""
    return Counter(chain.from_iterable(map(_speakers().get, words, repeat(()))))


def function_word_share(language: str, words: Sequence[str]) -> float:
    """The share of them that are those of one language."""
    common = STOP_WORDS.get(language, frozenset())
    return sum(map(common.__contains__, words)) / (len(words) or 1)


def distinct_function_words(language: str, words: Iterable[str]) -> int:
    """How many different ones of a language are among them; single letters stand for much else."""
    common = STOP_WORDS.get(language, frozenset())
    return sum(len(word) > 1 for word in common.intersection(words))


@cache
def _speakers() -> dict[str, tuple[str, ...]]:
    """The languages that have a function word."""
    words = set[str]().union(*STOP_WORDS.values())
    return {word: tuple(each for each in STOP_WORDS if word in STOP_WORDS[each]) for word in words}
