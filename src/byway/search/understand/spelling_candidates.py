"""Spelling candidates: words of the collection within a small edit distance of a typed word.

An edit is a letter changed, missing or added, or two letters swapped: one edit in a word of four
letters, two in words of eight letters or more. If pages have only another form of the intended word
(`zeppelins` for `zepelin`), the stems are compared.
"""

from collections.abc import Sequence
from itertools import takewhile

from byway.core.model.query import TermClause
from byway.core.ports import SearchIndex
from byway.core.text import analyze_word, is_stop_word, tokenize

MIN_TYPO_CHARS = 4
MIN_TWO_TYPO_CHARS = 8
"""Letters from which one edit, and from which two, are corrected."""
MIN_PREFIX_CHARS = 5
"""Letters of a word from which longer words with this prefix are likely its compounds."""
MAX_TYPO_PAGES = 5
"""Document frequency up to which a word may be a typo ..."""
MIN_FREQUENCY_RATIO = 20
"""... if a similar word has this many times its document frequency."""
STEM_TYPO_DISTANCE = 3
"""The distance assigned to a word whose stem is one edit from the stem of the typed word."""
MAX_CANDIDATES = 3
MAX_STEM_COMPARISONS = 40
"""Words with the same prefix whose stems are compared, the most frequent first."""


def correctable_word(word: TermClause) -> str:
    """The single alphabetic word in this clause; empty if it must not be corrected."""
    tokens = tokenize(word.text)
    if word.exact or word.is_stop_word or len(tokens) != 1 or not tokens[0].isalpha():
        return ""
    return tokens[0]


def has_longer_words(word: TermClause, index: SearchIndex) -> bool:
    """Whether longer words of the collection begin with this one."""
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
    """Likelier spellings of a word that occurs on `page_count` pages, with their edit distances.

    Words are analyzed in `languages`; `is_prefix`: longer words begin with this one.
    """
    typed = correctable_word(word)
    if len(typed) < MIN_TYPO_CHARS:
        return []
    if page_count and typed not in index.prefix_matches(typed, MAX_STEM_COMPARISONS):
        return []  # pages have another form of it, so it is spelled correctly
    typed_tokens = {analysis.tokens for analysis in word.analyses}
    candidates = [
        (one, distance)
        for one, distance, count in index.fuzzy_matches(typed, 1)
        if count >= MIN_FREQUENCY_RATIO * page_count
        and typed_tokens.isdisjoint(analyze_word(one, languages))
    ]
    # Two edits only for an unknown word that has no candidate at one edit.
    if is_prefix:
        return candidates[:MAX_CANDIDATES]
    if not candidates and not page_count and len(typed) >= MIN_TWO_TYPO_CHARS:
        candidates = [(one, distance) for one, distance, _ in index.fuzzy_matches(typed, 2)]
    if not candidates and not page_count:
        candidates = _stem_candidates(typed, index, languages)
    return candidates[:MAX_CANDIDATES]


def complete_stem(word: TermClause, index: SearchIndex, languages: Sequence[str]) -> str:
    """The word that only lacks its last letter; empty if a page contains it as typed."""
    typed, stems = correctable_word(word), {analysis.tokens for analysis in word.analyses}
    if len(typed) < MIN_TYPO_CHARS or (typed,) not in stems:
        return ""
    matches = index.prefix_matches(typed, MAX_STEM_COMPARISONS)
    longer = [one for one in matches if len(one) == len(typed) + 1]
    if typed in matches:
        return ""
    return next((one for one in longer if not stems.isdisjoint(analyze_word(one, languages))), "")


def is_stop_word_in_any(word: str, languages: Sequence[str]) -> bool:
    """Whether this is a stop word in one of the languages."""
    return any(is_stop_word(word, language) for language in languages or [""])


def _stem_candidates(
    typed: str, index: SearchIndex, languages: Sequence[str]
) -> list[tuple[str, int]]:
    """Words whose stem is one edit from that of the typed word and has the same first letter."""
    stems = [stem for stem in _stems(typed, languages) if len(stem) >= MIN_TYPO_CHARS]
    words = dict.fromkeys(
        one for stem in stems for one in index.fuzzy_prefix_matches(stem, MAX_STEM_COMPARISONS)
    )
    return [
        (one, STEM_TYPO_DISTANCE)
        for one in words
        if any(is_one_edit(stem, other) for stem in stems for other in _stems(one, languages))
    ]


def _stems(word: str, languages: Sequence[str]) -> list[str]:
    return [tokens[0] for tokens in analyze_word(word, languages) if len(tokens) == 1]


def is_one_edit(word: str, other: str) -> bool:
    """Whether two words differ by one letter, or by two swapped ones."""
    start = _common_prefix_length(word, other)
    word, other = word[start:], other[start:]
    end = _common_prefix_length(word[::-1], other[::-1])
    word, other = word[: len(word) - end], other[: len(other) - end]
    return max(len(word), len(other)) == 1 or (len(word) == 2 and word == other[::-1])


def _common_prefix_length(word: str, other: str) -> int:
    pairs = zip(word, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
