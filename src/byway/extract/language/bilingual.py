"""Texts in two languages: the part in the language that most of the text is in.

Pages that are translated in part have paragraphs in both languages, and often begin with both.
"""

import string
from collections import Counter
from collections.abc import Sequence

from byway.core.text import STOP_WORDS
from byway.extract.language.function_words import distinct_function_words, function_word_counts
from byway.extract.language.thresholds import (
    LONG_SAMPLE_CHARS,
    MEDIUM_SAMPLE_CHARS,
    MIN_BILINGUAL_SHARE,
    MIN_NON_LATIN_RATIO,
    MIN_OWN_FUNCTION_WORDS,
    SAMPLE_CHARS,
)

LATIN_LETTER_BYTES = string.ascii_letters.encode()
NON_LATIN_LEAD_BYTES = bytes((*range(0xCD, 0xDC), 0xE0, 0xE1))
"""The first bytes of non-Latin letters in UTF-8: Greek, Cyrillic, Arabic, Indic, Thai ..."""


def non_latin_words(text: str) -> str:
    """The non-Latin words of a text that begins with them or is mostly in their script.

    The untranslated rest would count for more than its share of the text: 39 % of English words
    are function words, and 24 % of Russian ones.
    """
    if not _is_latin(text[:SAMPLE_CHARS], MIN_NON_LATIN_RATIO):
        text = text[:MEDIUM_SAMPLE_CHARS]
    elif _is_latin(text[:LONG_SAMPLE_CHARS]):
        return ""
    return " ".join(word for word in text[:LONG_SAMPLE_CHARS].split() if not word.isascii())


def _is_latin(text: str, ratio: int = 1) -> bool:
    """Whether other alphabets have at most `ratio` times the Latin letters of a text."""
    encoded = text.encode("utf-8", "ignore")
    latin, others = (
        len(encoded) - len(encoded.translate(None, letters))
        for letters in (LATIN_LETTER_BYTES, NON_LATIN_LEAD_BYTES)
    )
    return ratio * latin >= others


def dominant_language_lines(text: str, words: Sequence[str], counts: Counter[str]) -> str:
    """The lines in the dominant one of the two languages that a text begins with; else empty."""
    first, second = _two_languages(words, counts)
    if not (_has_own_words(second, first, words) and _has_own_words(first, second, words)):
        return ""
    # Lengths are compared, since some languages have far fewer function words than others.
    lines: dict[str, list[str]] = {first: [], second: []}
    for line in text[:LONG_SAMPLE_CHARS].splitlines():
        line_counts = function_word_counts(line.lower().split())
        if line_counts[first] != line_counts[second]:
            lines[max(first, second, key=line_counts.__getitem__)].append(line)
    return max(map("\n".join, lines.values()), key=len)


def _two_languages(words: Sequence[str], counts: Counter[str]) -> tuple[str, str]:
    """The language with most function words, and the one with most of the remaining words."""
    if sorted((0, 0, *counts.values()))[-2] < max(
        MIN_BILINGUAL_SHARE * len(words), MIN_OWN_FUNCTION_WORDS
    ):
        return "", ""
    first = max(counts, key=counts.__getitem__)
    remaining = function_word_counts(word for word in words if word not in STOP_WORDS[first])
    return first, max(remaining, key=remaining.__getitem__, default="")


def _has_own_words(language: str, other: str, words: Sequence[str]) -> bool:
    """Whether a language has enough function words that the other one does not have."""
    own, others = (STOP_WORDS.get(name, frozenset()) for name in (language, other))
    found = [word for word in words if word in own and word not in others]
    return (
        len(found) >= MIN_BILINGUAL_SHARE * len(words)
        and distinct_function_words(language, found) >= MIN_OWN_FUNCTION_WORDS
    )
