"""Query parameters: query, filters, sort order and page, parsed from a URL and written into one."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Depends, Request

from byway.core.display import sanitize
from byway.core.errors import UsageError
from byway.core.model import Query, Sort
from byway.core.model.query import Filter
from byway.core.operators import OPERATORS, parse_filter, parse_param, url_params
from byway.core.verticals import FilterParam, Vertical
from byway.web.i18n import REQUEST_LOCALE
from byway.web.middleware.auth import CURRENT_USER

MAX_QUERY_CHARS = 4096
"""Maximum length of a query; real ones are far shorter."""
MAX_RESULT_WINDOW = 1000
"""Maximum number of hits that can be paged through: every hit before a page costs time."""
DEFAULT_PAGE_SIZE = 10
MAX_PAGE_SIZE = 100
MAX_FILTERS = 16
MAX_FILTER_CHARS = 300
PAGE_SIZE_CHOICES = (10, 20, 50)
"""The page sizes offered as links; the URL accepts others."""
SORTS: tuple[Sort, ...] = ("relevance", "date")

ATTRIBUTE_PATTERN = re.compile(r"[^\W\d][\w.-]{0,39}")
"""An operator name: the text before a colon."""

QueryFault = Literal["too_long", "page", "limit", "too_deep", "invalid"]
Filters = tuple[tuple[str, str], ...]
PersonalizationMode = Literal["on", "all", "off"]
"""`all` means personalized, but including the hosts that the user has blocked."""


class QueryParamsError(UsageError):
    """A parameter that is out of range or malformed; `fault` selects the text of the page."""

    def __init__(self, fault: QueryFault, code: str, /, **params: object) -> None:
        super().__init__(code, **params)
        self.fault = fault

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_error, (self.fault, self.code, self.params)


def _rebuild_error(fault: QueryFault, code: str, params: dict[str, object]) -> QueryParamsError:
    return QueryParamsError(fault, code, **params)


def _filters_from(request: Request) -> Filters:
    """The filters in a URL, without duplicates."""
    params, given = url_params(), request.query_params
    values = {param.name: given.getlist(param.name) for param in params}
    return collect_filters(params, values)[:MAX_FILTERS]


FilterParams = Annotated[Filters, Depends(_filters_from)]


@dataclass(frozen=True, slots=True)
class QueryParams:
    """A query, its filters and the requested result page."""

    text: str
    page: int = 1
    limit: int = DEFAULT_PAGE_SIZE
    filters: Filters = ()
    sort: Sort = "relevance"
    include_duplicates: bool = False
    personalize: PersonalizationMode = "on"
    path: str = "/search"
    """The path of the result page."""
    vertical: Vertical | None = None
    """The vertical that is searched."""
    group_records: bool = False

    def __bool__(self) -> bool:
        return bool(self.text or self.filters)

    @property
    def query(self) -> Query:
        """The query for the searcher."""
        return Query(
            text=self.text,
            max_hits=self.limit,
            offset=(self.page - 1) * self.limit,
            filters=tuple(filter(None, starmap(self._filter, self.filters))),
            sort=self.sort,
            count_facets=True,
            include_duplicates=self.include_duplicates,
            vertical=self.vertical.name if self.vertical else "",
            group_records=self.group_records,
        )

    def _param(self, name: str) -> FilterParam | None:
        """The filter of the vertical or of all pages that has this parameter."""
        params = self.vertical.filters if self.vertical else url_params()
        return next((param for param in params if param.name == name), None)

    def _filter(self, name: str, value: str) -> Filter | None:
        """The filter for a value of a parameter; None if it is invalid."""
        param = self._param(name)
        if param is not None:
            return parse_param(param, value)
        attribute, _, choice = value.partition(":")
        if not ATTRIBUTE_PATTERN.fullmatch(attribute):
            return None
        return parse_filter(attribute.lower(), choice, (attribute.lower(),))

    def url(self, page: int = 1, text: str | None = None, path: str = "") -> str:
        """The URL of another page, or of another query with the same filters."""
        pairs: list[tuple[str, str | int]] = [("q", self.text if text is None else text)]
        pairs += [("page", page)] if page != 1 else []
        return local_url(path or self.path, [*pairs, *self.persistent_params])

    @property
    def persistent_params(self) -> list[tuple[str, str | int]]:
        """The URL parameters that stay when the query changes."""
        kept: list[tuple[str, str | int]] = list(self.filters)
        kept += [("limit", self.limit)] if self.limit != DEFAULT_PAGE_SIZE else []
        kept += [("sort", self.sort)] if self.sort != "relevance" else []
        kept += [("include_duplicates", 1)] if self.include_duplicates else []
        kept += [("personalize", "0" if self.personalize == "off" else "all")] * (
            self.personalize != "on"
        )
        return kept

    def with_filter(self, name: str, value: str) -> "QueryParams":
        """The parameters with one more filter, on page 1; single-valued filters are replaced."""
        param = self._param(name)
        is_repeatable = param is None or param.kind == "any"
        others = [(other, given) for other, given in self.filters if is_repeatable or other != name]
        return replace(self, page=1, filters=tuple(dict.fromkeys((*others, (name, value)))))

    def without_filters(self, *removed: tuple[str, str]) -> "QueryParams":
        """The parameters without these filters."""
        return replace(
            self, page=1, filters=tuple(pair for pair in self.filters if pair not in removed)
        )

    def last_page(self, total: int) -> int:
        """The last result page that can be requested, at least 1."""
        return max(1, min(math.ceil(total / self.limit), MAX_RESULT_WINDOW // self.limit))


def parse_query_params(
    text: str,
    page: str = "",
    limit: str = "",
    filters: Filters = (),
    sort: str = "",
    include_duplicates: str = "",
    personalize: str = "",
    sorts: Sequence[Sort] = SORTS,
) -> QueryParams:
    """Parse the parameters of a URL; an invalid one raises an error."""
    if len(text) > MAX_QUERY_CHARS:
        raise QueryParamsError("too_long", "web.query_too_long", max_chars=MAX_QUERY_CHARS)
    text = sanitize(text)
    number, hits = _number(page, 1), _number(limit, DEFAULT_PAGE_SIZE)
    if not hits or hits > MAX_PAGE_SIZE:
        raise QueryParamsError("limit", "web.bad_limit", maximum=MAX_PAGE_SIZE)
    if not number:
        raise QueryParamsError("page", "web.bad_page")
    if number * hits > MAX_RESULT_WINDOW:
        raise QueryParamsError("too_deep", "web.too_deep", maximum=MAX_RESULT_WINDOW)
    dates = {param.name for one in OPERATORS.values() if one.takes_date for param in one.params}
    for name, value in filters:
        if name in dates and not re.match(r"\d{4}", value):
            raise QueryParamsError("invalid", "web.bad_date", name=name)
    return QueryParams(
        text=text,
        page=number,
        limit=hits,
        filters=filters,
        sort=_sort(sort, sorts),
        include_duplicates=parse_flag(include_duplicates),
        personalize=parse_personalization(personalize),
    )


def _sort(typed: str, sorts: Sequence[Sort]) -> Sort:
    sort = typed.strip() or "relevance"
    if sort not in sorts:
        raise QueryParamsError("invalid", "web.bad_sort", sorts=tuple(sorts))
    return sort


def parse_personalization(typed: str) -> PersonalizationMode:
    """Parse the personalization mode from its URL parameter; empty means `on`."""
    if typed.strip().lower() == "all":
        return "all"
    return "on" if not typed.strip() or parse_flag(typed) else "off"


def parse_flag(flag: str) -> bool:
    """Parse a flag: True for `1`, `true`, `yes` and `on`."""
    return flag.strip().lower() in ("1", "true", "yes", "on")


def local_url(path: str, pairs: Iterable[tuple[str, str | int]]) -> str:
    """A link to a page of this server that keeps the language of the URL and `private=1`."""
    language = REQUEST_LOCALE.get().url_language
    query = urlencode([*pairs, *([("ui", language)] if language else []), *private_params()])
    return f"{path}?{query}" if query else path


def private_params() -> list[tuple[str, str | int]]:
    """`private=1` for links and forms of a private request."""
    return [("private", 1)] if CURRENT_USER.get().private else []


def collect_filters(params: Iterable[FilterParam], values: Mapping[str, Sequence[str]]) -> Filters:
    """The values of parameters and attributes, sanitized and without duplicates.

    Of a parameter that cannot be repeated, the last value is used.
    """
    single = {param.name for param in params if param.kind != "any"}
    names = sorted(values, key=lambda name: name in single)
    pairs = ((name, one) for name in names for one in values[name][-1 if name in single else 0 :])
    found = ((name, sanitize(value)[:MAX_FILTER_CHARS].strip()) for name, value in pairs)
    return tuple(dict.fromkeys((name, value) for name, value in found if value))


def _number(typed: str, default: int) -> int:
    """Parse a typed number; 0 if it is not a number or is longer than nine digits."""
    typed = typed.strip()
    if not typed:
        return default
    return int(typed) if typed.isdecimal() and len(typed) <= 9 else 0
