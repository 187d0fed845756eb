"""What must a page be like? site:, filetype:, lang:, before:, after:, link:, related:, brand:.

A name that is no filter of ours is that of an attribute, if documents have it; otherwise
`note:this` is two words.
"""

import re
from collections.abc import Callable, Collection
from functools import cache
from math import inf

from byway.core.errors import UrlError
from byway.core.languages import all_languages
from byway.core.media_types import document_type_of
from byway.core.model import parse_epoch_day
from byway.core.model.query import Filter
from byway.core.text import fold_text, tokenize
from byway.core.url import host_of, normalize, parse_typed_url

NUMBER_PATTERN = r"(\d{1,15}(?:\.\d{1,6})?)"
DATE_OPERATORS = ("before", "after")
RANGE_PATTERN = re.compile(rf"{NUMBER_PATTERN}?\.\.{NUMBER_PATTERN}?|{NUMBER_PATTERN}(?=$)")


def parse_filter(name: str, value: str, attributes: Collection[str] = ()) -> Filter | None:
    """The filter that `name:value` is; None when it is none."""
    make = FILTER_PARSERS.get(name)
    if make is not None:
        return make(value)
    return _attribute(name, value) if name in attributes else None


def is_invalid_date(name: str, value: str) -> bool:
    """Should this be a day, and nobody can say which?"""
    return name in DATE_OPERATORS and parse_epoch_day(value) is None


def _site(value: str) -> Filter | None:
    """`https://Example.org/path`, `*.example.org` and `example.org` name the same host."""
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
    """The code of each language, by its folded names in English and in itself."""
    return {
        fold_text(name): language.code
        for language in all_languages().values()
        for name in language.names
    }


def _page(name: str) -> Callable[[str], Filter | None]:
    def make(value: str) -> Filter | None:
        try:
            return Filter(name, parse_typed_url(value))
        except UrlError:
            return None

    return make


def _before(value: str) -> Filter | None:
    day = parse_epoch_day(value)
    # Pages without a date stand at day 0: nobody knows that they are older.
    return None if day is None else Filter("day", minimum=1, maximum=day - 1)


def _after(value: str) -> Filter | None:
    day = parse_epoch_day(value)
    return None if day is None else Filter("day", minimum=max(1, day))


def _attribute(name: str, value: str) -> Filter | None:
    """A word of the attribute, or a range of numbers as 10..50, 10.. and ..50."""
    found = RANGE_PATTERN.fullmatch(value)
    if found and any(found.groups()):
        low, high, alone = found.groups()
        if alone:
            return Filter(name, value, float(alone), float(alone))
        return Filter(name, "", float(low or -inf), float(high or inf))
    asked = " ".join(tokenize(value))
    return Filter(name, asked) if asked else None


FILTER_PARSERS: dict[str, Callable[[str], Filter | None]] = {
    "site": _site,
    "lang": _language,
    "filetype": lambda value: Filter("type", document_type_of(value)),
    "before": _before,
    "after": _after,
    "link": _page("link"),
    "related": _page("related"),
}
