"""Is there anything of the kind at all? What was asked of pages that none here is, and why not.

And was anything asked for? `-word` and `site:` say nothing that pages should have.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from math import isinf

from byway.core.model import EPOCH, Absent, Query
from byway.core.model.query import AllOf, AnyOf, Filter, Not, Part, Question, Word
from byway.core.ports import DocumentStore, SearchIndex
from byway.search.query.related_pages import NumberOf, number_at, resolved

MOST = 8
"""Filters that are looked at, and values that are named instead."""
ALIKE = 3
"""Sites that are named instead where some are spelt alike."""
MOST_COMPARED = 500
"""Sites among which one is looked for that is spelt alike: so many take 10 milliseconds."""
MOST_YEARS = 1000
BARE = re.compile(r"(?:\s|[-()]|\w+:(?=[\s)]|$)|\b(?:AND|OR|NOT)\b)+")
"""Operators without a value, and what joins words where there are none."""
NO_PAGE = Filter("id", "0")
EVERY_PAGE = Question((AnyOf((NO_PAGE, Not(NO_PAGE))),))
FACETS = {"language": "language", "type": "type", "site": "site", "day": "year"}
"""What pages can be asked to be, and by what they are counted then."""


@dataclass(frozen=True, slots=True)
class Absences:
    """Says why a question has no answer."""

    index: SearchIndex
    documents: DocumentStore
    number_of: NumberOf

    def of(self, typed: Question, question: Question) -> Iterator[Absent]:
        """What this question asks pages to be that none is, and what there is instead.

        `typed` still has the URLs that were typed; `question` has what they mean.
        """
        for name in ("link", "related"):
            for one in dict.fromkeys(typed.filters(name)[:MOST]):
                yield from self._beside_page(one)
        for name in ("language", "type", "site"):
            for one in dict.fromkeys(question.filters(name)[:MOST]):
                if not self._has((one,)):
                    yield self._told(name, one.value, EVERY_PAGE)
        days = question.filters("day")
        if days and not self._has(days):
            yield _aside(self._told("day", time_of(days), EVERY_PAGE), days)
        for word in question.parts:
            if isinstance(word, Word) and word.field != "anywhere" and not self._has((word,)):
                anywhere = Question((replace(word, field="anywhere"),))
                pages = self.index.candidates(anywhere, 1).total
                why = "elsewhere" if pages else ""
                yield Absent(word.field, word.text, why=why, elsewhere=pages)

    def emptying(self, question: Question) -> Iterator[Absent]:
        """Which filter alone keeps this question from an answer, and what would be one."""
        for name in FACETS:
            parts = [part for part in question.parts if _asks_for(part, name)]
            others = Question(tuple(part for part in question.parts if part not in parts))
            if parts and others and self._has(others.parts):
                asked = question.filters(name)
                value = time_of(asked) if name == "day" else ", ".join(one.value for one in asked)
                yield self._told(name, value, others, "beside")

    def _has(self, parts: Sequence[Part]) -> bool:
        return bool(len(self.index.numbers(Question(tuple(parts)), 1)))

    def _told(self, name: str, value: str, among: Question, why: str = "") -> Absent:
        """That none is so, and what those are that answer another question."""
        most = {"day": MOST_YEARS, "site": MOST_COMPARED}.get(name, MOST + 1)
        there = tuple(one for one, _ in self.index.facets(among, most)[FACETS[name]])
        if name == "day":
            years = tuple(sorted(there, key=int))
            why = why if years else f"{why}_undated".strip("_")
            return Absent(name, value, tuple(dict.fromkeys((*years[:1], *years[-1:]))), why=why)
        alike = get_close_matches(value, there, ALIKE) if name == "site" else []
        named = tuple(sorted(alike or there[:MOST]))
        return Absent(name, value, named, len(there) > len(named), why)

    def _beside_page(self, asked: Filter) -> Iterator[Absent]:
        """Why no page links to that one, or is like it; nothing where some are."""
        id = number_at(asked.value, self.number_of)
        if not id:
            yield Absent(asked.name, asked.value, why="unknown")
        elif asked.name == "related" and not self.documents.get(id):
            yield Absent(asked.name, asked.value, why="unkept")
        else:
            meant = resolved(Question((asked,)), self.index, self.documents, self.number_of)
            if not self._has(meant.parts):
                yield Absent(asked.name, asked.value)


def says_nothing(query: Query, questions: Sequence[Question]) -> bool:
    """Is there nothing in a query that pages should have?"""
    bare = not query.filters and BARE.fullmatch(query.text) is not None
    return bare or not any(questions)


def _asks_for(part: Part, name: str) -> bool:
    """Does this part of a question ask for nothing but this? `site:a.org/path` is of a site."""
    if isinstance(part, AnyOf):
        return all(_asks_for(one, name) for one in part.parts)
    first = part.parts[0] if isinstance(part, AllOf) else part
    return isinstance(first, Filter) and first.name == name


def _aside(told: Absent, days: Sequence[Filter]) -> Absent:
    """The same, of a time that is before all years there are or behind them, where that is so."""
    first, last = max(one.least for one in days), min(one.most for one in days)
    if told.there and first <= 1 and not isinf(last) and _year(last) < int(told.there[0]):
        return replace(told, why="older")
    if told.there and isinf(last) and _year(first) > int(told.there[-1]):
        return replace(told, why="newer")
    return told


def _year(day: float) -> int:
    return int(day_called(day)[:4])


def time_of(days: Sequence[Filter]) -> str:
    """The time that all of these leave, as 2024-01-01 – 2024-12-31; an end may be open."""
    first, last = max(one.least for one in days), min(one.most for one in days)
    begins = "…" if first <= 1 else day_called(first)
    return f"{begins} – {'…' if isinf(last) else day_called(last)}"


def day_called(number: float) -> str:
    """The day with this number, as 2024-05-31."""
    return date.fromordinal(max(1, EPOCH + int(number))).isoformat()
