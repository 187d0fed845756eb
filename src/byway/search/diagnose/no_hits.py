"""Is there anything of the kind at all? What was asked of pages that none here is, and why not.

And was anything asked for? `-word` and `site:` say nothing that pages should have.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from math import isinf

from byway.core.model import EPOCH_ORDINAL, NoResultsReason, Query
from byway.core.model.query import AllOf, AnyOf, Clause, Filter, Not, ParsedQuery, TermClause
from byway.core.ports import DocumentStore, SearchIndex
from byway.search.query.related_pages import UrlIdLookup, resolve_url_filters, resolve_url_id

MAX_LISTED_VALUES = 8
"""Filters that are looked at, and values that are named instead."""
MAX_SIMILAR_SITES = 3
"""Sites that are named instead where some are spelt alike."""
MAX_COMPARED_SITES = 500
"""Sites among which one is looked for that is spelt alike: so many take 10 milliseconds."""
MAX_YEARS = 1000
BARE_OPERATORS_PATTERN = re.compile(r"(?:\s|[-()]|\w+:(?=[\s)]|$)|\b(?:AND|OR|NOT)\b)+")
"""Operators without a value, and what joins words where there are none."""
NO_PAGE_FILTER = Filter("id", "0")
ALL_PAGES_QUERY = ParsedQuery((AnyOf((NO_PAGE_FILTER, Not(NO_PAGE_FILTER))),))
FACET_BY_FILTER = {"language": "language", "type": "type", "site": "site", "day": "year"}
"""What pages can be asked to be, and by what they are counted then."""


@dataclass(frozen=True, slots=True)
class NoHitsDiagnoser:
    """Says why a question has no answer."""

    index: SearchIndex
    documents: DocumentStore
    find_url_id: UrlIdLookup

    def unmatched_parts(
        self, typed_query: ParsedQuery, query: ParsedQuery
    ) -> Iterator[NoResultsReason]:
        """What this question asks pages to be that none is, and what there is instead.

        `typed_query` still has the URLs that were typed; `query` has what they mean.
        """
        for name in ("link", "related"):
            for one in dict.fromkeys(typed_query.filters(name)[:MAX_LISTED_VALUES]):
                yield from self._beside_page(one)
        for name in ("language", "type", "site"):
            for one in dict.fromkeys(query.filters(name)[:MAX_LISTED_VALUES]):
                if not self._has((one,)):
                    yield self._told(name, one.value, ALL_PAGES_QUERY)
        days = query.filters("day")
        if days and not self._has(days):
            yield _aside(self._told("day", format_date_range(days), ALL_PAGES_QUERY), days)
        for word in query.clauses:
            if isinstance(word, TermClause) and word.field != "anywhere" and not self._has((word,)):
                anywhere = ParsedQuery((replace(word, field="anywhere"),))
                pages = self.index.candidates(anywhere, 1).total
                why = "elsewhere" if pages else ""
                yield NoResultsReason(word.field, word.text, cause=why, elsewhere_count=pages)

    def blocking_filters(self, query: ParsedQuery) -> Iterator[NoResultsReason]:
        """Which filter alone keeps this question from an answer, and what would be one."""
        for name in FACET_BY_FILTER:
            parts = [part for part in query.clauses if _asks_for(part, name)]
            others = ParsedQuery(tuple(part for part in query.clauses if part not in parts))
            if parts and others and self._has(others.clauses):
                asked = query.filters(name)
                value = (
                    format_date_range(asked)
                    if name == "day"
                    else ", ".join(one.value for one in asked)
                )
                yield self._told(name, value, others, "beside")

    def _has(self, parts: Sequence[Clause]) -> bool:
        return bool(len(self.index.top_ids(ParsedQuery(tuple(parts)), 1)))

    def _told(self, name: str, value: str, among: ParsedQuery, why: str = "") -> NoResultsReason:
        """That none is so, and what those are that answer another question."""
        most = {"day": MAX_YEARS, "site": MAX_COMPARED_SITES}.get(name, MAX_LISTED_VALUES + 1)
        there = tuple(one for one, _ in self.index.facets(among, most)[FACET_BY_FILTER[name]])
        if name == "day":
            years = tuple(sorted(there, key=int))
            why = why if years else f"{why}_undated".strip("_")
            return NoResultsReason(
                name, value, tuple(dict.fromkeys((*years[:1], *years[-1:]))), cause=why
            )
        alike = get_close_matches(value, there, MAX_SIMILAR_SITES) if name == "site" else []
        named = tuple(sorted(alike or there[:MAX_LISTED_VALUES]))
        return NoResultsReason(name, value, named, len(there) > len(named), why)

    def _beside_page(self, asked: Filter) -> Iterator[NoResultsReason]:
        """Why no page links to that one, or is like it; nothing where some are."""
        id = resolve_url_id(asked.value, self.find_url_id)
        if not id:
            yield NoResultsReason(asked.name, asked.value, cause="unknown")
        elif asked.name == "related" and not self.documents.get(id):
            yield NoResultsReason(asked.name, asked.value, cause="unkept")
        else:
            meant = resolve_url_filters(
                ParsedQuery((asked,)), self.index, self.documents, self.find_url_id
            )
            if not self._has(meant.clauses):
                yield NoResultsReason(asked.name, asked.value)


def is_empty_query(query: Query, parsed_queries: Sequence[ParsedQuery]) -> bool:
    """Is there nothing in a query that pages should have?"""
    bare = not query.filters and BARE_OPERATORS_PATTERN.fullmatch(query.text) is not None
    return bare or not any(parsed_queries)


def _asks_for(part: Clause, name: str) -> bool:
    """Does this part of a question ask for nothing but this? `site:a.org/path` is of a site."""
    if isinstance(part, AnyOf):
        return all(_asks_for(one, name) for one in part.clauses)
    first = part.clauses[0] if isinstance(part, AllOf) else part
    return isinstance(first, Filter) and first.name == name


def _aside(told: NoResultsReason, days: Sequence[Filter]) -> NoResultsReason:
    """The same, of a time that is before all years there are or behind them, where that is so."""
    first, last = max(one.minimum for one in days), min(one.maximum for one in days)
    if told.available and first <= 1 and not isinf(last) and _year(last) < int(told.available[0]):
        return replace(told, cause="older")
    if told.available and isinf(last) and _year(first) > int(told.available[-1]):
        return replace(told, cause="newer")
    return told


def _year(day: float) -> int:
    return int(format_day(day)[:4])


def format_date_range(days: Sequence[Filter]) -> str:
    """The time that all of these leave, as 2024-01-01 – 2024-12-31; an end may be open."""
    first, last = max(one.minimum for one in days), min(one.maximum for one in days)
    begins = "…" if first <= 1 else format_day(first)
    return f"{begins} – {'…' if isinf(last) else format_day(last)}"


def format_day(number: float) -> str:
    """The day with this number, as 2024-05-31."""
    return date.fromordinal(max(1, EPOCH_ORDINAL + int(number))).isoformat()
