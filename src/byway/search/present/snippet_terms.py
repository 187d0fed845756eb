"""Which part of a question does a term answer? All spellings of a word are one part of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from byway.core.model.query import ALL_LANGUAGES, ParsedQuery

STOP_WORD_WEIGHT = 0.01
"""What a word like `what` is worth beside one that says something: it only decides between
windows that have as many of those."""
MAX_TARGET_WEIGHT = 2.0


WHOLE_PHRASE_BONUS = 0.5
"""What more a phrase is worth that is whole, so that it is looked for further down."""


@dataclass(frozen=True, slots=True)
class SnippetPhrase:
    """Words that must stand one after the other."""

    whole_part: int
    """The part of the question that it is as a whole."""
    word_parts: frozenset[int]
    """Those that its words are alone."""
    term_sequences: tuple[tuple[str, ...], ...]
    """Its terms, in each of its readings."""


@dataclass(frozen=True)
class SnippetTerms:
    """The terms that are looked for, and what finding each is worth."""

    part_by_term: Mapping[str, int] = field(default_factory=dict)
    """Which part of the question each term is; another one of the same part adds nothing."""
    part_weights: tuple[float, ...] = ()
    """What each part is worth."""
    phrases: tuple[SnippetPhrase, ...] = ()

    @cached_property
    def terms(self) -> frozenset[str]:
        """All of them."""
        return frozenset(self.part_by_term)

    @cached_property
    def target_weight(self) -> float:
        """What a window must be worth for nobody to look any further: two words, if there are."""
        whole = {phrase.whole_part for phrase in self.phrases}
        each = sum(
            one
            for n, one in enumerate(self.part_weights)
            if one > STOP_WORD_WEIGHT and n not in whole
        )
        return round(min(MAX_TARGET_WEIGHT, each) + (WHOLE_PHRASE_BONUS if whole else 0), 6)

    @cached_property
    def content_terms(self) -> frozenset[str]:
        """Those that say something."""
        return frozenset(
            term
            for term, part in self.part_by_term.items()
            if self.part_weights[part] > STOP_WORD_WEIGHT
        )


def snippet_terms_of(query: ParsedQuery, languages: int = ALL_LANGUAGES) -> SnippetTerms:
    """What a snippet should show, for this question, of a page in these languages."""
    parts: dict[str, int] = {}
    worth: list[float] = []
    phrases: list[SnippetPhrase] = []
    words = query.words
    only = all(word.is_stop_word for word in words)
    for word in (word.in_languages(languages) for word in words):
        if not word.analyses:
            continue
        # Each term of what belongs together is a part, so that a half of it is not the whole.
        pieces = len(word.analyses[0].tokens)
        first = len(worth)
        worth += [1 / pieces if only or not word.is_stop_word else STOP_WORD_WEIGHT] * pieces
        for reading in word.analyses:
            for place, term in enumerate(reading.tokens):
                parts.setdefault(term, first + min(place, pieces - 1))
        ways = tuple(reading.tokens for reading in word.analyses)
        if min(map(len, ways)) > 1:
            own = frozenset(range(first, len(worth)))
            phrases.append(SnippetPhrase(len(worth), own, ways))
            worth.append(sum(worth[first:]) + WHOLE_PHRASE_BONUS)
    return SnippetTerms(parts, tuple(worth), tuple(phrases))


def equally_weighted(terms: frozenset[str]) -> SnippetTerms:
    """Terms that are worth the same, each for itself."""
    return SnippetTerms(
        {term: part for part, term in enumerate(sorted(terms))}, (1.0,) * len(terms)
    )
