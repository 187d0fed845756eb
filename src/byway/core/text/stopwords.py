"""Stop words of each language, and of queries.

They are indexed, because phrases need them; ranking, snippets and suggestions use these lists.

>>> sorted(stop_words_in(["Wann", "ist", "die", "Tagung"], ["de", "en"]))
['Wann', 'die', 'ist']
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache

from byway.core.languages import word_lists
from byway.core.text.analyzer import terms
from byway.core.text.tokenizer import fold_text, tokenize

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
    """The stop words of a query, in the language with the most of them.

    Empty if nothing else would be left.
    """
    in_any_language = _query_stop_words_of(tuple(languages))
    tokenized = ((word, tokenize(word)) for word in typed)
    candidates = {
        word: tokens for word, tokens in tokenized if tokens and in_any_language.issuperset(tokens)
    }
    best: frozenset[str] = frozenset()
    for language in (*languages, "") if candidates else ():
        stop_words = _query_stop_words(language if language in STOP_WORDS else "")
        words = frozenset(
            word for word, tokens in candidates.items() if stop_words.issuperset(tokens)
        )
        best = words if len(words) > len(best) else best
    return best if len(best) < len({*typed}) else frozenset()


@lru_cache(maxsize=64)
def _query_stop_words_of(languages: tuple[str, ...]) -> frozenset[str]:
    """The query stop words of all these languages."""
    listed = (language if language in STOP_WORDS else "" for language in (*languages, ""))
    return frozenset[str]().union(*map(_query_stop_words, listed))


@cache
def _query_stop_words(language: str) -> frozenset[str]:
    """The query stop words of a language; English and Russian ones if there is no language."""
    words: set[str] = set(_text_stop_words(language))
    for code in (language,) if language else ("en", "ru"):
        words |= QUESTION_WORDS.get(code, frozenset())
        words -= NEGATIONS.get(code, frozenset())
    return frozenset(words)


def is_stop_word(word: str, language: str = "") -> bool:
    """Whether a word, or its term, is a stop word of the language.

    Languages without a list use the English and Russian ones.
    """
    return word in _text_stop_words(language if language in STOP_WORDS else "")


@cache
def _text_stop_words(language: str) -> frozenset[str]:
    """The folded stop words of a language, and their stems."""
    words: set[str] = set()
    for code in (language,) if language else ("en", "ru"):
        words |= STOP_WORDS[code].union(terms(STOP_WORD_LISTS[code], code))
    return frozenset(words)
