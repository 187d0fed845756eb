"""Query operators (`site:`, `lang:`, `intitle:` ...): one entry for each.

The parser, the index, the diagnoses, the URL parameters and the pages read this table. Texts have
keys that follow from the entry: see "Where to add things" in ARCHITECTURE.md.

Any other name is a document attribute if some document has it (`brand:nike`); otherwise `note:this`
is two words.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from byway.core.errors import UrlError
from byway.core.languages import all_languages
from byway.core.media_types import document_type_of
from byway.core.model import EPOCH_ORDINAL, Document, Url, parse_epoch_day
from byway.core.model.query import Filter
from byway.core.text import fold_text, storable_text, tokenize
from byway.core.url import host_of, normalize, parse_typed_url, site_of, url_hash
from byway.core.verticals import FilterParam

if TYPE_CHECKING:  # the ports import numpy, which a command line does not need
    from byway.core.ports import PageLinks

NUMBER_PATTERN = r"(\d{1,15}(?:\.\d{1,6})?)"
RANGE_PATTERN = re.compile(rf"{NUMBER_PATTERN}?\.\.{NUMBER_PATTERN}?|{NUMBER_PATTERN}(?=$)")
YEAR_PATTERN = r"^[1-9][0-9]{3}$"
DATE_PATTERN = r"^[1-9][0-9]{3}(-(0[1-9]|1[0-2])(-[0-2][0-9]|-3[01])?)?$"
MAX_LINK_TARGETS = 2000
"""Maximum number of links of a page that `link:` finds."""

FilterParser = Callable[[str], Filter | None]
Values = Sequence[str] | Sequence[int]


class Column(NamedTuple):
    """A column of the index: the values of a page that filters match and facets count."""

    name: str
    values: "Callable[[Document, PageLinks], Values]"
    keys: Callable[[str], Values] = lambda value: (value,)
    """The values of the column that a value of the filter matches."""
    is_numeric: bool = False
    is_fast: bool = False
    """Whether candidates are sorted or compared by it."""


class PageDiagnosis(NamedTuple):
    """The codes for an operator that names a page and finds nothing."""

    unknown: str
    no_match: str
    not_stored: str = ""
    """The code if the page is only known from links, which may be enough."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A query operator: a name typed before a colon."""

    name: str
    example: str
    filter: str = ""
    """The name of its filter; empty if it searches a field."""
    parse: FilterParser = lambda value: None
    """Parses a value into a filter; None if the value is invalid."""
    column: Column | None = None
    """The column that its filter matches."""
    facet: Column | None = None
    """The column with the values to list, one for each page."""
    params: tuple[FilterParam, ...] = ()
    """Its URL parameters; the last one selects a value of the facet."""
    diagnosis: str = ""
    """The end of its codes: `no_page_in_language`, `no_match_in_language`."""
    page_diagnosis: PageDiagnosis | None = None
    field: str = "anywhere"
    """The field to search for the words after it."""
    field_parts: tuple[str, ...] = ()
    """The fields of a document (`core/fields.py`) that belong to its field."""
    single_valued: bool = False
    """Whether a page has only one value, so that several filters of this name are alternatives."""
    takes_date: bool = False
    takes_url: bool = False
    """Whether the value is a host name or URL."""
    path_field: str = ""
    """The field to search for the words of a path after a host; empty if it takes no path."""

    @property
    def description_key(self) -> str:
        """The key of its description in the message files."""
        return f"search.operators.{self.name}"


def parse_filter(name: str, value: str, attributes: Collection[str] = ()) -> Filter | None:
    """The filter for `name:value`; None if it is not a filter."""
    operator, value = OPERATORS.get(name), storable_text(value)
    if operator is not None and operator.filter:
        return operator.parse(value)
    return _attribute(name, value) if name in attributes and operator is None else None


def parse_param(param: FilterParam, value: str) -> Filter | None:
    """The filter for a value of a URL parameter; None if the value is invalid."""
    if param.parse is not None:
        return param.parse(value)
    if param.kind == "minimum":
        return Filter(param.operator, minimum=float(value))
    if param.kind == "maximum":
        return Filter(param.operator, maximum=float(value))
    return parse_filter(param.operator, value, (param.operator,))


