"""Which part of a text in two languages tells which it is in? That which more of it is in.

Pages that are translated in part have paragraphs of both, and often begin with both.
"""

import string
from collections import Counter
from collections.abc import Sequence

from byway.core.text import STOP_WORDS
from byway.extract.language.function_words import distinct_function_words, function_word_counts

SAMPLE_CHARS = 1000
"""Characters looked at: of 600, 1000 and 1500, this many told most pages in 26 languages right."""

LONG_SAMPLE_CHARS = 20_000
"""Characters of which most are in the letters of a page's language, however it begins."""

MEDIUM_SAMPLE_CHARS = 4000
"""Characters in which there are a sample's other letters, where it begins with those."""

MIN_NON_LATIN_RATIO = 2
"""How many times the Latin letters are the others of a text that begins with them. Of 508 pages
translated in part, 2 told 20 not to be in English that mostly are, and 1 told 36."""

LATIN_LETTER_BYTES = string.ascii_letters.encode()
NON_LATIN_LEAD_BYTES = bytes((*range(0xCD, 0xDC), 0xE0, 0xE1))
"""The first bytes of other letters in UTF-8: Greek, Cyrillic, Arabic, Indian, Thai ..."""

MIN_BILINGUAL_SHARE = 0.08
"""The share of function words of its own that each of two languages has which a text begins with.
Of 2,540 pages that are translated in part, 11 were told to be in English that mostly are not, and
31 by .12; by .04 more of them were not in the language that they begin with."""

MIN_OWN_FUNCTION_WORDS = 4
"""How many different ones those are: `int` and `a` alone are Breton."""


def non_latin_words(text: str) -> str:
    """The words not in Latin, if a text begins with them or most of it is in their letters.

    The rest, as a part that nobody has translated, would tell more than its share by function
    words: 39 % of English are such, and 24 % of Russian.
    """
    if not _is_in_latin(text[:SAMPLE_CHARS], MIN_NON_LATIN_RATIO):
        text = text[:MEDIUM_SAMPLE_CHARS]
    elif _is_in_latin(text[:LONG_SAMPLE_CHARS]):
        return ""
    return " ".join(word for word in text[:LONG_SAMPLE_CHARS].split() if not word.isascii())


def _is_in_latin(text: str, times: int = 1) -> bool:
    """Has it so many Latin letters that no others, of scripts that have letters, are more?"""
    encoded = text.encode("utf-8", "ignore")
    latin, others = (
        len(encoded) - len(encoded.translate(None, each))
        for each in (LATIN_LETTER_BYTES, NON_LATIN_LEAD_BYTES)
    )
    return times * latin >= others


def dominant_language_lines(text: str, words: Sequence[str], counts: Counter[str]) -> str:
    """The lines in one of two languages that a text begins with: the one that more of it is in."""
    one, other = _two_spoken(words, counts)
    if not (_is_spoken_beside(other, one, words) and _is_spoken_beside(one, other, words)):
        return ""
    # Their lengths are compared, since some languages have far fewer function words than others.
    lines: dict[str, list[str]] = {one: [], other: []}
    for line in text[:LONG_SAMPLE_CHARS].splitlines():
        here = function_word_counts(line.lower().split())
        if here[one] != here[other]:
            lines[max(one, other, key=here.__getitem__)].append(line)
    return max(map("\n".join, lines.values()), key=len)


def _two_spoken(words: Sequence[str], counts: Counter[str]) -> tuple[str, str]:
    """The language with most function words there, and that with most of those that remain."""
    if sorted((0, 0, *counts.values()))[-2] < max(
        MIN_BILINGUAL_SHARE * len(words), MIN_OWN_FUNCTION_WORDS
    ):
        return "", ""
    one = max(counts, key=counts.__getitem__)
    remain = function_word_counts(word for word in words if word not in STOP_WORDS[one])
    return one, max(remain, key=remain.__getitem__, default="")


def _is_spoken_beside(language: str, other: str, words: Sequence[str]) -> bool:
    """Has it function words there that are not also those of another?"""
    ours, theirs = (STOP_WORDS.get(each, frozenset()) for each in (language, other))
    found = [word for word in words if word in ours and word not in theirs]
    return (
        len(found) >= MIN_BILINGUAL_SHARE * len(words)
        and distinct_function_words(language, found) >= MIN_OWN_FUNCTION_WORDS
    )
