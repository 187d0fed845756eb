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
from byway.web.current_user import WHO
from byway.web.i18n import READER
from byway.web.views.hit import clean

LONGEST = 2048
"""Characters of a question; people stay far below, and what is above is an attack or a slip."""
DEEPEST = 1000
"""Hits that can be paged through. Nobody reads further, and every one of them has a cost."""
HITS = 10
MOST_HITS = 100
MOST_FILTERS = 16
LONGEST_FILTER = 300
LIMITS = (10, 20, 50)
"""How many hits on a page are offered; others can be typed."""
SORTS: tuple[Sort, ...] = ("relevance", "date", "price", "-price", "rating")
FOR_GOODS = {"price", "-price", "rating"}
"""Orders that only goods have."""
FILTERS = {"site": "site", "lang": "lang", "type": "filetype", "after": "after", "before": "before"}
"""The filters that have a parameter of their own, and how each is typed in a question."""
OF_GOODS = ("kind", "brand", "colour", "size", "gender")
"""Attributes of goods that have a parameter of their own; all others are `has=heel:wedge`."""
SEVERAL = {"site", "lang", "type", "shop", "has", *OF_GOODS}
"""Of these several may be asked for; one of them must hold."""

ATTRIBUTE = re.compile(r"[^\W\d][\w.-]{0,39}")
"""What can be typed before a colon."""

Several = Annotated[list[str], QueryParameter(default_factory=list)]

Fault = Literal["too_long", "page", "limit", "too_deep", "refused"]
Filters = tuple[tuple[str, str], ...]
Personal = Literal["on", "all", "off"]
"""Whether what is known of who asks counts; `all`: it does, but what they blocked is shown."""


