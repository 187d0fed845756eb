"""What is for sale on this page? A product: what the page says of it, and how each thing was found.

A document keeps its product under the attribute `product`, as plain values; what it can be
filtered by is there in the one vocabulary, under `build_filters`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from byway.core.model import EXACT_FILTERS_KEY, Document
from byway.core.model import PRODUCT_ATTRIBUTE as PRODUCT_ATTRIBUTE
from byway.core.text import tokenize
from byway.products import sizes
from byway.products.identity_keys import identity_keys
from byway.products.vocabulary.lookup import ProductVocabulary
from byway.products.vocabulary.parse import Attribute

SOURCES = ("rule", "json-ld", "microdata", "rdfa", "opengraph", "heuristic")
"""How a value can be found, the surest first: a rule was written by a person for this very site."""
PURPOSE_PATTERN = re.compile(r"(?<=\s)(?:для|for)\s[^/,|›>]*")
MAX_FILTERS = 40


@dataclass(frozen=True, slots=True)
class Product:
    """A thing that is for sale, in the words of its page."""

    name: str = ""
    brand: str = ""
    kind: str = ""
    gender: str = ""
    colours: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    """As `38 RU`, or `38` where the page names no system."""
    price: float | None = None
    currency: str = ""
    old_price: float | None = None
    availability: str = ""
    """yes, no or to order, where it is said."""
    rating: float | None = None
    reviews: int = 0
    sku: str = ""
    gtin: str = ""
    """The number under its bar code, which is the same in every shop."""
    description: str = ""
    images: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    """Everything else, as the page calls it."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """How each of these was found: one of SOURCES."""


NUMERIC_FILTERS = ("price", "size")
EXPECTED_FIELDS = (
    "name",
    "price",
    "currency",
    "brand",
    "kind",
    "gender",
    "colour",
    "size",
    "images",
)
"""What most products have."""


def missing_fields(document: Document) -> tuple[str, ...]:
    """What most products have and that of this document lacks."""
    product, known = product_of(document) or Product(), filters_of(document)
    there = {"name": bool(product.name), "images": bool(product.images)}
    # A shoe in a size of America has no number that we show as its size, but it has a size.
    there["size"] = bool(product.sizes)
    return tuple(name for name in EXPECTED_FIELDS if not there.get(name, name in known))


def product_of(document: Document) -> Product | None:
    """The product of a document; None if it has none."""
    kept = document.attributes.get(PRODUCT_ATTRIBUTE)
    if not isinstance(kept, Mapping):
        return None
    known = {each.name for each in fields(Product)}
    told: dict[str, Any] = {name: value for name, value in kept.items() if name in known}
    lists = {name: tuple(value) for name, value in told.items() if isinstance(value, list)}
    return Product(**(told | lists))


def filters_of(document: Document) -> Mapping[str, object]:
    """The filters of a document's product; empty if it has no product."""
    return document.product_filters


def product_to_dict(
    product: Product, vocabulary: ProductVocabulary, category: str = ""
) -> dict[str, object]:
    """A product as plain values, without what is empty, and what it can be filtered by."""
    plain = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(product).items()
        if value
    }
    found = build_filters(product, vocabulary, category)
    return plain | {"filters": found, EXACT_FILTERS_KEY: _whole(found, vocabulary)}


def build_filters(
    product: Product, vocabulary: ProductVocabulary, category: str = ""
) -> dict[str, object]:
    """What a product can be filtered by, in the one vocabulary.

    `category` is where its shop puts it, which is asked only where the page says nothing itself.
    """
    said: dict[str, list[str]] = {}
    for name, value in _said(product):
        ours = vocabulary.find_attribute(name)
        found = list(vocabulary.find_values(ours, _plain(ours, value))) if ours else []
        said.setdefault(ours or "_".join(tokenize(name[:40])), []).extend(found or [value[:100]])
    texts = {"name": product.name, "category": category, "description": product.description}
    for attribute in vocabulary.attributes.values():
        if attribute.value_sources:
            said[attribute.name] = _told(attribute, said.get(attribute.name, []), texts, vocabulary)
    unified = {name: list(dict.fromkeys(each)) for name, each in said.items() if name and each}
    # Ours come first; there may be more of the others than there is room for.
    order = sorted(unified, key=lambda name: name not in vocabulary.attributes)
    chosen = {name: unified[name] for name in order[:MAX_FILTERS]}
    same = identity_keys(product.name, product.brand, product.sku, product.gtin, chosen, vocabulary)
    all_of_it = {
        "is": "product",
        "same": same,
        **_measured(product, chosen.get("gender", [])),
        **chosen,
    }
    asked = [each.name for each in vocabulary.attributes.values() if each.query_use]
    return {
        **all_of_it,
        "lacks": [name for name in (*NUMERIC_FILTERS, *asked) if name not in all_of_it],
    }


def _key(name: str) -> str:
    return "_".join(tokenize(name))


def _whole(found: Mapping[str, object], vocabulary: ProductVocabulary) -> list[str]:
    values = [
        (name, str(value))
        for name, each in found.items()
        for value in (each if isinstance(each, list) else [each])
    ]
    ours = (f"{_key(name)}={value}" for name, value in values if vocabulary.is_value(name, value))
    return [*ours, *(f"{name}={value}" for name, value in values if name == "same")]


def _said(product: Product) -> Iterable[tuple[str, str]]:
    """Names and values that the page gives, but for numbers."""
    yield from (("colour", colour) for colour in product.colours)
    named = {"brand": product.brand, "kind": product.kind, "gender": product.gender}
    yield from ((name, value) for name, value in named.items() if value)
    yield from product.attributes.items()


def _told(
    attribute: Attribute, said: list[str], texts: Mapping[str, str], vocabulary: ProductVocabulary
) -> list[str]:
    """The values of an attribute, from the first place that names one we know."""
    known = [value for value in said if value in attribute.values]
    for place in attribute.value_sources:
        text = _plain(attribute.name, texts.get(place, ""))
        found = (
            known if place == "value" else vocabulary.find_mentioned_values(attribute.name, text)
        )
        if found:
            return list(found)
    return said


def _plain(attribute: str, text: str) -> str:
    """What names a kind, without what the thing is for: a case for phones is no phone."""
    return PURPOSE_PATTERN.sub("", text) if attribute == "kind" else text


def _measured(product: Product, genders: Iterable[str]) -> dict[str, object]:
    """The numbers of a product."""
    read = [size for text in product.sizes for size in sizes.parse_sizes(text)]
    said: dict[str, object] = {
        "price": product.price,
        "currency": product.currency,
        "old_price": product.old_price,
        "rating": product.rating,
        "reviews": product.reviews or None,
        "availability": product.availability,
        "sku": product.sku,
        "gtin": product.gtin,
        **sizes.size_filters(read, genders),
    }
    return {name: value for name, value in said.items() if value not in (None, "")}
