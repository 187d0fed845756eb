"""What is asked? A query, understood: words in all their readings, and what pages must be like."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Literal, NamedTuple, TypeVar

ALL_LANGUAGES = -1
MAX_ANALYSIS_COMBINATIONS = 16
"""Ways to choose a reading for each of several words that are looked at one by one."""
ChoiceT = TypeVar("ChoiceT")
ClauseField = Literal["anywhere", "title", "url"]


class TermAnalysis(NamedTuple):
    """What a word may be called in the index; several terms must follow one another."""

    tokens: tuple[str, ...]
    weight: float = 1.0
    """Below 1 for another spelling than the one that was typed."""
    languages: int = ALL_LANGUAGES
    """Bits for the languages in which the word is called so."""


@dataclass(frozen=True, slots=True)
class TermClause:
    """Something that should occur in one of its readings; a phrase is one with several terms."""

    text: str
    analyses: tuple[TermAnalysis, ...]
    field: ClauseField = "anywhere"
    exact: bool = False
    """Was it in quotes? Then it must occur, and as it is spelt."""
    prefix: str = ""
    """A word that only begins like this will do, too."""
    is_stop_word: bool = False
    """Does it say little, beside the others? `what is` does, in a question."""
    required: bool = False
    """Was AND beside it? Then it must occur."""

    @property
    def typed_analyses(self) -> tuple[TermAnalysis, ...]:
        """Its readings as it was typed; other spellings and halves of it are left out."""
        return tuple(reading for reading in self.analyses if reading.weight == 1)

    def in_languages(self, languages: int) -> "TermClause":
        """The word as it is read in these languages, which are bits."""
        found = tuple([one for one in self.analyses if one.languages & languages])
        return self if len(found) == len(self.analyses) else self.with_analyses(found)

    def with_analyses(self, readings: tuple[TermAnalysis, ...]) -> "TermClause":
        """The same word in these readings: what `replace` does, in a third of its time."""
        return TermClause(
            self.text,
            readings,
            self.field,
            self.exact,
            self.prefix,
            self.is_stop_word,
            self.required,
        )

    @property
    def is_optional(self) -> bool:
        """May a page lack it that has most of the others?"""
        return self.field == "anywhere" and not (self.exact or self.prefix or self.required)


@dataclass(frozen=True, slots=True)
class Filter:
    """What a page must be like: a value, or a number between two.

    `site`, `language`, `type`, `day`, `link` and `related` are ours; any other name is that of an
    attribute. Days are counted from 1970.
    """

    name: str
    value: str = ""
    minimum: float = -inf
    maximum: float = inf


@dataclass(frozen=True, slots=True)
class Not:
    """What must not be there."""

    clause: "Clause"

    @property
    def exact_clause(self) -> "Clause":
        """The same, meant as it is spelt: no page is left out for what a word may be elsewhere."""
        if isinstance(self.clause, AnyOf | AllOf):
            return replace(
                self.clause, clauses=tuple(Not(one).exact_clause for one in self.clause.clauses)
            )
        return (
            replace(self.clause, exact=True) if isinstance(self.clause, TermClause) else self.clause
        )


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Parts of which one must hold."""

    clauses: tuple["Clause", ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Parts that must hold, though of many loose words most are enough."""

    clauses: tuple["Clause", ...]


def min_should_match(words: Sequence[TermClause]) -> int:
    """How many of the telling ones of these loose words a page must have.

    On the judged sets, two thirds of the words lost half the answers to questions (cacm: nDCG@10
    .14, against .49 so), and two of four cost .01 on danetqa-ru, whose questions are short; pages
    that have more of them come first anyway. What begins as a question does is one: `what surrounds
    plastids` is answered by pages that do not say surrounds.
    """
    say = sum(not word.is_stop_word for word in words) or len(words)
    if len(words) > 3 or (words and words[0].is_stop_word):
        return 1
    return min(say, 2)


def required_terms(clauses: "Sequence[Clause]") -> list[TermClause]:
    """The words of these parts that must all be there."""
    loose = [part for part in clauses if isinstance(part, TermClause) and part.is_optional]
    must = [part for part in clauses if isinstance(part, TermClause) and not part.is_optional]
    words = [word for word in loose if not word.is_stop_word] or loose
    return [*words, *must] if loose and min_should_match(loose) == len(words) else must


def analysis_combinations(
    each: "Sequence[Sequence[tuple[int, ChoiceT]]]",
) -> "list[tuple[int, list[ChoiceT]]]":
    """Each choice of one of each that some language has all of, with bits for those that do.

    None if there are too many.

    What is chosen of comes with the bits of its languages, too. The words of a page are all in its
    own: `traitement` is trait in French, and `Lampen` is lamp in German, but a page with a trait
    and a lamp is about neither.
    """
    found: list[tuple[int, list[ChoiceT]]] = [(ALL_LANGUAGES, [])]
    for some in each:
        found = [
            (bits & more, [*chosen, one])
            for bits, chosen in found
            for more, one in some
            if bits & more
        ]
        if len(found) > MAX_ANALYSIS_COMBINATIONS:
            return []
    return found


def content_word_positions(words: Sequence[TermClause]) -> list[int]:
    """Which of these words say something; all of them, when fewer than two would be left."""
    left = [n for n, word in enumerate(words) if not word.is_stop_word]
    return left if len(left) > 1 else list(range(len(words)))


Clause = TermClause | Filter | Not | AnyOf | AllOf
SCORING_CLAUSE_TYPES = (TermClause, Filter)
"""What counts towards a page. A tuple, since a union is made anew whenever it is asked for."""


@dataclass(frozen=True)
class ParsedQuery:
    """A query, understood: all these parts together."""

    clauses: tuple[Clause, ...] = ()

    @cached_property
    def words(self) -> tuple[TermClause, ...]:
        """Every word that counts towards a page, once each, in the order they were typed."""
        words = (part for part in _wanted(self.clauses) if isinstance(part, TermClause))
        return tuple({(word.analyses, word.prefix): word for word in words}.values())

    @property
    def terms(self) -> tuple[str, ...]:
        """Every term that counts towards a page, once each, in the order they were typed."""
        terms = (
            term for word in self.words for reading in word.analyses[:1] for term in reading.tokens
        )
        return tuple(dict.fromkeys(terms))

    @property
    def term_counts(self) -> tuple[int, ...]:
        """How often each of the words was typed: what is said twice is meant twice."""
        typed = [part for part in _wanted(self.clauses) if isinstance(part, TermClause)]
        same = [(word.analyses, word.prefix) for word in typed]
        return tuple(same.count((word.analyses, word.prefix)) for word in self.words)

    def filters(self, name: str) -> tuple[Filter, ...]:
        """The filters of that name that pages must pass."""
        return tuple(
            part for part in _wanted(self.clauses) if isinstance(part, Filter) and part.name == name
        )

    def __bool__(self) -> bool:
        for part in self.clauses:  # nearly always the first one is enough
            if isinstance(part, SCORING_CLAUSE_TYPES) or any(True for _ in _wanted((part,))):
                return True
        return False


def _wanted(parts: "tuple[Clause, ...]") -> "Iterator[TermClause | Filter]":
    """The words and filters of these parts, but for what must not be there."""
    for part in parts:
        if isinstance(part, AnyOf | AllOf):
            yield from _wanted(part.clauses)
        elif not isinstance(part, Not):
            yield part
