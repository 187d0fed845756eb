"""Snippet terms: the terms of a query, grouped into parts by which passages are weighed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.text import analyze_word

STOP_WORD_WEIGHT = 0.01
"""Weight of a stop word: just a tie-breaker between windows with the same content words."""
MAX_TARGET_WEIGHT = 2.0
WHOLE_PHRASE_BONUS = 0.5
"""Extra weight of a complete phrase, so that the scan goes deeper to find one."""


@dataclass(frozen=True, slots=True)
class SnippetPhrase:
    """A phrase of the query."""

    whole_part: int
    """The index of the query part for the complete phrase."""
    word_parts: frozenset[int]
    """The indices of the query parts for its individual words."""
    term_sequences: tuple[tuple[str, ...], ...]
    """Its terms in order, in each of its analyses."""


@dataclass(frozen=True)
class SnippetTerms:
    """The terms of a query, grouped into weighted parts."""

    part_by_term: Mapping[str, int] = field(default_factory=dict)
    """The query part of each term; a second term of the same part adds no weight."""
    part_weights: tuple[float, ...] = ()
    """The weight of each part."""
    stop_parts: frozenset[int] = frozenset()
    """The parts that are stop words."""
    phrases: tuple[SnippetPhrase, ...] = ()

    @cached_property
    def content_terms(self) -> frozenset[str]:
        """The terms that are not stop words: those that are highlighted."""
        return frozenset(
            term for term, part in self.part_by_term.items() if part not in self.stop_parts
        )

    @cached_property
    def stop_terms(self) -> frozenset[str]:
        """The terms of stop words, which only decide between passages with the same others."""
        return frozenset(self.part_by_term) - self.content_terms

    @cached_property
    def target_weight(self) -> float:
        """The weight at which the search for a better window stops: the weight of two words."""
        other_parts = self.stop_parts.union(phrase.whole_part for phrase in self.phrases)
        words = sum(
            weight for part, weight in enumerate(self.part_weights) if part not in other_parts
        )
        bonus = WHOLE_PHRASE_BONUS if self.phrases else 0
        return round(min(MAX_TARGET_WEIGHT, words) + bonus, 6)


def snippet_terms_of(
    query: ParsedQuery, page_language: str = "", query_languages: tuple[str, ...] = ()
) -> SnippetTerms:
    """The snippet terms of a query for a page in this language."""
    part_by_term: dict[str, int] = {}
    weights: list[float] = []
    stop_parts: set[int] = set()
    phrases: list[SnippetPhrase] = []
    words = query.words
    only_stop_words = all(word.is_stop_word for word in words)
    for word in words:
        analyses = _analyses_in(word, page_language, query_languages)
        if not analyses:
            continue
        # Each token of a phrase is a part, so that half a phrase does not count as the whole.
        token_count = len(analyses[0].tokens)
        first = len(weights)
        is_content = only_stop_words or not word.is_stop_word
        weights += [1 / token_count if is_content else STOP_WORD_WEIGHT] * token_count
        stop_parts.update(() if is_content else range(first, len(weights)))
        for analysis in analyses:
            for place, term in enumerate(analysis.tokens):
                # A stop word is a content word if it is also part of a phrase.
                if is_content and part_by_term.get(term) in stop_parts:
                    del part_by_term[term]
                part_by_term.setdefault(term, first + min(place, token_count - 1))
        sequences = tuple(analysis.tokens for analysis in analyses)
        if min(map(len, sequences)) > 1:
            word_parts = frozenset(range(first, len(weights)))
            phrases.append(SnippetPhrase(len(weights), word_parts, sequences))
            weights.append(sum(weights[first:]) + WHOLE_PHRASE_BONUS)
    return SnippetTerms(part_by_term, tuple(weights), frozenset(stop_parts), tuple(phrases))


def _analyses_in(
    word: TermClause, page_language: str, query_languages: tuple[str, ...]
) -> tuple[TermAnalysis, ...]:
    """The analyses, minus those from languages other than the page's and the most frequent.

    `one` is `on` in Polish: on an English page, no `on` is highlighted.
    """
    if len(word.analyses) < 2:
        return word.analyses
    own = analyze_word(word.text, (page_language, *query_languages[:1]))
    foreign = {*analyze_word(word.text, query_languages)}.difference(own)
    return tuple(one for one in word.analyses if one.tokens not in foreign) or word.analyses
