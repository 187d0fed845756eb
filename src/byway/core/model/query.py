"""What is asked? A query, understood: words in all their readings, and what pages must be like."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Literal, NamedTuple, TypeVar

ANY = -1
MOST_WHOLES = 16
"""Ways to choose a reading for each of several words that are looked at one by one."""
Chosen = TypeVar("Chosen")
Where = Literal["anywhere", "title", "url"]


class Reading(NamedTuple):
    """What a word may be called in the index; several terms must follow one another."""

    terms: tuple[str, ...]
    weight: float = 1.0
    """Below 1 for another spelling than the one that was typed."""
    languages: int = ANY
    """Bits for the languages in which the word is called so."""


@dataclass(frozen=True, slots=True)
class Word:
    """Something that should occur in one of its readings; a phrase is one with several terms."""

    text: str
    readings: tuple[Reading, ...]
    field: Where = "anywhere"
    exact: bool = False
    """Was it in quotes? Then it must occur, and as it is spelt."""
    prefix: str = ""
    """A word that only begins like this will do, too."""
    common: bool = False
    """Does it say little, beside the others? `what is` does, in a question."""
    needed: bool = False
    """Was AND beside it? Then it must occur."""

    @property
    def typed(self) -> tuple[Reading, ...]:
        """Its readings as it was typed; other spellings and halves of it are left out."""
        return tuple(reading for reading in self.readings if reading.weight == 1)

    def among(self, languages: int) -> "Word":
        """The word as it is read in these languages, which are bits."""
        found = tuple([one for one in self.readings if one.languages & languages])
        return self if len(found) == len(self.readings) else self.read_as(found)

    def read_as(self, readings: tuple[Reading, ...]) -> "Word":
        """The same word in these readings: what `replace` does, in a third of its time."""
        return Word(
            self.text, readings, self.field, self.exact, self.prefix, self.common, self.needed
        )

    @property
    def loose(self) -> bool:
        """May a page lack it that has most of the others?"""
        return self.field == "anywhere" and not (self.exact or self.prefix or self.needed)


@dataclass(frozen=True, slots=True)
class Filter:
    """What a page must be like: a value, or a number between two.

    `site`, `language`, `type`, `day`, `link` and `related` are ours; any other name is that of an
    attribute. Days are counted from 1970.
    """

    name: str
    value: str = ""
    least: float = -inf
    most: float = inf


@dataclass(frozen=True, slots=True)
class Not:
    """What must not be there."""

    part: "Part"

    @property
    def exactly(self) -> "Part":
        """The same, meant as it is spelt: no page is left out for what a word may be elsewhere."""
        if isinstance(self.part, AnyOf | AllOf):
            return replace(self.part, parts=tuple(Not(one).exactly for one in self.part.parts))
        return replace(self.part, exact=True) if isinstance(self.part, Word) else self.part


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Parts of which one must hold."""

    parts: tuple["Part", ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """Parts that must hold, though of many loose words most are enough."""

    parts: tuple["Part", ...]


def enough(words: Sequence[Word]) -> int:
    """How many of the telling ones of these loose words a page must have.

    On the judged sets, two thirds of the words lost half the answers to questions (cacm: nDCG@10
    .14, against .49 so), and two of four cost .01 on danetqa-ru, whose questions are short; pages
    that have more of them come first anyway. What begins as a question does is one: `what surrounds
    plastids` is answered by pages that do not say surrounds.
    """
    say = sum(not word.common for word in words) or len(words)
    if len(words) > 3 or (words and words[0].common):
        return 1
    return min(say, 2)


def required(parts: "Sequence[Part]") -> list[Word]:
    """The words of these parts that must all be there."""
    loose = [part for part in parts if isinstance(part, Word) and part.loose]
    must = [part for part in parts if isinstance(part, Word) and not part.loose]
    words = [word for word in loose if not word.common] or loose
    return [*words, *must] if loose and enough(loose) == len(words) else must


def wholes(each: "Sequence[Sequence[tuple[int, Chosen]]]") -> "list[tuple[int, list[Chosen]]]":
    """Each choice of one of each that some language has all of, with bits for those that do.

    None if there are too many.

    What is chosen of comes with the bits of its languages, too. The words of a page are all in its
    own: `traitement` is trait in French, and `Lampen` is lamp in German, but a page with a trait
    and a lamp is about neither.
    """
    found: list[tuple[int, list[Chosen]]] = [(ANY, [])]
    for some in each:
        found = [
            (bits & more, [*chosen, one])
            for bits, chosen in found
            for more, one in some
            if bits & more
        ]
        if len(found) > MOST_WHOLES:
            return []
    return found


def telling(words: Sequence[Word]) -> list[int]:
    """Which of these words say something; all of them, when fewer than two would be left."""
    left = [n for n, word in enumerate(words) if not word.common]
    return left if len(left) > 1 else list(range(len(words)))


Part = Word | Filter | Not | AnyOf | AllOf
WANTED = (Word, Filter)
"""What counts towards a page. A tuple, since a union is made anew whenever it is asked for."""


@dataclass(frozen=True)
class Question:
    """A query, understood: all these parts together."""

    parts: tuple[Part, ...] = ()

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """Every word that counts towards a page, once each, in the order they were typed."""
        words = (part for part in _wanted(self.parts) if isinstance(part, Word))
        return tuple({(word.readings, word.prefix): word for word in words}.values())

    @property
    def terms(self) -> tuple[str, ...]:
        """Every term that counts towards a page, once each, in the order they were typed."""
        terms = (
            term for word in self.words for reading in word.readings[:1] for term in reading.terms
        )
        return tuple(dict.fromkeys(terms))

    @property
    def times(self) -> tuple[int, ...]:
        """How often each of the words was typed: what is said twice is meant twice."""
        typed = [part for part in _wanted(self.parts) if isinstance(part, Word)]
        same = [(word.readings, word.prefix) for word in typed]
        return tuple(same.count((word.readings, word.prefix)) for word in self.words)

    def filters(self, name: str) -> tuple[Filter, ...]:
        """The filters of that name that pages must pass."""
        return tuple(
            part for part in _wanted(self.parts) if isinstance(part, Filter) and part.name == name
        )

    def __bool__(self) -> bool:
        for part in self.parts:  # nearly always the first one is enough
            if isinstance(part, WANTED) or any(True for _ in _wanted((part,))):
                return True
        return False


def _wanted(parts: "tuple[Part, ...]") -> "Iterator[Word | Filter]":
    """The words and filters of these parts, but for what must not be there."""
    for part in parts:
        if isinstance(part, AnyOf | AllOf):
            yield from _wanted(part.parts)
        elif not isinstance(part, Not):
            yield part
