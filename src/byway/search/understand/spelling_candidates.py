"""Which words of the collection may be meant by one that hardly any page has?

A slip is a letter changed, lost or added, or two swapped: one in a word of four letters, two from
eight on. Where pages have only another form of what is meant (`zeppelins` for `zepelin`), it is the
stems that are a slip apart.
"""

from collections.abc import Sequence
from itertools import takewhile

from byway.core.model.query import TermClause
from byway.core.ports import SearchIndex
from byway.core.text import analyze_word, is_stop_word, tokenize

MIN_TYPO_CHARS = 4
MIN_TWO_TYPO_CHARS = 8
"""Letters from which one slip, and from which two, may have happened."""
MIN_PREFIX_CHARS = 5
"""Letters of a word from which others that begin like it are likely made of it."""
MAX_TYPO_PAGES = 5
"""Documents that a word may be in and still be a slip ..."""
MIN_FREQUENCY_RATIO = 20
"""... if another one is in this many times as many."""
STEM_TYPO_DISTANCE = 3
"""So many slips from the typed word is one whose stem is a slip from that of the typed one."""
MAX_CANDIDATES = 3
MAX_STEM_COMPARISONS = 40
"""Words whose stems are compared: those that begin like the typed one, the most frequent first."""


def correctable_word(word: TermClause) -> str:
    """The one word of letters that this is; nothing if it must be taken as it is."""
    spelt = tokenize(word.text)
    if word.exact or word.is_stop_word or len(spelt) != 1 or not spelt[0].isalpha():
        return ""
    return spelt[0]


def has_longer_words(word: TermClause, index: SearchIndex) -> bool:
    """Do other words begin like this one?"""
    typed = correctable_word(word)
    return len(typed) >= MIN_PREFIX_CHARS and any(
        one != typed for one in index.prefix_matches(typed, 2)
    )


def spelling_candidates(
    word: TermClause,
    page_count: int,
    index: SearchIndex,
    languages: Sequence[str],
    is_prefix: bool = False,
) -> list[tuple[str, int]]:
    """Words likelier meant than one that these pages have, with their slips, the likeliest first.

    `languages`: those in which words are read; `is_prefix`: do others begin like it?
    """
    typed = correctable_word(word)
    if len(typed) < MIN_TYPO_CHARS:
        return []
    if page_count and typed not in index.prefix_matches(typed, MAX_STEM_COMPARISONS):
        return []  # what is known in another form is spelt right
    known = {reading.tokens for reading in word.analyses}
    likely = [
        (one, slips)
        for one, slips, count in index.fuzzy_matches(typed, 1)
        if count >= MIN_FREQUENCY_RATIO * page_count
        and known.isdisjoint(analyze_word(one, languages))
    ]
    # A second slip is likely only in a word that is not known, and where one leads nowhere.
    if is_prefix:
        return likely[:MAX_CANDIDATES]
    if not likely and not page_count and len(typed) >= MIN_TWO_TYPO_CHARS:
        likely = [(one, slips) for one, slips, _ in index.fuzzy_matches(typed, 2)]
    if not likely and not page_count:
        likely = _forms(typed, index, languages)
    return likely[:MAX_CANDIDATES]


def complete_stem(word: TermClause, index: SearchIndex, languages: Sequence[str]) -> str:
    """The word of which this is the stem, a letter short, where no page has it as it was typed."""
    typed, stem = correctable_word(word), {reading.tokens for reading in word.analyses}
    if len(typed) < MIN_TYPO_CHARS or (typed,) not in stem:
        return ""
    those = index.prefix_matches(typed, MAX_STEM_COMPARISONS)
    longer = [one for one in those if len(one) == len(typed) + 1]
    if typed in those:
        return ""
    return next((one for one in longer if not stem.isdisjoint(analyze_word(one, languages))), "")


def is_stop_word_in_any(word: str, languages: Sequence[str]) -> bool:
    """Is this one of the words that every text of some language here has?"""
    return any(is_stop_word(word, language) for language in languages or [""])


def _forms(typed: str, index: SearchIndex, languages: Sequence[str]) -> list[tuple[str, int]]:
    """Words with a stem that is one slip from that of the typed one; both begin with one letter."""
    stems = [stem for stem in _stems(typed, languages) if len(stem) >= MIN_TYPO_CHARS]
    each = dict.fromkeys(
        one for stem in stems for one in index.fuzzy_prefix_matches(stem, MAX_STEM_COMPARISONS)
    )
    return [
        (one, STEM_TYPO_DISTANCE)
        for one in each
        if any(is_one_edit(stem, other) for stem in stems for other in _stems(one, languages))
    ]


def _stems(word: str, languages: Sequence[str]) -> list[str]:
    return [terms[0] for terms in analyze_word(word, languages) if len(terms) == 1]


def is_one_edit(one: str, other: str) -> bool:
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
