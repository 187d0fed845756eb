"""Parsed queries: term clauses with their analyses, filters, and boolean clauses."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import NamedTuple


class TermAnalysis(NamedTuple):
    """An analysis of a word: one index term, or several adjacent ones."""

    tokens: tuple[str, ...]
    weight: float = 1.0
    """The weight of a match; below 1 for a spelling variant of the typed word."""


@dataclass(frozen=True, slots=True)
class TermClause:
    """A word or phrase; it matches if any of its analyses matches."""

    text: str
    analyses: tuple[TermAnalysis, ...]
    field: str = "anywhere"
    """The field of an operator such as `intitle:`."""
    exact: bool = False
    """Whether it was quoted and must occur as typed."""
    prefix: str = ""
    """A prefix that also matches; empty for none."""
    is_stop_word: bool = False
    """Whether it is a stop word in this query."""
    required: bool = False
    """Whether it was joined by AND and must occur."""
    prefix_context: tuple[tuple[str, ...], ...] = ()
    """The analyses of the words that a prefix must follow; empty for none."""

    @property
    def typed_analyses(self) -> tuple[TermAnalysis, ...]:
        """The analyses of the typed word, without spelling variants and compound parts."""
        return tuple(analysis for analysis in self.analyses if analysis.weight == 1)

    def with_analyses(self, analyses: tuple[TermAnalysis, ...]) -> "TermClause":
        """A copy with these analyses; three times as fast as `replace`."""
        return TermClause(
            self.text,
            analyses,
            self.field,
            self.exact,
            self.prefix,
            self.is_stop_word,
            self.required,
            self.prefix_context,
        )

    @property
    def is_optional(self) -> bool:
        """Whether a page can match without it if it has enough of the other words."""
        return self.field == "anywhere" and not (self.exact or self.prefix or self.required)


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter on pages: a value, or a range of numbers.

    `core/operators.py` has the filters of operators; any other name refers to an attribute. A day
    is the number of days since 1970-01-01.
    """

    name: str
    value: str = ""
    minimum: float = -inf
    maximum: float = inf


@dataclass(frozen=True, slots=True)
class Not:
    """An excluded clause."""

    clause: "Clause"

    @property
    def exact_clause(self) -> "Clause":
        """The excluded clause restricted to the words as typed, without other analyses."""
        if isinstance(self.clause, AnyOf | AllOf):
            return replace(
                self.clause,
                clauses=tuple(Not(clause).exact_clause for clause in self.clause.clauses),
            )
        return (
            replace(self.clause, exact=True) if isinstance(self.clause, TermClause) else self.clause
        )


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Clauses, at least one of which must match."""

    clauses: tuple["Clause", ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Clauses that must all match, although some optional words may be missing."""

    clauses: tuple["Clause", ...]


def min_should_match(words: Sequence[TermClause]) -> int:
    """The minimum number of content words among these optional words that a page must have.

    Queries of more than three words require only one, because pages with more of the words rank
    higher anyway. Requiring two thirds of the words lost half the answers to questions (nDCG@10 on
    cacm: .14 instead of .49); requiring two of four lost .01 on danetqa-ru. A query that begins
    with a stop word also requires one: pages without `surrounds` can answer `what surrounds
    plastids`.

    Other queries require two words. If one were enough, two-word queries would take 1.2 to 1.3
    times the CPU time on 95,000 pages, and one in five top-ten hits would lack a word although
    enough pages have both. With a bonus for pages that have all words, they took 1.4 times the CPU
    time, and dbpedia-entity-wiki lost .012.
    """
    content_words = sum(not word.is_stop_word for word in words) or len(words)
    if len(words) > 3 or (words and words[0].is_stop_word):
        return 1
    return min(content_words, 2)


def content_word_positions(words: Sequence[TermClause]) -> list[int]:
    """Positions of the content words; of all words if there are fewer than two."""
    positions = [n for n, word in enumerate(words) if not word.is_stop_word]
    return positions if len(positions) > 1 else list(range(len(words)))


Clause = TermClause | Filter | Not | AnyOf | AllOf
SCORING_CLAUSE_TYPES = (TermClause, Filter)
"""Clauses that contribute to the score; a tuple, because `isinstance` is slower with a union."""


@dataclass(frozen=True)
class ParsedQuery:
    """A parsed query: the conjunction of its clauses."""

    clauses: tuple[Clause, ...] = ()

    @cached_property
    def words(self) -> tuple[TermClause, ...]:
        """The distinct words that contribute to the score, in typed order."""
        return tuple({(word.analyses, word.prefix): word for word in self.typed_words}.values())

    @cached_property
    def typed_words(self) -> tuple[TermClause, ...]:
        """All words that contribute to the score, in typed order."""
        parts = _scoring_clauses(self.clauses)
        return tuple(part for part in parts if isinstance(part, TermClause))

    @property
    def terms(self) -> tuple[str, ...]:
        """The distinct terms that contribute to the score, in typed order."""
        terms = (
            term
            for word in self.words
            for analysis in word.analyses[:1]
            for term in analysis.tokens
        )
        return tuple(dict.fromkeys(terms))

    @property
    def all_terms(self) -> set[str]:
        """The terms of all words in all analyses, including excluded words."""
        return set(_all_terms(self.clauses))

    @property
    def term_counts(self) -> tuple[int, ...]:
        """How many times each word was typed; repetition adds weight."""
        counts = Counter((word.analyses, word.prefix) for word in self.typed_words)
        return tuple(counts[word.analyses, word.prefix] for word in self.words)

    def filters(self, name: str) -> tuple[Filter, ...]:
        """The filters with this name; a page must pass all of them."""
        return tuple(
            part
            for part in _scoring_clauses(self.clauses)
            if isinstance(part, Filter) and part.name == name
        )

    def __bool__(self) -> bool:
        for part in self.clauses:  # the first one is nearly always enough
            if isinstance(part, SCORING_CLAUSE_TYPES) or any(
                True for _ in _scoring_clauses((part,))
            ):
                return True
        return False


def _all_terms(clauses: "tuple[Clause, ...]") -> Iterator[str]:
    for clause in clauses:
        if isinstance(clause, TermClause):
            for analysis in clause.analyses:
                yield from analysis.tokens
        elif isinstance(clause, AnyOf | AllOf):
            yield from _all_terms(clause.clauses)
        elif isinstance(clause, Not):
            yield from _all_terms((clause.clause,))


def _scoring_clauses(parts: "tuple[Clause, ...]") -> "Iterator[TermClause | Filter]":
    """The words and filters in these clauses, except excluded ones."""
    for part in parts:
        if isinstance(part, AnyOf | AllOf):
            yield from _scoring_clauses(part.clauses)
        elif not isinstance(part, Not):
            yield part
