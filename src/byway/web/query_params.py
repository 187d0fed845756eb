"""What was asked? The question, its filters, order and page, out of a URL and back into one."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import Depends
from fastapi import Query as QueryParameter

from byway.core.errors import UsageError
from byway.core.model import Query, Sort
from byway.web.current_user import CURRENT_USER
from byway.web.i18n import REQUEST_LOCALE
from byway.web.views.hit import sanitize

MAX_QUERY_CHARS = 2048
"""Characters of a question; people stay far below, and what is above is an attack or a slip."""
MAX_RESULT_WINDOW = 1000
"""Hits that can be paged through. Nobody reads further, and every one of them has a cost."""
DEFAULT_PAGE_SIZE = 10
MAX_PAGE_SIZE = 100
MAX_FILTERS = 16
MAX_FILTER_CHARS = 300
PAGE_SIZE_CHOICES = (10, 20, 50)
"""How many hits on a page are offered; others can be typed."""
SORTS: tuple[Sort, ...] = ("relevance", "date", "price", "-price", "rating")
PRODUCT_ONLY_SORTS = {"price", "-price", "rating"}
"""Orders that only goods have."""
FILTER_OPERATORS = {
    "site": "site",
    "lang": "lang",
    "type": "filetype",
    "after": "after",
    "before": "before",
}
"""The filters that have a parameter of their own, and how each is typed in a question."""
PRODUCT_ATTRIBUTES = ("kind", "brand", "colour", "size", "gender")
"""Attributes of goods that have a parameter of their own; all others are `has=heel:wedge`."""
REPEATABLE_FILTERS = {"site", "lang", "type", "shop", "has", *PRODUCT_ATTRIBUTES}
"""Of these several may be asked for; one of them must hold."""

ATTRIBUTE_PATTERN = re.compile(r"[^\W\d][\w.-]{0,39}")
"""What can be typed before a colon."""

RepeatedParam = Annotated[list[str], QueryParameter(default_factory=list)]

QueryFault = Literal["too_long", "page", "limit", "too_deep", "refused"]
Filters = tuple[tuple[str, str], ...]
PersonalizationMode = Literal["on", "all", "off"]
"""Whether what is known of who asks counts; `all`: it does, but what they blocked is shown."""


class QueryParamsError(UsageError):
    """A URL that asks for something we do not have; `fault` says what is wrong with it."""

    def __init__(self, fault: QueryFault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


def _filters_from(
    site: RepeatedParam,
    lang: RepeatedParam,
    type: RepeatedParam,
    year: str = "",
    after: str = "",
    before: str = "",
) -> Filters:
    """The filters of a URL, each once. `site`, `lang` and `type` may be repeated."""
    several = {"site": site, "lang": lang, "type": type}
    single = [("year", year), ("after", after), ("before", before)]
    return collect_filters(several, single)[:MAX_FILTERS]


FilterParams = Annotated[Filters, Depends(_filters_from)]


@dataclass(frozen=True, slots=True)
class QueryParams:
    """A question, what narrows it down, and the page of its answer that is wanted."""

    text: str
    page: int = 1
    limit: int = DEFAULT_PAGE_SIZE
    filters: Filters = ()
    sort: Sort = "relevance"
    include_duplicates: bool = False
    personal: PersonalizationMode = "on"
    path: str = "/search"
    """The page that is asked."""

    def __bool__(self) -> bool:
        return bool(self.text or self.filters)

    @property
    def query(self) -> Query:
        """What the search is given."""
        return Query(
            self.text,
            self.limit,
            (self.page - 1) * self.limit,
            tuple(typed for name, value in self.filters for typed in _typed(name, value)),
            self.sort,
            count_facets=True,
            include_duplicates=self.include_duplicates,
        )

    def url(self, page: int = 1, text: str | None = None, path: str = "") -> str:
        """Where another page, or the answer to another question, is."""
        pairs: list[tuple[str, str | int]] = [("q", self.text if text is None else text)]
        pairs += [("page", page)] if page != 1 else []
        return local_url(path or self.path, [*pairs, *self.persistent_params])

    @property
    def persistent_params(self) -> list[tuple[str, str | int]]:
        """What stays when the question changes: parameters of the URL."""
        kept: list[tuple[str, str | int]] = list(self.filters)
        kept += [("limit", self.limit)] if self.limit != DEFAULT_PAGE_SIZE else []
        kept += [("sort", self.sort)] if self.sort != "relevance" else []
        kept += [("duplicates", 1)] if self.include_duplicates else []
        kept += [("personal", "0" if self.personal == "off" else "all")] * (self.personal != "on")
        return kept

    def with_filter(self, name: str, value: str) -> "QueryParams":
        """The same with one more filter, from its first page; of years there is only one."""
        others = [one for one in self.filters if name in REPEATABLE_FILTERS or one[0] != name]
        return replace(self, page=1, filters=tuple(dict.fromkeys((*others, (name, value)))))

    def without_filters(self, *removed: tuple[str, str]) -> "QueryParams":
        """The same without these filters."""
        return replace(
            self, page=1, filters=tuple(one for one in self.filters if one not in removed)
        )

    def last_page(self, total: int) -> int:
        """The last page that can be asked for, at least 1."""
        return max(1, min(math.ceil(total / self.limit), MAX_RESULT_WINDOW // self.limit))


def parse_query_params(
    text: str,
    page: str = "",
    limit: str = "",
    filters: Filters = (),
    sort: str = "",
    duplicates: str = "",
    personal: str = "",
) -> QueryParams:
    """What a URL asks for, or the reason why it cannot be had."""
    if len(text) > MAX_QUERY_CHARS:
        raise QueryParamsError(
            "too_long", f"q is longer than {MAX_QUERY_CHARS} characters; use fewer words"
        )
    text = sanitize(text)
    number, hits = _number(page, 1), _number(limit, DEFAULT_PAGE_SIZE)
    if not hits or hits > MAX_PAGE_SIZE:
        raise QueryParamsError("limit", f"limit must be a whole number from 1 to {MAX_PAGE_SIZE}")
    if not number:
        raise QueryParamsError("page", "page must be a whole number from 1 up")
    if number * hits > MAX_RESULT_WINDOW:
        raise QueryParamsError(
            "too_deep",
            f"page * limit must be at most {MAX_RESULT_WINDOW}; ask a more exact question",
        )
    for name, value in filters:
        if name in ("year", "after", "before") and not re.match(r"\d{4}", value):
            raise QueryParamsError(
                "refused", f"{name} must be a day, as 2024, 2024-05 or 2024-05-31"
            )
    mine = parse_personalization(personal)
    return QueryParams(text, number, hits, filters, _sort(sort), parse_flag(duplicates), mine)


def _sort(typed: str) -> Sort:
    for sort in SORTS:
        if sort == (typed.strip() or "relevance"):
            return sort
    raise QueryParamsError("refused", f"sort must be one of {', '.join(SORTS)}")


def parse_personalization(typed: str) -> PersonalizationMode:
    """Whether the results should be one's own."""
    if typed.strip().lower() == "all":
        return "all"
    return "on" if not typed.strip() or parse_flag(typed) else "off"


