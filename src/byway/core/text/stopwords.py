"""Which words say nothing about a text? Those that stand in every text of its language.

They stay in the index, since phrases need them. Ranking and suggestions ask here.

>>> sorted(common_among(["Wann", "ist", "die", "WHO", "Tagung"], ["de", "en"]))
['Wann', 'die', 'ist']
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache

from byway.core.languages import word_lists
from byway.core.text.analyzer import terms
from byway.core.text.normalizer import fold_text
from byway.core.text.tokenizer import tokenize

STOP_WORD_LISTS = word_lists("stop_words")


def _folded_words(field: str) -> Mapping[str, frozenset[str]]:
    return {
        language: frozenset(fold_text(words).split())
        for language, words in word_lists(field).items()
    }


STOP_WORDS = _folded_words("stop_words")
"""The folded stop words of each language that has a list, by two-letter code."""
QUESTION_WORDS = _folded_words("question_words")
NEGATIONS = _folded_words("negations")


def stop_words_in(typed: Sequence[str], languages: Collection[str]) -> frozenset[str]:
    """Those words of a query that say little, by the language that has most of them.

    None, when nothing else would be left. WHO in capitals is a name.
    """
    any_of = _small_in(tuple(languages))
    each = ((one, tokenize(one)) for one in typed if not (one.isupper() and len(one) > 1))
    spelt = {one: found for one, found in each if found and any_of.issuperset(found)}
    best: frozenset[str] = frozenset()
    for language in (*languages, "") if spelt else ():
        small = _small(language if language in STOP_WORDS else "")
        found = frozenset(one for one, each in spelt.items() if small.issuperset(each))
        best = found if len(found) > len(best) else best
    return best if len(best) < len({*typed}) else frozenset()


@lru_cache(maxsize=64)
def _small_in(languages: tuple[str, ...]) -> frozenset[str]:
    """The words that say little in any of these languages."""
    known = (language if language in STOP_WORDS else "" for language in (*languages, ""))
    return frozenset[str]().union(*map(_small, known))


@cache
def _small(language: str) -> frozenset[str]:
    """The words that say little in a query; without a language, in an English or Russian one."""
    found: set[str] = set(_common(language))
    for each in (language,) if language else ("en", "ru"):
        found |= QUESTION_WORDS.get(each, frozenset())
        found -= NEGATIONS.get(each, frozenset())
    return frozenset(found)


def is_stop_word(word: str, language: str = "") -> bool:
    """Is this word, or the term it became, one that every text of the language has?

    Of a language without a list, the answer is that of English and Russian.
    """
    return word in _common(language if language in STOP_WORDS else "")


@cache
def _common(language: str) -> frozenset[str]:
    found: set[str] = set()
    for each in (language,) if language else ("en", "ru"):
        found |= STOP_WORDS[each].union(terms(STOP_WORD_LISTS[each], each))
    return frozenset(found)
