"""Which part of a question does a term answer? All spellings of a word are one part of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from byway.core.model.query import ANY, Question

LITTLE = 0.01
"""What a word like `what` is worth beside one that says something: it only decides between
windows that have as many of those."""
ENOUGH = 2.0


WHOLE = 0.5
"""What more a phrase is worth that is whole, so that it is looked for further down."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that must stand one after the other."""

    part: int
    """The part of the question that it is as a whole."""
    words: frozenset[int]
    """Those that its words are alone."""
    ways: tuple[tuple[str, ...], ...]
    """Its terms, in each of its readings."""


@dataclass(frozen=True)
class Wanted:
    """The terms that are looked for, and what finding each is worth."""

    parts: Mapping[str, int] = field(default_factory=dict)
    """Which part of the question each term is; another one of the same part adds nothing."""
    worth: tuple[float, ...] = ()
    """What each part is worth."""
    phrases: tuple[Phrase, ...] = ()

    @cached_property
    def terms(self) -> frozenset[str]:
        """All of them."""
        return frozenset(self.parts)

    @cached_property
    def enough(self) -> float:
        """What a window must be worth for nobody to look any further: two words, if there are."""
        whole = {phrase.part for phrase in self.phrases}
        each = sum(one for n, one in enumerate(self.worth) if one > LITTLE and n not in whole)
        return round(min(ENOUGH, each) + (WHOLE if whole else 0), 6)

    @cached_property
    def telling(self) -> frozenset[str]:
        """Those that say something."""
        return frozenset(term for term, part in self.parts.items() if self.worth[part] > LITTLE)


def wanted_of(question: Question, spoken: int = ANY) -> Wanted:
    """What a snippet should show, for this question, of a page in these languages."""
    parts: dict[str, int] = {}
    worth: list[float] = []
    phrases: list[Phrase] = []
    words = question.words
    only = all(word.common for word in words)
    for word in (word.among(spoken) for word in words):
        if not word.readings:
            continue
        # Each term of what belongs together is a part, so that a half of it is not the whole.
        pieces = len(word.readings[0].terms)
        first = len(worth)
        worth += [1 / pieces if only or not word.common else LITTLE] * pieces
        for reading in word.readings:
            for place, term in enumerate(reading.terms):
                parts.setdefault(term, first + min(place, pieces - 1))
        ways = tuple(reading.terms for reading in word.readings)
        if min(map(len, ways)) > 1:
            own = frozenset(range(first, len(worth)))
            phrases.append(Phrase(len(worth), own, ways))
            worth.append(sum(worth[first:]) + WHOLE)
    return Wanted(parts, tuple(worth), tuple(phrases))


def each_of(terms: frozenset[str]) -> Wanted:
    """Terms that are worth the same, each for itself."""
    return Wanted({term: part for part, term in enumerate(sorted(terms))}, (1.0,) * len(terms))
