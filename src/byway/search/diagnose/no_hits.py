"""Diagnosis of queries without hits: filters that no page passes, and available values."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from math import isinf

from byway.core.model import EPOCH_ORDINAL, Query
from byway.core.model.message import Diagnosis
from byway.core.model.query import AllOf, AnyOf, Clause, Filter, Not, ParsedQuery, TermClause
from byway.core.ports import DocumentStore, SearchIndex
from byway.search.query.operators import OPERATOR_BY_FILTER
from byway.search.query.related_pages import UrlIdLookup, resolve_url_filters, resolve_url_id

MAX_LISTED_VALUES = 8
"""Maximum number of filters checked, and of available values listed."""
MAX_SIMILAR_SITES = 3
"""Maximum number of available sites listed because their names resemble the typed one."""
MAX_COMPARED_VALUES = 500
"""Maximum number of site names compared with the typed one: this many take 10 milliseconds."""
BARE_OPERATORS_PATTERN = re.compile(r"(?:\s|[-()]|\w+:(?=[\s)]|$)|\b(?:AND|OR|NOT)\b)+")
"""A query that consists only of operators without values."""
NO_PAGE_FILTER = Filter("id", "0")
ALL_PAGES_QUERY = ParsedQuery((AnyOf((NO_PAGE_FILTER, Not(NO_PAGE_FILTER))),))
FACET_BY_FILTER = {"language": "language", "type": "type", "site": "site", "day": "year"}
"""Filters whose available values are listed, and their facets."""
NO_PAGE_CODES = {
    "language": "no_page_in_language",
    "type": "no_page_of_type",
    "site": "no_page_on_site",
    "day": "no_page_in_period",
}
"""The diagnosis if no page at all passes the filter."""
NO_MATCH_CODES = {
    "language": "no_match_in_language",
    "type": "no_match_of_type",
    "site": "no_match_on_site",
    "day": "no_match_in_period",
}
"""The diagnosis if pages pass the filter, but none of them matches the rest of the query."""
UNDATED_CODES = {"no_page_in_period": "no_dated_page", "no_match_in_period": "no_dated_match"}
UNLISTED_CODES = {False: "no_page_for_filter", True: "no_match_for_filter"}
"""The diagnosis if there is no value to list, by whether other pages match the rest."""


@dataclass(frozen=True, slots=True)
class NoHitsDiagnoser:
    """Finds the filters that leave a query without hits.

    Every diagnosis has the parameters `filter` and `value`. If there are other values, `available`
    lists some, and `has_more` is true if there are more.
    """

    index: SearchIndex
    documents: DocumentStore
    find_url_id: UrlIdLookup

    def unmatched_parts(self, typed_query: ParsedQuery, query: ParsedQuery) -> Iterator[Diagnosis]:
        """The filters and field words that no page matches.

        `typed_query` has the URLs as typed, `query` has them resolved.
        """
        for name in ("link", "related"):
            for one in dict.fromkeys(typed_query.filters(name)[:MAX_LISTED_VALUES]):
                yield from self._page_filter(one)
        for name in ("language", "type", "site"):
            for one in dict.fromkeys(query.filters(name)[:MAX_LISTED_VALUES]):
                if not self._has_match((one,)):
                    yield self._unmatched_filter(name, one.value)
        days = query.filters("day")
        if days and not self._has_match(days):
            yield self._unmatched_period(days)
        for clause in query.clauses:
            if isinstance(clause, TermClause) and clause.field != "anywhere":
                yield from self._field_word(clause)

    def blocking_filters(self, query: ParsedQuery) -> Iterator[Diagnosis]:
        """The filters whose removal gives the query hits."""
        for name in FACET_BY_FILTER:
            clauses = [clause for clause in query.clauses if _is_filter(clause, name)]
            rest = ParsedQuery(tuple(one for one in query.clauses if one not in clauses))
            if clauses and rest and self._has_match(rest.clauses):
                filters = query.filters(name)
                if name == "day":
                    yield self._period(NO_MATCH_CODES[name], filters, rest)
                else:
                    value = ", ".join(one.value for one in filters)
                    yield self._unmatched_filter(name, value, rest)

    def _has_match(self, clauses: Sequence[Clause]) -> bool:
        return bool(self.index.matches(ParsedQuery(tuple(clauses)), 1).total)

    def _unmatched_filter(
        self, name: str, value: str, rest: ParsedQuery | None = None
    ) -> Diagnosis:
        """The diagnosis if no page passes the filter, or none that matches the rest."""
        counts = self.index.facets(rest or ALL_PAGES_QUERY)[FACET_BY_FILTER[name]]
        values = sorted(counts, key=lambda value: (-counts[value], value))[:MAX_COMPARED_VALUES]
        if not values:
            typed = f"{OPERATOR_BY_FILTER[name]}:{value}"
            return Diagnosis(
                UNLISTED_CODES[rest is not None], filter=name, value=value, typed=typed
            )
        similar = get_close_matches(value, values, MAX_SIMILAR_SITES) if name == "site" else []
        available = tuple(sorted(similar or values[:MAX_LISTED_VALUES]))
        return Diagnosis(
            (NO_PAGE_CODES if rest is None else NO_MATCH_CODES)[name],
            filter=name,
            value=value,
            available=available,
            has_more=len(values) > len(available),
        )

    def _unmatched_period(self, days: Sequence[Filter]) -> Diagnosis:
        """The diagnosis if no page has a date in the period."""
        diagnosis = self._period(NO_PAGE_CODES["day"], days, ALL_PAGES_QUERY)
        years = diagnosis.params.get("available", ())
        if not isinstance(years, tuple) or not years:
            return diagnosis
        first, last = max(one.minimum for one in days), min(one.maximum for one in days)
        if first <= 1 and not isinf(last) and _year(last) < int(years[0]):
            return Diagnosis("no_page_before", **diagnosis.params, year=years[0])
        if isinf(last) and _year(first) > int(years[-1]):
            return Diagnosis("no_page_after", **diagnosis.params, year=years[-1])
        return diagnosis

    def _period(self, code: str, days: Sequence[Filter], among: ParsedQuery) -> Diagnosis:
        """The diagnosis of a period, with the first and last year of the pages in `among`."""
        value = format_date_range(days)
        years = sorted(self.index.facets(among)[FACET_BY_FILTER["day"]], key=int)
        if not years:
            return Diagnosis(UNDATED_CODES[code], filter="day", value=value)
        available = tuple(dict.fromkeys((years[0], years[-1])))
        return Diagnosis(code, filter="day", value=value, available=available, has_more=False)

    def _field_word(self, word: TermClause) -> Iterator[Diagnosis]:
        """The diagnosis if no title or URL has the word; other fields may."""
        if self._has_match((word,)):
            return
        anywhere = ParsedQuery((replace(word, field="anywhere"),))
        pages = self.index.matches(anywhere, 1).total
        in_title = word.field == "title"
        if pages:
            code = "not_in_title_elsewhere" if in_title else "not_in_url_elsewhere"
            yield Diagnosis(code, filter=word.field, value=word.text, count=pages)
        else:
            code = "not_in_title" if in_title else "not_in_url"
            yield Diagnosis(code, filter=word.field, value=word.text)

    def _page_filter(self, filter: Filter) -> Iterator[Diagnosis]:
        """The diagnosis if no page links to this page or is similar to it; nothing if some are."""
        name, url = filter.name, filter.value
        id = resolve_url_id(url, self.find_url_id)
        if not id:
            code = "link_target_unknown" if name == "link" else "related_page_unknown"
            yield Diagnosis(code, filter=name, value=url)
        elif name == "related" and not self.documents.get(id):
            yield Diagnosis("related_page_not_stored", filter=name, value=url)
        else:
            resolved = resolve_url_filters(
                ParsedQuery((filter,)), self.index, self.documents, self.find_url_id
            )
            if not self._has_match(resolved.clauses):
                code = "no_inlinks" if name == "link" else "no_related_page"
                yield Diagnosis(code, filter=name, value=url)


def is_empty_query(query: Query, parsed_queries: Sequence[ParsedQuery]) -> bool:
    """Whether a query has nothing to match."""
    bare = not query.filters and BARE_OPERATORS_PATTERN.fullmatch(query.text) is not None
    return bare or not any(parsed_queries)


def _is_filter(clause: Clause, name: str) -> bool:
    """Whether the clause is just this filter; `site:a.org/path` is a site filter."""
    if isinstance(clause, AnyOf):
        return all(_is_filter(one, name) for one in clause.clauses)
    first = clause.clauses[0] if isinstance(clause, AllOf) else clause
    return isinstance(first, Filter) and first.name == name


def _year(day: float) -> int:
    return int(format_day(day)[:4])


def format_date_range(days: Sequence[Filter]) -> str:
    """The intersection of these periods, as 2024-01-01 – 2024-12-31; either end may be open."""
    first, last = max(one.minimum for one in days), min(one.maximum for one in days)
    start = "…" if first <= 1 else format_day(first)
    return f"{start} – {'…' if isinf(last) else format_day(last)}"


def format_day(day: float) -> str:
    """An epoch day as 2024-05-31."""
    return date.fromordinal(max(1, EPOCH_ORDINAL + int(day))).isoformat()
