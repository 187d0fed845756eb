"""What does a page tell machines? JSON-LD, microdata, RDFa, OpenGraph and Dublin Core, made tame.

Things have one shape, whichever way they were written, and schema.org is not spelt out:

    {"@type": "Product", "name": "Boot", "offers": {"@type": "Offer", "price": "99"}}
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite

from turbohtml import Document, RdfaItem

from byway.core.model import Url
from byway.core.text import storable_text
from byway.extract.formats.html import microdata
from byway.extract.formats.html.dom import Elements, single_line

MAX_STRUCTURED_DATA_CHARS = 16 * 1024
"""Characters of JSON kept of one page: what people search by is far smaller."""

MAX_SCRIPT_CHARS = 256 * 1024
MAX_DEPTH = 16
MAX_SCRIPTS = 50
MAX_COMMENTS = 100
MAX_VALUES = 20_000
"""Values taken from one page; things that name one another can have no end."""

MAX_RDFA_PROPERTIES = 5000
"""Properties that a page may mark up: each holds the text of all that is inside it."""

SCHEMA_ORG_PATTERN = re.compile(r"^https?://schema\.org/")
#: What people put into JSON though it knows none: comments, and a comma or semicolon at the end.
JSON_COMMENT_PATTERN = re.compile(
    r'("(?:[^"\\]|\\.)*+")|/\*.*?\*/|//[^\n]*|<!--.*?-->|<!\[CDATA\[|\]\]>|;\s*\Z', re.DOTALL
)
TRAILING_COMMA_PATTERN = re.compile(r'("(?:[^"\\]|\\.)*+")|,(?=\s*[}\]])')
OPENGRAPH_PATTERN = re.compile(r"(?:og|article|book|profile|music|video|product|fb|twitter):.")
DUBLIN_CORE_PATTERN = re.compile(r"(?:dc|dcterms)[.:].", re.IGNORECASE)

#: Things that are described where they are shown.
STRUCTURED_DATA_SELECTOR = "[itemscope],[typeof]"

StructuredItem = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class StructuredData:
    """The structured data of one page."""

    items: tuple[StructuredItem, ...] = ()
    """All that is described, those inside @graph and lists too, however large."""
    sources: tuple[str, ...] = ()
    """The way in which each of them was written."""
    stored_data: Mapping[str, object] = field(default_factory=dict)
    """What is kept of it, by the way in which it was written."""

    def items_of_type(self, *types: str) -> Iterator[StructuredItem]:
        """The things of these types, in the order of the page."""
        return (each for each in self.items if not types_of(each).isdisjoint(types))


def read(
    document: Document, elements: Elements, base: Url, has_markup: bool = True
) -> StructuredData:
    """The structured data of a page; `has_markup` is false where nothing in it is known to be."""
    budget = _ValueBudget(MAX_VALUES)
    kinds: dict[str, list[object]] = {
        "json-ld": [budget.sanitize(each) for each in _json_ld(elements)],
    }
    if has_markup and document.select_one(STRUCTURED_DATA_SELECTOR) is not None:
        kinds["microdata"] = [budget.sanitize(each) for each in microdata.items(document, base)]
        kinds["rdfa"] = [budget.sanitize(each) for each in _rdfa(document, base)]
    found = [(way, thing) for way, items in kinds.items() for thing in _things(items)]
    texts = {
        "opengraph": _named(elements, OPENGRAPH_PATTERN, "property", "name"),
        "dublin-core": _named(elements, DUBLIN_CORE_PATTERN, "name", "property"),
    }
    things = tuple(thing for _, thing in found)
    return StructuredData(things, tuple(way for way, _ in found), _kept(kinds, texts))


def types_of(item: StructuredItem) -> set[str]:
    """What a thing is: the names of its types."""
    said = item.get("@type")
    return {each for each in (said if isinstance(said, list) else [said]) if isinstance(each, str)}


def texts_of(value: object) -> list[str]:
    """The texts in a value: itself, each of a list, or what a thing is called."""
    if isinstance(value, str):
        return [text] if (text := single_line(value)) else []
    if isinstance(value, list):
        return [text for each in value for text in texts_of(each)]
    if isinstance(value, dict):
        return texts_of(value.get("name") or value.get("@value"))
    return []


def _kept(
    kinds: Mapping[str, list[object]], texts: Mapping[str, Mapping[str, object]]
) -> dict[str, object]:
    """As much as there is room for: what is small first, then one thing after the other."""
    kept: dict[str, object] = {}
    room = MAX_STRUCTURED_DATA_CHARS
    for name, pairs in texts.items():
        fitting: dict[str, object] = {}
        for key, text in pairs.items():
            room -= (size := len(key) + len(json.dumps(text)))
            if room < 0:
                room += size
                continue
            fitting[key] = text
        if fitting:
            kept[name] = fitting
    for name, items in kinds.items():
        chosen = []
        for item in items:
            size = len(json.dumps(item))
            if item and size <= room:
                room -= size
                chosen.append(item)
        if chosen:
            kept[name] = chosen
    return kept


def _named(elements: Elements, pattern: re.Pattern[str], *keys: str) -> dict[str, object]:
    """Meta elements whose name fits; a name that comes again makes a list."""
    found: dict[str, list[str]] = {}
    for element in elements.get("meta", ()):
        said = [(element.attr(key) or "").strip() for key in keys]
        name = next(filter(pattern.match, said), "")
        content = single_line(element.attr("content"), 4000) if name else ""
        if content and content not in found.setdefault(name.lower()[:100], []):
            found[name.lower()[:100]].append(content)
    return {
        name.removeprefix("og:"): texts[0] if len(texts) == 1 else texts[:20]
        for name, texts in found.items()
        if texts
    }


def _things(value: object, depth: int = 4) -> Iterator[StructuredItem]:
    """The things described: single, in a list, or in a @graph."""
    if isinstance(value, list) and depth:
        for item in value:
            yield from _things(item, depth - 1)
    elif isinstance(value, dict):
        yield value
        yield from _things(value.get("@graph"), depth - 1)


def _json_ld(elements: Elements) -> Iterator[object]:
    scripts = elements.get("script", ())
    described = [each for each in scripts if _type(each.attr("type")) == "application/ld+json"]
    for script in described[:MAX_SCRIPTS]:
        text = script.text
        if len(text) <= MAX_SCRIPT_CHARS:
            yield from _parsed(text)


def _parsed(text: str) -> Iterator[object]:
    """The JSON in a text; once more without comments, where it is none as it stands."""
    for clean in (str, _without_comments):
        try:
            found = json.loads(clean(text), strict=False, parse_constant=lambda name: None)
        except (ValueError, RecursionError):
            continue  # broken, too deep, or a number of 5,000 digits
        yield from found if isinstance(found, list) else [found]
        return


def _without_comments(text: str) -> str:
    if text.count("/*") + text.count("<!--") > MAX_COMMENTS:
        return ""  # each that has no end is looked for up to the end
    return TRAILING_COMMA_PATTERN.sub(r"\1", JSON_COMMENT_PATTERN.sub(r"\1", text))


def _type(media_type: str | None) -> str:
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
    """Values that may still be taken."""

    remaining: int

    def sanitize(self, value: object, depth: int = 0) -> object:
        """The same value, no deeper or larger than stores and other programs can take."""
        self.remaining -= 1
        if self.remaining < 0 or depth > MAX_DEPTH:
            return None
        if isinstance(value, str):
            return storable_text(value)
        if isinstance(value, RdfaItem):
            value = _spelt(value)
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
        tamed = self.sanitize(value, depth + 1)
        if key != "@type":
            return tamed
        if isinstance(tamed, list):
            return [_short(each) for each in tamed if isinstance(each, str)]
        return _short(tamed) if isinstance(tamed, str) else None


def _spelt(item: RdfaItem) -> dict[str, object]:
    """An item as JSON-LD would write it: what is said once is no list."""
    types = item.type
    about: dict[str, object] = {
        "@type": types[0] if len(types) == 1 else types,
        "@id": item.resource,
    }
    said = {key: value for key, value in about.items() if value}
    for key, values in item.properties.items():
        tidy = [single_line(each, 4000) if isinstance(each, str) else each for each in values]
        said[key] = tidy[0] if len(tidy) == 1 else tidy
    return said


def _short(name: str) -> str:
    return SCHEMA_ORG_PATTERN.sub("", storable_text(name[:500]))
