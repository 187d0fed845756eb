"""Query operators (`site:`, `lang:`, `intitle:` ...): one table for parser, diagnosis and help.

Any other name is a document attribute if some document has it (`brand:nike`); otherwise `note:this`
is two words. The description of an operator is the message `search.operators.<name>`.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from math import inf

from byway.core.errors import UrlError
from byway.core.languages import all_languages
from byway.core.media_types import document_type_of
from byway.core.model import parse_epoch_day
from byway.core.model.query import ClauseField, Filter
from byway.core.text import fold_text, tokenize
from byway.core.url import host_of, normalize, parse_typed_url

NUMBER_PATTERN = r"(\d{1,15}(?:\.\d{1,6})?)"
RANGE_PATTERN = re.compile(rf"{NUMBER_PATTERN}?\.\.{NUMBER_PATTERN}?|{NUMBER_PATTERN}(?=$)")

FilterParser = Callable[[str], Filter | None]


@dataclass(frozen=True, slots=True)
class Operator:
    """A query operator: a name typed before a colon."""

    name: str
    example: str
    filter: str = ""
    """The name of its filter; empty if it searches a field."""
    parse: FilterParser = lambda value: None
    """The filter for a value; None if the value is invalid."""
    field: ClauseField = "anywhere"
    """The field to search for the words after it."""
    single_valued: bool = False
    """Whether a page has only one value, so that several such filters are alternatives."""
    takes_date: bool = False
    takes_url: bool = False
    """Whether the value is a host name or URL."""

    @property
    def description_key(self) -> str:
        """The key of its description in the message files."""
        return f"search.operators.{self.name}"


def parse_filter(name: str, value: str, attributes: Collection[str] = ()) -> Filter | None:
    """The filter for `name:value`; None if it is not a filter."""
    operator = OPERATORS.get(name)
    if operator is not None and operator.filter:
        return operator.parse(value)
    return _attribute(name, value) if name in attributes else None


def operator_field(name: str) -> ClauseField:
    """The field that the operator with this name searches."""
    operator = OPERATORS.get(name)
    return operator.field if operator else "anywhere"


def is_invalid_date(name: str, value: str) -> bool:
    """Whether the operator needs a date and the value is not one."""
    operator = OPERATORS.get(name)
    return operator is not None and operator.takes_date and parse_epoch_day(value) is None


def _site(value: str) -> Filter | None:
    """`https://Example.org/path`, `*.example.org` and `example.org` are the same host."""
    value = value.partition("://")[2] or value
    try:
        host = host_of(normalize(f"http://{value.lstrip('*.')}"))
    except UrlError:
        host = value.lower()
    return Filter("site", host) if host else None


def _language(value: str) -> Filter:
    """`de`, `de-DE`, `German` and `Deutsch` are the same."""
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


OPERATORS: dict[str, Operator] = {
    operator.name: operator
    for operator in (
        Operator(
            name="site",
            example="site:example.org",
            filter="site",
            parse=_site,
            single_valued=True,
            takes_url=True,
        ),
        Operator(
            name="lang",
            example="lang:de",
            filter="language",
            parse=_language,
            single_valued=True,
        ),
        Operator(
            name="filetype",
            example="filetype:pdf",
            filter="type",
            parse=lambda value: Filter("type", document_type_of(value)),
            single_valued=True,
        ),
        Operator(
            name="before",
            example="before:2024",
            filter="day",
            parse=_before,
            takes_date=True,
        ),
        Operator(
            name="after",
            example="after:2024-05",
            filter="day",
            parse=_after,
            takes_date=True,
        ),
        Operator(
            name="link",
            example="link:example.org/page",
            filter="link",
            parse=_page("link"),
            takes_url=True,
        ),
        Operator(
            name="related",
            example="related:example.org/page",
            filter="related",
            parse=_page("related"),
            takes_url=True,
        ),
        Operator(name="intitle", example='intitle:"red shoes"', field="title"),
        Operator(name="inurl", example="inurl:shop", field="url"),
    )
}
"""Every operator by its typed name. If a typo has several corrections, the first is used."""
SINGLE_VALUED_FILTERS = frozenset(one.filter for one in OPERATORS.values() if one.single_valued)
OPERATOR_BY_FILTER = {one.filter: one.name for one in OPERATORS.values() if one.filter}
