"""Is there anything of the kind at all? Languages, types and sites that no page here has.

And was anything asked for? `-word` and `site:` say nothing that pages should have.
"""

import re
from collections.abc import Iterator, Sequence

from byway.model import Absent, Query
from byway.ports import SearchIndex
from byway.question import AnyOf, Filter, Not, Question

MOST = 8
"""Filters that are looked at, and values that are named instead."""
BARE = re.compile(r"(?:\s|[-()]|\w+:(?=[\s)]|$)|\b(?:AND|OR|NOT)\b)+")
"""Operators without a value, and what joins words where there are none."""
NO_PAGE = Filter("id", "0")
EVERY_PAGE = Question((AnyOf((NO_PAGE, Not(NO_PAGE))),))


def absent(question: Question, index: SearchIndex) -> Iterator[Absent]:
    """What this question asks pages to be that none is, and what there is most of instead."""
    for name in ("language", "type", "site"):
        for one in dict.fromkeys(question.filters(name)[:MOST]):
            if len(index.numbers(Question((one,)), 1)):
                continue
            if name == "language":
                there = index.languages()
            else:
                there = tuple(value for value, _ in index.facets(EVERY_PAGE, MOST + 1)[name])
            yield Absent(name, one.value, tuple(sorted(there[:MOST])), len(there) > MOST)


def says_nothing(query: Query, questions: Sequence[Question]) -> bool:
    """Is there nothing in a query that pages should have?"""
    bare = not query.filters and BARE.fullmatch(query.text) is not None
    return bare or not any(questions)