def parse_flag(flag: str) -> bool:
    """Is that a yes?"""
    return flag.strip().lower() in ("1", "true", "yes", "on")


def local_url(path: str, pairs: Iterable[tuple[str, str | int]]) -> str:
    """A link to a page of ours, in the language that was asked for, and as private."""
    chosen = REQUEST_LOCALE.get().url_language
    query = urlencode([*pairs, *([("ui", chosen)] if chosen else []), *private_params()])
    return f"{path}?{query}" if query else path


def private_params() -> list[tuple[str, str | int]]:
    """What keeps it private: of who asks not to be remembered, no link and no form is."""
    return [("private", 1)] if CURRENT_USER.get().private else []


def collect_filters(
    repeated: Mapping[str, Iterable[str]], single: Iterable[tuple[str, str]]
) -> Filters:
    """Filters by their names, each once and made fit; `repeated` may be asked for at once."""
    pairs = [(name, value) for name, values in repeated.items() for value in values]
    found = [(name, clean_filter_value(value)) for name, value in [*pairs, *single]]
    return tuple(dict.fromkeys((name, value) for name, value in found if value))


def clean_filter_value(value: str) -> str:
    """A filter's value without what would end it where it is typed."""
    return sanitize(value.replace('"', " "))[:MAX_FILTER_CHARS].strip()


def _typed(name: str, value: str) -> list[str]:
    """A filter as it is typed in a question."""
    if name == "shop":
        return [f'site:"{value}"']
    if name in PRODUCT_ATTRIBUTES or name == "currency":
        return [f'{name}:"{value}"']
    if name == "has":
        attribute, _, asked = value.partition(":")
        return (
            [f'{attribute}:"{asked}"'] if ATTRIBUTE_PATTERN.fullmatch(attribute) and asked else []
        )
    if name in ("price_from", "price_to"):
        return [f'price:"{value}.."' if name == "price_from" else f'price:"..{value}"']
    if name == "year":
        year = int(value[:4])
        return [f'after:"{year}"', f'before:"{year + 1}"']
    return [f'{FILTER_OPERATORS[name]}:"{value}"']


def _number(typed: str, default: int) -> int:
    """The number typed; 0 when it is none. Nine digits are more than any number we take."""
    typed = typed.strip()
    if not typed:
        return default
    return int(typed) if typed.isdecimal() and len(typed) <= 9 else 0