def operator_of(filter: str) -> Operator | None:
    """The first operator with this filter; None for an attribute."""
    return next((one for one in OPERATORS.values() if filter and one.filter == filter), None)


def filter_column(filter: str) -> Column | None:
    """The column that a filter matches; None for an attribute."""
    if filter in PAGE_COLUMNS:
        return PAGE_COLUMNS[filter]
    operator = operator_of(filter)
    return operator.column if operator else None


def columns() -> list[Column]:
    """All columns of the index."""
    of_operators = [each for one in OPERATORS.values() for each in (one.column, one.facet)]
    return [*dict.fromkeys((*PAGE_COLUMNS.values(), *filter(None, of_operators)))]


def facet_operators() -> dict[str, Operator]:
    """The operators with a facet, by its name."""
    return {one.facet.name: one for one in OPERATORS.values() if one.facet}


def filter_operators() -> list[Operator]:
    """The first operator of each filter."""
    return [one for one in OPERATORS.values() if operator_of(one.filter) is one]


def field_operators() -> list[Operator]:
    """The operators that only search a field."""
    return [one for one in OPERATORS.values() if one.field_parts]


def url_params() -> list[FilterParam]:
    """The URL parameters of all operators."""
    return [param for one in OPERATORS.values() for param in one.params]


def is_invalid_date(name: str, value: str) -> bool:
    """Whether the operator needs a date and the value is not one."""
    operator = OPERATORS.get(name)
    return operator is not None and operator.takes_date and parse_epoch_day(value) is None


def url_variants(url: str) -> list[Url]:
    """The URL with http and https, with and without www and a trailing slash."""
    scheme, _, rest = url.partition("://")
    schemes = (scheme, "http" if scheme == "https" else "https")
    rests = (rest, rest.removeprefix("www.") if rest.startswith("www.") else f"www.{rest}")
    bases = [f"{scheme}://{rest}" for rest in rests for scheme in schemes]
    spellings = (
        each for base in bases for each in (base, base.rstrip("/"), f"{base.rstrip('/')}/")
    )
    return [*dict.fromkeys(_normalized(dict.fromkeys(spellings)))]


def _normalized(spellings: Collection[str]) -> Iterator[Url]:
    for spelling in spellings:
        try:
            yield normalize(spelling)
        except UrlError:
            continue


def _url_keys(url: str) -> list[int]:
    return [*map(url_hash, url_variants(url))]


def _site(value: str) -> Filter | None:
    """`https://Example.org`, `*.example.org` and `example.org` are the same; a path is kept."""
    value = value.partition("://")[2] or value
    typed_host, _, path = value.partition("/")
    path = path.partition("#")[0]
    try:
        host = host_of(normalize(f"http://{value.lstrip('*.')}"))
    except UrlError:
        host = typed_host.lower()
    return Filter("site", f"{host}/{path}" if path else host) if host else None


@lru_cache(maxsize=10_000)
def _site_values(host: str) -> tuple[str, ...]:
    from byway.core.fields import site_filter_values

    return tuple(site_filter_values(host))


def _language(value: str) -> Filter:
    """The language filter for `de`, `de-DE`, `German` or `Deutsch`."""
    code = value.lower().replace("_", "-").partition("-")[0]
    return Filter("language", _language_codes().get(fold_text(code.strip()), code))


@cache
def _language_codes() -> dict[str, str]:
    """Language codes by folded name, in English and in the language itself."""
    return {
        fold_text(name): language.code
        for language in all_languages().values()
        for name in language.names
    }


def _page(name: str) -> FilterParser:
    def parse(value: str) -> Filter | None:
        try:
            return Filter(name, parse_typed_url(value))
        except UrlError:
            return None

    return parse


def _before(value: str) -> Filter | None:
    day = parse_epoch_day(value)
    # Pages without a date have day 0 and must not count as old.
    return None if day is None else Filter("day", minimum=1, maximum=day - 1)


def _after(value: str) -> Filter | None:
    day = parse_epoch_day(value)
    return None if day is None else Filter("day", minimum=max(1, day))


def _year(value: str) -> Filter | None:
    first, next_first = (parse_epoch_day(str(int(value[:4]) + n)) for n in (0, 1))
    last = inf if next_first is None else next_first - 1
    return None if first is None else Filter("day", minimum=max(1, first), maximum=last)


