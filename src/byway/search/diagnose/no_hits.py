"""Diagnosis of queries without hits: filters that no page passes, and available values."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from math import isinf

from byway.core.messages import Diagnosis
from byway.core.model import EPOCH_ORDINAL, Query
from byway.core.model.query import AllOf, AnyOf, Clause, Filter, Not, ParsedQuery, TermClause
from byway.core.operators import Operator, facet_operators, filter_operators
from byway.core.ports import DocumentStore, SearchIndex
from byway.search.query.related_pages import find_page, resolve_related

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


@dataclass(frozen=True, slots=True)
class NoHitsDiagnoser:
    """Finds the filters that leave a query without hits.

    Every diagnosis has the parameters `filter` and `value`. If there are other values, `available`
    lists some, and `has_more` is true if there are more.
    """

    index: SearchIndex
    documents: DocumentStore

    def unmatched_parts(self, typed_query: ParsedQuery, query: ParsedQuery) -> Iterator[Diagnosis]:
        """The filters and field words that no page matches.

        `typed_query` has the URLs of `related:` as typed, `query` has them resolved.
        """
        for operator in filter_operators():
            filters = dict.fromkeys(typed_query.filters(operator.filter)[:MAX_LISTED_VALUES])
            if operator.page_diagnosis:
                for one in filters:
                    yield from self._page_filter(operator, one)
            elif operator.takes_date:
                if filters and not self._has_match([*filters]):
                    yield self._unmatched_period(operator, [*filters])
            else:
                for one in filters:
                    if not self._has_match((one,)):
                        yield self._unmatched_filter(operator, one.value)
        for clause in query.clauses:
            if isinstance(clause, TermClause) and clause.field != "anywhere":
                yield from self._field_word(clause)

    def blocking_filters(self, query: ParsedQuery) -> Iterator[Diagnosis]:
        """The filters whose removal gives the query hits."""
        for operator in facet_operators().values():
            name = operator.filter
            clauses = [clause for clause in query.clauses if _is_filter(clause, name)]
            rest = ParsedQuery(tuple(one for one in query.clauses if one not in clauses))
            if clauses and rest and self._has_match(rest.clauses):
                filters = query.filters(name)
                if operator.takes_date:
                    yield self._period(operator, filters, rest)
                else:
                    value = ", ".join(one.value for one in filters)
                    yield self._unmatched_filter(operator, value, rest)

    def _has_match(self, clauses: Sequence[Clause]) -> bool:
        return bool(self.index.matches(ParsedQuery(tuple(clauses)), 1).total)

    def _unmatched_filter(
        self, operator: Operator, value: str, rest: ParsedQuery | None = None
    ) -> Diagnosis:
        """The diagnosis if no page passes the filter, or no page that matches the other clauses."""
        name = operator.filter
        values = self._available_values(operator, rest or ALL_PAGES_QUERY)
        if not values:
            typed = f"{operator.name}:{value}"
            code = "no_page_for_filter" if rest is None else "no_match_for_filter"
            return Diagnosis(code, filter=name, value=value, typed=typed)
        similar = get_close_matches(value, values, MAX_SIMILAR_SITES) if operator.takes_url else []
        available = tuple(sorted(similar or values[:MAX_LISTED_VALUES]))
        return Diagnosis(
            f"{'no_page' if rest is None else 'no_match'}_{operator.diagnosis}",
            filter=name,
            value=value,
            available=available,
            has_more=len(values) > len(available),
        )

    def _available_values(self, operator: Operator, query: ParsedQuery) -> list[str]:
        """The values that pages matching the query have, most frequent first."""
        counts = self.index.facets(query)[operator.facet.name] if operator.facet else {}
        return sorted(counts, key=lambda value: (-counts[value], value))[:MAX_COMPARED_VALUES]

    def _unmatched_period(self, operator: Operator, days: Sequence[Filter]) -> Diagnosis:
        """The diagnosis if no page has a date in the period."""
        diagnosis = self._period(operator, days)
        years = diagnosis.params.get("available", ())
        if not isinstance(years, tuple) or not years:
            return diagnosis
        first, last = max(one.minimum for one in days), min(one.maximum for one in days)
        if first <= 1 and not isinf(last) and _year(last) < int(years[0]):
            return Diagnosis("no_page_before", **diagnosis.params, year=years[0])
        if isinf(last) and _year(first) > int(years[-1]):
            return Diagnosis("no_page_after", **diagnosis.params, year=years[-1])
        return diagnosis

    def _period(
        self, operator: Operator, days: Sequence[Filter], rest: ParsedQuery | None = None
    ) -> Diagnosis:
        """The diagnosis of a period, with the first and last year of pages that match `rest`."""
        name, value = operator.filter, format_date_range(days)
        years = sorted(self._available_values(operator, rest or ALL_PAGES_QUERY), key=int)
        if not years:
            return Diagnosis(
                "no_dated_match" if rest else "no_dated_page", filter=name, value=value
            )
        code = f"{'no_match' if rest else 'no_page'}_{operator.diagnosis}"
        available = tuple(dict.fromkeys((years[0], years[-1])))
        return Diagnosis(code, filter=name, value=value, available=available, has_more=False)

    def _field_word(self, word: TermClause) -> Iterator[Diagnosis]:
        """The diagnosis if the field has the word on no page; other fields may."""
        if self._has_match((word,)):
            return
        anywhere = ParsedQuery((replace(word, field="anywhere"),))
        pages = self.index.matches(anywhere, 1).total
        code = f"not_in_{word.field}"
        if pages:
            yield Diagnosis(f"{code}_elsewhere", filter=word.field, value=word.text, count=pages)
        else:
            yield Diagnosis(code, filter=word.field, value=word.text)

    def _page_filter(self, operator: Operator, filter: Filter) -> Iterator[Diagnosis]:
        """The diagnosis if no page links to this page or is similar to it; none otherwise."""
        codes, url = operator.page_diagnosis, filter.value
        resolved = resolve_related(ParsedQuery((filter,)), self.index, self.documents)
        if codes is None or self._has_match(resolved.clauses):
            return
        if find_page(url, self.index, self.documents):
            code = codes.no_match
        elif codes.not_stored and self._has_match((Filter("link", url),)):
            code = codes.not_stored
        else:
            code = codes.unknown
        yield Diagnosis(code, filter=filter.name, value=url)


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