class BadQuestion(UsageError):
    """A URL that asks for something we do not have; `fault` says what is wrong with it."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault = fault


def _chosen(
    site: Several,
    lang: Several,
    type: Several,
    year: str = "",
    after: str = "",
    before: str = "",
) -> Filters:
    """The filters of a URL, each once. `site`, `lang` and `type` may be repeated."""
    several = {"site": site, "lang": lang, "type": type}
    single = [("year", year), ("after", after), ("before", before)]
    return filters_of(several, single)[:MOST_FILTERS]


Chosen = Annotated[Filters, Depends(_chosen)]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, what narrows it down, and the page of its answer that is wanted."""

    text: str
    page: int = 1
    limit: int = HITS
    filters: Filters = ()
    sort: Sort = "relevance"
    duplicates: bool = False
    personal: Personal = "on"
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
            facets=True,
            duplicates=self.duplicates,
        )

    def url(self, page: int = 1, text: str | None = None, path: str = "") -> str:
        """Where another page, or the answer to another question, is."""
        pairs: list[tuple[str, str | int]] = [("q", self.text if text is None else text)]
        pairs += [("page", page)] if page != 1 else []
        return link(path or self.path, [*pairs, *self.kept])

    @property
    def kept(self) -> list[tuple[str, str | int]]:
        """What stays when the question changes: parameters of the URL."""
        kept: list[tuple[str, str | int]] = list(self.filters)
        kept += [("limit", self.limit)] if self.limit != HITS else []
        kept += [("sort", self.sort)] if self.sort != "relevance" else []
        kept += [("duplicates", 1)] if self.duplicates else []
        kept += [("personal", "0" if self.personal == "off" else "all")] * (self.personal != "on")
        return kept

    def with_filter(self, name: str, value: str) -> "Asked":
        """The same with one more filter, from its first page; of years there is only one."""
        others = [one for one in self.filters if name in SEVERAL or one[0] != name]
        return replace(self, page=1, filters=tuple(dict.fromkeys((*others, (name, value)))))

    def without(self, *gone: tuple[str, str]) -> "Asked":
        """The same without these filters."""
        return replace(self, page=1, filters=tuple(one for one in self.filters if one not in gone))

    def last_page(self, total: int) -> int:
        """The last page that can be asked for, at least 1."""
        return max(1, min(math.ceil(total / self.limit), DEEPEST // self.limit))


def read(
    text: str,
    page: str = "",
    limit: str = "",
    filters: Filters = (),
    sort: str = "",
    duplicates: str = "",
    personal: str = "",
) -> Asked:
    """What a URL asks for, or the reason why it cannot be had."""
    if len(text) > LONGEST:
        raise BadQuestion("too_long", f"q is longer than {LONGEST} characters; use fewer words")
    text = clean(text)
    number, hits = _number(page, 1), _number(limit, HITS)
    if not hits or hits > MOST_HITS:
        raise BadQuestion("limit", f"limit must be a whole number from 1 to {MOST_HITS}")
    if not number:
        raise BadQuestion("page", "page must be a whole number from 1 up")
    if number * hits > DEEPEST:
        raise BadQuestion(
            "too_deep", f"page * limit must be at most {DEEPEST}; ask a more exact question"
        )
    for name, value in filters:
        if name in ("year", "after", "before") and not re.match(r"\d{4}", value):
            raise BadQuestion("refused", f"{name} must be a day, as 2024, 2024-05 or 2024-05-31")
    mine = whose(personal)
    return Asked(text, number, hits, filters, _sort(sort), is_on(duplicates), mine)


def _sort(typed: str) -> Sort:
    for sort in SORTS:
        if sort == (typed.strip() or "relevance"):
            return sort
    raise BadQuestion("refused", f"sort must be one of {', '.join(SORTS)}")


def whose(typed: str) -> Personal:
    """Whether the results should be one's own."""
    if typed.strip().lower() == "all":
        return "all"
    return "on" if not typed.strip() or is_on(typed) else "off"


def is_on(flag: str) -> bool:
    """Is that a yes?"""
    return flag.strip().lower() in ("1", "true", "yes", "on")


def link(path: str, pairs: Iterable[tuple[str, str | int]]) -> str:
    """A link to a page of ours, in the language that was asked for, and as private."""
    chosen = READER.get().chosen
    query = urlencode([*pairs, *([("ui", chosen)] if chosen else []), *private()])
    return f"{path}?{query}" if query else path


def private() -> list[tuple[str, str | int]]:
    """What keeps it private: of who asks not to be remembered, no link and no form is."""
    return [("private", 1)] if WHO.get().private else []


def filters_of(several: Mapping[str, Iterable[str]], single: Iterable[tuple[str, str]]) -> Filters:
    """Filters by their names, each once and made fit; `several` may be asked for at once."""
    pairs = [(name, value) for name, values in several.items() for value in values]
    found = [(name, fit(value)) for name, value in [*pairs, *single]]
    return tuple(dict.fromkeys((name, value) for name, value in found if value))


def fit(value: str) -> str:
    """A filter's value without what would end it where it is typed."""
    return clean(value.replace('"', " "))[:LONGEST_FILTER].strip()


def _typed(name: str, value: str) -> list[str]:
    """A filter as it is typed in a question."""
    if name == "shop":
        return [f'site:"{value}"']
    if name in OF_GOODS or name == "currency":
        return [f'{name}:"{value}"']
    if name == "has":
        attribute, _, asked = value.partition(":")
        return [f'{attribute}:"{asked}"'] if ATTRIBUTE.fullmatch(attribute) and asked else []
    if name in ("price_from", "price_to"):
        return [f'price:"{value}.."' if name == "price_from" else f'price:"..{value}"']
    if name == "year":
        year = int(value[:4])
        return [f'after:"{year}"', f'before:"{year + 1}"']
    return [f'{FILTERS[name]}:"{value}"']


def _number(typed: str, default: int) -> int:
    """The number typed; 0 when it is none. Nine digits are more than any number we take."""
    typed = typed.strip()
    if not typed:
        return default
    return int(typed) if typed.isdecimal() and len(typed) <= 9 else 0
