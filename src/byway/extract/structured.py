"""What does a page tell machines? JSON-LD, OpenGraph and microdata, made safe and kept small."""

import json
from collections.abc import Iterator, Mapping
from math import isfinite

from turbohtml import Document, MicrodataItem

from byway.extract.dom import Elements
from byway.text import storable

LARGEST = 16 * 1024
"""Bytes of JSON kept of one page: what people search by is far smaller."""

LONGEST_SCRIPT = 256 * 1024
DEEPEST = 16
MOST_SCRIPTS = 50
DATES = ("datePublished", "dateModified")


def structured(
    document: Document, elements: Elements, meta: Mapping[str, str]
) -> dict[str, object]:
    """The structured data of a page by kind; a kind that is too large is left out."""
    kinds: dict[str, object] = {
        "json-ld": [_tame(item) for item in _json_ld(elements)],
        "opengraph": {name[3:]: text for name, text in meta.items() if name.startswith("og:")},
        "microdata": _microdata(document),
    }
    kept: dict[str, object] = {}
    size = 0
    for name, value in kinds.items():
        size += len(json.dumps(value)) if value else 0
        if value and size <= LARGEST:
            kept[name] = value
    return kept


def dates(data: Mapping[str, object]) -> dict[str, str]:
    """The dates that JSON-LD gives for the page."""
    found: dict[str, str] = {}
    for item in _items(data.get("json-ld")):
        for name in DATES:
            value = item.get(name)
            if isinstance(value, str):
                found.setdefault(name, value)
    return found


def _items(value: object, depth: int = 3) -> Iterator[Mapping[str, object]]:
    """The things that JSON-LD describes: single, in a list, or in a @graph."""
    if isinstance(value, list) and depth:
        for item in value:
            yield from _items(item, depth - 1)
    elif isinstance(value, dict):
        yield value
        if depth:
            yield from _items(value.get("@graph"), depth - 1)


def _json_ld(elements: Elements) -> Iterator[object]:
    scripts = elements.get("script", ())
    described = [each for each in scripts if _type(each.attr("type")) == "application/ld+json"]
    for script in described[:MOST_SCRIPTS]:
        text = script.text
        if len(text) <= LONGEST_SCRIPT:
            try:
                yield json.loads(text, strict=False, parse_constant=lambda name: None)
            except (ValueError, RecursionError):
                continue  # broken, too deep, or a number of 5,000 digits


def _type(media_type: str | None) -> str:
    return (media_type or "").partition(";")[0].strip().lower()


def _microdata(document: Document) -> list[object]:
    if document.select_one("[itemscope]") is None:
        return []
    try:
        return [_tame(item) for item in document.microdata()]
    except (ValueError, RecursionError):
        return []


def _tame(value: object, depth: int = 0) -> object:
    """The same value, no deeper or larger than stores and other programs can take."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, MicrodataItem):
        value = {"@type": value.type, **value.properties}
    if isinstance(value, dict):
        if depth == DEEPEST:
            return {}
        return {storable(str(key)): _tame(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_tame(item, depth + 1) for item in value] if depth < DEEPEST else []
    if isinstance(value, int):
        return value if abs(value) < 2**63 else None
    return value if isinstance(value, float) and isfinite(value) else None
