"""Which words of the collection may be meant by one that hardly any page has?

A slip is a letter changed, lost or added, or two swapped: one in a word of four letters, two from
eight on. Where pages have only another form of what is meant (`zeppelins` for `zepelin`), it is the
stems that are a slip apart.
"""

from collections.abc import Sequence
from itertools import takewhile

from byway.core.model.query import Word
from byway.core.ports import SearchIndex
from byway.core.text import is_common, readings, words

SHORTEST = 4
LONG = 8
"""Letters from which one slip, and from which two, may have happened."""
BEGINNING = 5
"""Letters of a word from which others that begin like it are likely made of it."""
RARE = 5
"""Documents that a word may be in and still be a slip ..."""
TIMES = 20
"""... if another one is in this many times as many."""
FORM = 3
"""So many slips from the typed word is one whose stem is a slip from that of the typed one."""
MOST = 3
MOST_FORMS = 40
"""Words whose stems are compared: those that begin like the typed one, the most frequent first."""


def single(word: Word) -> str:
    """The one word of letters that this is; nothing if it must be taken as it is."""
    spelt = words(word.text)
    if word.exact or word.common or len(spelt) != 1 or not spelt[0].isalpha():
        return ""
    return spelt[0]


def goes_on(word: Word, index: SearchIndex) -> bool:
    """Do other words begin like this one?"""
    typed = single(word)
    return len(typed) >= BEGINNING and any(one != typed for one in index.beginning(typed, 2))


def likelier(
    word: Word, pages: int, index: SearchIndex, languages: Sequence[str], begins: bool = False
) -> list[tuple[str, int]]:
    """Words likelier meant than one that these pages have, with their slips, the likeliest first.

    `languages`: those in which words are read; `begins`: do others begin like it?
    """
    typed = single(word)
    if len(typed) < SHORTEST:
        return []
    if pages and typed not in index.beginning(typed, MOST_FORMS):
        return []  # what is known in another form is spelt right
    known = {reading.terms for reading in word.readings}
    likely = [
        (one, slips)
        for one, slips, count in index.near(typed, 1)
        if count >= TIMES * pages and known.isdisjoint(readings(one, languages))
    ]
    # A second slip is likely only in a word that is not known, and where one leads nowhere.
    if begins:
        return likely[:MOST]
    if not likely and not pages and len(typed) >= LONG:
        likely = [(one, slips) for one, slips, _ in index.near(typed, 2)]
    if not likely and not pages:
        likely = _forms(typed, index, languages)
    return likely[:MOST]


def finished(word: Word, index: SearchIndex, languages: Sequence[str]) -> str:
    """The word of which this is the stem, a letter short, where no page has it as it was typed."""
    typed, stem = single(word), {reading.terms for reading in word.readings}
    if len(typed) < SHORTEST or (typed,) not in stem:
        return ""
    those = index.beginning(typed, MOST_FORMS)
    longer = [one for one in those if len(one) == len(typed) + 1]
    if typed in those:
        return ""
    return next((one for one in longer if not stem.isdisjoint(readings(one, languages))), "")


def says_little(word: str, languages: Sequence[str]) -> bool:
    """Is this one of the words that every text of some language here has?"""
    return any(is_common(word, language) for language in languages or [""])


def _forms(typed: str, index: SearchIndex, languages: Sequence[str]) -> list[tuple[str, int]]:
    """Words with a stem that is one slip from that of the typed one; both begin with one letter."""
    stems = [stem for stem in _stems(typed, languages) if len(stem) >= SHORTEST]
    each = dict.fromkeys(one for stem in stems for one in index.beginning_nearly(stem, MOST_FORMS))
    return [
        (one, FORM)
        for one in each
        if any(one_slip(stem, other) for stem in stems for other in _stems(one, languages))
    ]


def _stems(word: str, languages: Sequence[str]) -> list[str]:
    return [terms[0] for terms in readings(word, languages) if len(terms) == 1]


def one_slip(one: str, other: str) -> bool:
    """Is it one letter, or two swapped, that two words do not have alike?"""
    begin = _alike(one, other)
    one, other = one[begin:], other[begin:]
    end = _alike(one[::-1], other[::-1])
    one, other = one[: len(one) - end], other[: len(other) - end]
    return max(len(one), len(other)) == 1 or (len(one) == 2 and one == other[::-1])


def _alike(one: str, other: str) -> int:
    """How many letters two words begin with alike."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
