"""Structured data of a page: JSON-LD, microdata, RDFa, OpenGraph and Dublin Core.

Items have the same shape in every notation, no schema.org prefix, and limited size and depth:

    {"@type": "Product", "name": "Boot", "offers": {"@type": "Offer", "price": "99"}}
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite

from turbohtml import Document, RdfaItem

from byway.core.model import Url
from byway.core.structured_data import StructuredData, StructuredItem
from byway.core.text import single_line, storable_text
from byway.extract.formats.html import microdata
from byway.extract.formats.html.dom import Elements

MAX_STRUCTURED_DATA_CHARS = 16 * 1024
"""Maximum characters of JSON stored per page; searchable data is far smaller."""

MAX_SCRIPT_CHARS = 256 * 1024
MAX_DEPTH = 16
MAX_SCRIPTS = 50
MAX_COMMENTS = 100
MAX_VALUES = 20_000
"""Maximum values taken from one page: items that include one another could expand endlessly."""

MAX_RDFA_PROPERTIES = 5000
"""Maximum RDFa properties per page; each holds all the text inside it."""

SCHEMA_ORG_PATTERN = re.compile(r"^https?://schema\.org/")
#: Common errors in JSON-LD: comments, and a comma or semicolon at the end.
JSON_COMMENT_PATTERN = re.compile(
    r'("(?:[^"\\]|\\.)*+")|/\*.*?\*/|//[^\n]*|<!--.*?-->|<!\[CDATA\[|\]\]>|;\s*\Z', re.DOTALL
)
TRAILING_COMMA_PATTERN = re.compile(r'("(?:[^"\\]|\\.)*+")|,(?=\s*[}\]])')
OPENGRAPH_PATTERN = re.compile(r"(?:og|article|book|profile|music|video|product|fb|twitter):.")
DUBLIN_CORE_PATTERN = re.compile(r"(?:dc|dcterms)[.:].", re.IGNORECASE)

#: Microdata and RDFa items.
STRUCTURED_DATA_SELECTOR = "[itemscope],[typeof]"


def read(
    document: Document, elements: Elements, base: Url, has_markup: bool = True
) -> StructuredData:
    """The structured data of a page; `has_markup` is false if it has no microdata and no RDFa."""
    budget = _ValueBudget(MAX_VALUES)
    values_by_notation: dict[str, list[object]] = {
        "json-ld": [budget.sanitize(each) for each in _json_ld(elements)],
    }
    if has_markup and document.select_one(STRUCTURED_DATA_SELECTOR) is not None:
        values_by_notation["microdata"] = [
            budget.sanitize(each) for each in microdata.items(document, base)
        ]
        values_by_notation["rdfa"] = [budget.sanitize(each) for each in _rdfa(document, base)]
    items = [
        (notation, item)
        for notation, values in values_by_notation.items()
        for item in _items(values)
    ]
    texts = {
        "opengraph": _matching_meta(elements, OPENGRAPH_PATTERN, "property", "name"),
        "dublin-core": _matching_meta(elements, DUBLIN_CORE_PATTERN, "name", "property"),
    }
    return StructuredData(
        items=tuple(item for _, item in items),
        sources=tuple(notation for notation, _ in items),
        stored_data=_limit_size(values_by_notation, texts),
    )


def _limit_size(
    values_by_notation: Mapping[str, list[object]], texts: Mapping[str, Mapping[str, object]]
) -> dict[str, object]:
    """The data that fits the size limit: meta elements first, then items in order."""
    stored: dict[str, object] = {}
    remaining_chars = MAX_STRUCTURED_DATA_CHARS
    for name, pairs in texts.items():
        fitting: dict[str, object] = {}
        for key, text in pairs.items():
            remaining_chars -= (size := len(key) + len(json.dumps(text)))
            if remaining_chars < 0:
                remaining_chars += size
                continue
            fitting[key] = text
        if fitting:
            stored[name] = fitting
    for name, items in values_by_notation.items():
        fitting_items = []
        for item in items:
            size = len(json.dumps(item))
            if item and size <= remaining_chars:
                remaining_chars -= size
                fitting_items.append(item)
        if fitting_items:
            stored[name] = fitting_items
    return stored


def _matching_meta(elements: Elements, pattern: re.Pattern[str], *keys: str) -> dict[str, object]:
    """Meta elements whose name matches; repeated names make a list."""
    texts_by_name: dict[str, list[str]] = {}
    for element in elements.get("meta", ()):
        names = [(element.attr(key) or "").strip() for key in keys]
        name = next(filter(pattern.match, names), "")
        content = single_line(element.attr("content"), 4000) if name else ""
        if content and content not in texts_by_name.setdefault(name.lower()[:100], []):
            texts_by_name[name.lower()[:100]].append(content)
    return {
        name.removeprefix("og:"): texts[0] if len(texts) == 1 else texts[:20]
        for name, texts in texts_by_name.items()
        if texts
    }


def _items(value: object, depth: int = 4) -> Iterator[StructuredItem]:
    """The items in a value: the value itself, or the items of its list or @graph."""
    if isinstance(value, list) and depth:
        for each in value:
            yield from _items(each, depth - 1)
    elif isinstance(value, dict):
        yield value
        yield from _items(value.get("@graph"), depth - 1)


def _json_ld(elements: Elements) -> Iterator[object]:
    scripts = elements.get("script", ())
    json_ld_scripts = [
        each for each in scripts if _media_type(each.attr("type")) == "application/ld+json"
    ]
    for script in json_ld_scripts[:MAX_SCRIPTS]:
        text = script.text
        if len(text) <= MAX_SCRIPT_CHARS:
            yield from _json_values(text)


def _json_values(text: str) -> Iterator[object]:
    """The values in a JSON text; comments are removed if it is not valid JSON."""
    for clean in (str, _without_comments):
        try:
            parsed = json.loads(clean(text), strict=False, parse_constant=lambda name: None)
        except (ValueError, RecursionError):
            continue  # invalid, too deep, or a number of 5,000 digits
        yield from parsed if isinstance(parsed, list) else [parsed]
        return


def _without_comments(text: str) -> str:
    if text.count("/*") + text.count("<!--") > MAX_COMMENTS:
        return ""  # comments without an end make the pattern quadratic
    return TRAILING_COMMA_PATTERN.sub(r"\1", JSON_COMMENT_PATTERN.sub(r"\1", text))


def _media_type(media_type: str | None) -> str:
    return (media_type or "").partition(";")[0].strip().lower()


def _rdfa(document: Document, base: Url) -> Iterable[RdfaItem]:
    if len(document.select("[property]")) > MAX_RDFA_PROPERTIES:
        return []
    try:
        return document.rdfa(base)
    except RecursionError:
        return []


@dataclass(slots=True)
class _ValueBudget:
    """Limits the number of values read from a page."""

    remaining: int

    def sanitize(self, value: object, depth: int = 0) -> object:
        """The value as plain JSON, with limited depth, numbers and texts."""
        self.remaining -= 1
        if self.remaining < 0 or depth > MAX_DEPTH:
            return None
        if isinstance(value, str):
            return storable_text(value)
        if isinstance(value, RdfaItem):
            value = _rdfa_item(value)
        if isinstance(value, dict):
            return {_short(str(key)): self._member(key, each, depth) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [self.sanitize(each, depth + 1) for each in value]
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int):
            return value if abs(value) < 2**63 else None
        return value if isinstance(value, float) and isfinite(value) else None

    def _member(self, key: object, value: object, depth: int) -> object:
        sanitized = self.sanitize(value, depth + 1)
        if key != "@type":
            return sanitized
        if isinstance(sanitized, list):
            return [_short(each) for each in sanitized if isinstance(each, str)]
        return _short(sanitized) if isinstance(sanitized, str) else None


def _rdfa_item(item: RdfaItem) -> dict[str, object]:
    """An RDFa item in the shape of JSON-LD: a single value is not in a list."""
    types = item.type
    about: dict[str, object] = {
        "@type": types[0] if len(types) == 1 else types,
        "@id": item.resource,
    }
    found = {key: value for key, value in about.items() if value}
    for key, values in item.properties.items():
        lines = [single_line(each, 4000) if isinstance(each, str) else each for each in values]
        found[key] = lines[0] if len(lines) == 1 else lines
    return found


def _short(name: str) -> str:
    return SCHEMA_ORG_PATTERN.sub("", storable_text(name[:500]))