def _years(document: Document, _: "PageLinks") -> Sequence[str]:
    day = document.epoch_day
    return (str(date.fromordinal(EPOCH_ORDINAL + day).year),) if day else ()


def _attribute(name: str, value: str) -> Filter | None:
    """A filter for a word of the attribute, or for a numeric range: 10..50, 10.. or ..50."""
    match = RANGE_PATTERN.fullmatch(value)
    if match and any(match.groups()):
        low, high, number = match.groups()
        if number:
            return Filter(name, value, float(number), float(number))
        return Filter(name, "", float(low or -inf), float(high or inf))
    words = " ".join(tokenize(value))
    return Filter(name, words) if words else None


PAGE_COLUMNS = {
    "id": Column(
        "id", lambda document, _: (document.id,), lambda value: (int(value),), is_numeric=True
    ),
    "url": Column(
        "url_hash",
        lambda document, _: (url_hash(document.url),),
        _url_keys,
        is_numeric=True,
        is_fast=True,
    ),
}
"""Filters that name one page and cannot be typed."""
LANGUAGE_COLUMN = Column(
    "language", lambda document, _: (document.language,)[: bool(document.language)]
)
TYPE_COLUMN = Column("type", lambda document, _: (document.document_type,))
DAY_COLUMN = Column(
    "epoch_day", lambda document, _: (document.epoch_day,), is_numeric=True, is_fast=True
)

OPERATORS: dict[str, Operator] = {
    operator.name: operator
    for operator in (
        Operator(
            name="site",
            example="site:example.org",
            filter="site",
            parse=_site,
            column=Column("host", lambda document, _: _site_values(host_of(document.url))),
            facet=Column("site", lambda document, _: (site_of(document.url),)),
            params=(FilterParam("site"),),
            diagnosis="on_site",
            single_valued=True,
            takes_url=True,
            path_field="url",
        ),
        Operator(
            name="lang",
            example="lang:de",
            filter="language",
            parse=_language,
            column=LANGUAGE_COLUMN,
            facet=LANGUAGE_COLUMN,
            params=(FilterParam("lang"),),
            diagnosis="in_language",
            single_valued=True,
        ),
        Operator(
            name="filetype",
            example="filetype:pdf",
            filter="type",
            parse=lambda value: Filter("type", document_type_of(value)),
            column=TYPE_COLUMN,
            facet=TYPE_COLUMN,
            params=(FilterParam("type", "filetype"),),
            diagnosis="of_type",
            single_valued=True,
        ),
        Operator(
            name="after",
            example="after:2024-05",
            filter="day",
            parse=_after,
            column=DAY_COLUMN,
            facet=Column("year", _years),
            params=(
                FilterParam("after", kind="one", pattern=DATE_PATTERN),
                FilterParam("year", kind="one", pattern=YEAR_PATTERN, parse=_year),
            ),
            diagnosis="in_period",
            takes_date=True,
        ),
        Operator(
            name="before",
            example="before:2024",
            filter="day",
            parse=_before,
            column=DAY_COLUMN,
            params=(FilterParam("before", kind="one", pattern=DATE_PATTERN),),
            takes_date=True,
        ),
        Operator(
            name="link",
            example="link:example.org/page",
            filter="link",
            parse=_page("link"),
            column=Column(
                "target_hash",
                lambda _, links: links.target_hashes[:MAX_LINK_TARGETS],
                _url_keys,
                is_numeric=True,
            ),
            page_diagnosis=PageDiagnosis("link_target_unknown", "no_inlinks"),
            takes_url=True,
        ),
        Operator(
            name="related",
            example="related:example.org/page",
            filter="related",
            parse=_page("related"),
            page_diagnosis=PageDiagnosis(
                "related_page_unknown", "no_related_page", "related_page_not_stored"
            ),
            takes_url=True,
        ),
        Operator(
            name="intitle", example='intitle:"red shoes"', field="title", field_parts=("title",)
        ),
        Operator(name="inurl", example="inurl:shop", field="url", field_parts=("url", "host")),
    )
}
"""Every operator by its typed name. If a typo has several corrections, the first is used."""
