"""Product record: the fields of a product, the source of each, and its filters.

A document stores its product as plain values in the attribute `product`; the filters are under
`filters`, in vocabulary terms.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from byway.core.model import Document
from byway.core.model.document import EXACT_FILTERS_KEY, FILTERS_KEY
from byway.core.text import tokenize
from byway.products import sizes
from byway.products.identity_keys import identity_keys
from byway.products.vocabulary.lookup import ProductVocabulary
from byway.products.vocabulary.parse import Attribute

PRODUCT_ATTRIBUTE = "product"
"""The attribute that holds a document's product, as plain values."""
SOURCES = ("rule", "json-ld", "microdata", "rdfa", "opengraph", "heuristic")
"""Sources of values, most reliable first: a site rule was written for the site itself."""
PURPOSE_PATTERN = re.compile(r"(?<=\s)(?:для|for)\s[^/,|›>]*")
MAX_FILTERS = 40


@dataclass(frozen=True, slots=True)
class Product:
    """A product, in the page's own words."""

    name: str = ""
    brand: str = ""
    kind: str = ""
    gender: str = ""
    colours: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    """Sizes such as `38 RU`, or `38` if the page names no size system."""
    price: float | None = None
    currency: str = ""
    old_price: float | None = None
    availability: str = ""
    """`yes`, `no` or `to order`; empty if unknown."""
    rating: float | None = None
    reviews: int = 0
    sku: str = ""
    gtin: str = ""
    """The bar code number, which is the same in every shop."""
    description: str = ""
    images: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    """All other attributes, in the page's own words."""
    sources: Mapping[str, str] = field(default_factory=dict)
    """The source of each field: one of SOURCES."""


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
"""Fields that most products have."""


def missing_fields(document: Document) -> tuple[str, ...]:
    """The expected fields that a document's product lacks."""
    product, filters = product_of(document) or Product(), filters_of(document)
    # A shoe with only an American size may have no `size` filter, but it has a size.
    has = {
        "name": bool(product.name),
        "images": bool(product.images),
        "size": bool(product.sizes),
    }
    return tuple(name for name in EXPECTED_FIELDS if not has.get(name, name in filters))


def product_of(document: Document) -> Product | None:
    """The product of a document; None if it has none."""
    stored = document.records.get(PRODUCT_ATTRIBUTE)
    return None if stored is None else product_from_dict(stored)


def product_from_dict(stored: Mapping[str, object]) -> Product:
    """The product stored as these plain values."""
    names = {each.name for each in fields(Product)}
    values: dict[str, Any] = {name: value for name, value in stored.items() if name in names}
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return Product(**(values | lists))


def filters_of(document: Document) -> Mapping[str, object]:
    """The filters of a document's product; empty if it has no product."""
    filters: Mapping[str, object] = document.records.get(PRODUCT_ATTRIBUTE, {}).get(FILTERS_KEY, {})
    return filters


def product_to_dict(
    product: Product, vocabulary: ProductVocabulary, category: str = ""
) -> dict[str, object]:
    """A product as plain values, without empty ones, plus its filters."""
    values = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in asdict(product).items()
        if value
    }
    filters = build_filters(product, vocabulary, category)
    return values | {FILTERS_KEY: filters, EXACT_FILTERS_KEY: _exact_filters(filters, vocabulary)}


def build_filters(
    product: Product, vocabulary: ProductVocabulary, category: str = ""
) -> dict[str, object]:
    """The filters of a product, in vocabulary terms.

    `category` is the product's category in its shop, used if the page itself names no value.
    """
    values: dict[str, list[str]] = {}
    for name, value in _name_value_pairs(product):
        attribute_name = vocabulary.find_attribute(name)
        known_values = (
            list(vocabulary.find_values(attribute_name, _without_purpose(attribute_name, value)))
            if attribute_name
            else []
        )
        key = attribute_name or "_".join(tokenize(name[:40]))
        values.setdefault(key, []).extend(known_values or [value[:100]])
    texts = {"name": product.name, "category": category, "description": product.description}
    for attribute in vocabulary.attributes.values():
        if attribute.value_sources:
            page_values = values.get(attribute.name, [])
            values[attribute.name] = _attribute_values(attribute, page_values, texts, vocabulary)
    distinct = {name: list(dict.fromkeys(each)) for name, each in values.items() if name and each}
    # Known attributes first: there may be more others than MAX_FILTERS allows.
    order = sorted(distinct, key=lambda name: name not in vocabulary.attributes)
    limited = {name: distinct[name] for name in order[:MAX_FILTERS]}
    filters: dict[str, object] = {
        "is": PRODUCT_ATTRIBUTE,
        "same": identity_keys(
            name=product.name,
            brand=product.brand,
            sku=product.sku,
            gtin=product.gtin,
            filters=limited,
            vocabulary=vocabulary,
        ),
        **_plain_filters(product, limited.get("gender", [])),
        **limited,
    }
    searchable = [each.name for each in vocabulary.attributes.values() if each.query_use]
    lacks = [name for name in (*NUMERIC_FILTERS, *searchable) if name not in filters]
    return {**filters, "lacks": lacks}


def _key(name: str) -> str:
    return "_".join(tokenize(name))


def _exact_filters(filters: Mapping[str, object], vocabulary: ProductVocabulary) -> list[str]:
    values = [
        (name, str(value))
        for name, each in filters.items()
        for value in (each if isinstance(each, list) else [each])
    ]
    vocabulary_values = (
        f"{_key(name)}={value}" for name, value in values if vocabulary.is_value(name, value)
    )
    return [*vocabulary_values, *(f"{name}={value}" for name, value in values if name == "same")]


def _name_value_pairs(product: Product) -> Iterable[tuple[str, str]]:
    """Names and values from the page, except numbers."""
    yield from (("colour", colour) for colour in product.colours)
    fields_by_name = {"brand": product.brand, "kind": product.kind, "gender": product.gender}
    yield from ((name, value) for name, value in fields_by_name.items() if value)
    yield from product.attributes.items()


def _attribute_values(
    attribute: Attribute,
    page_values: list[str],
    texts: Mapping[str, str],
    vocabulary: ProductVocabulary,
) -> list[str]:
    """The values of an attribute, from its first source that names a known value."""
    known_values = [value for value in page_values if value in attribute.values]
    for source in attribute.value_sources:
        text = _without_purpose(attribute.name, texts.get(source, ""))
        source_values = (
            known_values
            if source == "value"
            else vocabulary.find_mentioned_values(attribute.name, text)
        )
        if source_values:
            return list(source_values)
    return page_values


def _without_purpose(attribute: str, text: str) -> str:
    """The text of a kind without its purpose: a case for phones is not a phone."""
    return PURPOSE_PATTERN.sub("", text) if attribute == "kind" else text


def _plain_filters(product: Product, genders: Iterable[str]) -> dict[str, object]:
    """Filters that need no vocabulary: numbers, codes and sizes."""
    parsed_sizes = [size for text in product.sizes for size in sizes.parse_sizes(text)]
    filters: dict[str, object] = {
        "price": product.price,
        "currency": product.currency,
        "old_price": product.old_price,
        "rating": product.rating,
        "reviews": product.reviews or None,
        "availability": product.availability,
        "sku": product.sku,
        "gtin": product.gtin,
        **sizes.size_filters(parsed_sizes, genders),
    }
    return {name: value for name, value in filters.items() if value not in (None, "")}
