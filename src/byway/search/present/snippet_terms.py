"""Snippet terms: the weighted terms of a query; all spellings of a word form one part."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.text import analyze_word

STOP_WORD_WEIGHT = 0.01
"""Weight of a stop word: it only decides between windows with the same content words."""
MAX_TARGET_WEIGHT = 2.0
WHOLE_PHRASE_BONUS = 0.5
"""Extra weight of a complete phrase, so that it is searched for further down."""


@dataclass(frozen=True, slots=True)
class SnippetPhrase:
    """A phrase of the query."""

    whole_part: int
    """The query part of the complete phrase."""
    word_parts: frozenset[int]
    """The query parts of its single words."""
    term_sequences: tuple[tuple[str, ...], ...]
    """Its terms in order, in each of its analyses."""


@dataclass(frozen=True)
class SnippetTerms:
    """The terms of a query, grouped into weighted parts."""

    part_by_term: Mapping[str, int] = field(default_factory=dict)
    """The query part of each term; a second term of the same part adds no weight."""
    part_weights: tuple[float, ...] = ()
    """The weight of each part."""
    phrases: tuple[SnippetPhrase, ...] = ()

    @cached_property
    def terms(self) -> frozenset[str]:
        """All terms."""
        return frozenset(self.part_by_term)

    @cached_property
    def target_weight(self) -> float:
        """The weight at which the search for a better window ends: that of up to two words."""
        phrase_parts = {phrase.whole_part for phrase in self.phrases}
        words = sum(
            weight
            for part, weight in enumerate(self.part_weights)
            if weight > STOP_WORD_WEIGHT and part not in phrase_parts
        )
        bonus = WHOLE_PHRASE_BONUS if phrase_parts else 0
        return round(min(MAX_TARGET_WEIGHT, words) + bonus, 6)

    @cached_property
    def content_terms(self) -> frozenset[str]:
        """The terms that are not stop words."""
        return frozenset(
            term
            for term, part in self.part_by_term.items()
            if self.part_weights[part] > STOP_WORD_WEIGHT
        )


def snippet_terms_of(
    query: ParsedQuery, page_language: str = "", query_languages: tuple[str, ...] = ()
) -> SnippetTerms:
    """The snippet terms of a query for a page in this language."""
    part_by_term: dict[str, int] = {}
    weights: list[float] = []
    phrases: list[SnippetPhrase] = []
    words = query.words
    only_stop_words = all(word.is_stop_word for word in words)
    for word in words:
        analyses = _analyses_in(word, page_language, query_languages)
        if not analyses:
            continue
        # Each token of a phrase is a part, so that half of it does not count as the whole.
        token_count = len(analyses[0].tokens)
        first = len(weights)
        is_content = only_stop_words or not word.is_stop_word
        weights += [1 / token_count if is_content else STOP_WORD_WEIGHT] * token_count
        for analysis in analyses:
            for place, term in enumerate(analysis.tokens):
                part_by_term.setdefault(term, first + min(place, token_count - 1))
        sequences = tuple(analysis.tokens for analysis in analyses)
        if min(map(len, sequences)) > 1:
            word_parts = frozenset(range(first, len(weights)))
            phrases.append(SnippetPhrase(len(weights), word_parts, sequences))
            weights.append(sum(weights[first:]) + WHOLE_PHRASE_BONUS)
    return SnippetTerms(part_by_term, tuple(weights), tuple(phrases))


def _analyses_in(
    word: TermClause, page_language: str, query_languages: tuple[str, ...]
) -> tuple[TermAnalysis, ...]:
    """The analyses in the page's language and in the most common language.

    The Polish stem of `one` is `on`, which must not be highlighted in an English page.
    """
    if len(word.analyses) < 2:
        return word.analyses
    own = analyze_word(word.text, (page_language, *query_languages[:1]))
    foreign = {*analyze_word(word.text, query_languages)}.difference(own)
    return tuple(one for one in word.analyses if one.tokens not in foreign) or word.analyses


def equally_weighted(terms: frozenset[str]) -> SnippetTerms:
    """Terms of equal weight, each its own part."""
    return SnippetTerms(
        {term: part for part, term in enumerate(sorted(terms))}, (1.0,) * len(terms)
    )
