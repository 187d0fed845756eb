"""Shop coverage: product pages, missing fields, words missing from the vocabulary."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain

from byway.core.model import Document
from byway.core.text import terms
from byway.core.url import host_of
from byway.products.record import EXPECTED_FIELDS, missing_fields, product_of
from byway.products.vocabulary.lookup import ProductVocabulary

MIN_SIMILARITY = 0.75
"""Minimum similarity (difflib, 0 to 1) for suggesting a spelling."""
MAX_UNKNOWN_WORDS = 100_000


@dataclass(slots=True)
class Shop:
    """Counts of one shop's stored pages."""

    host: str
    pages: int = 0
    products: int = 0
    missing_fields: Counter[str] = field(
        default_factory=lambda: Counter(dict.fromkeys(EXPECTED_FIELDS, 0))
    )
    """The number of products that lack each field."""
    price_sources: Counter[str] = field(default_factory=Counter)
    """The number of products by source of their price."""


@dataclass(frozen=True, slots=True)
class UnknownWord:
    """An attribute name or value that is not in the vocabulary."""

    name: str
    value: str = ""
    """The unknown value; empty if the attribute name itself is unknown."""
    count: int = 0
    example: str = ""
    suggestion: str = ""
    """A similar known name or value: `colour` or `colour red`."""


def shop_coverage(documents: Iterable[Document]) -> list[Shop]:
    """The hosts with products, most products first."""
    shops: dict[str, Shop] = {}
    for document in documents:
        shop = shops.setdefault(host_of(document.url), Shop(host_of(document.url)))
        shop.pages += 1
        product = product_of(document)
        if product is not None:
            shop.products += 1
            shop.missing_fields.update(missing_fields(document))
            shop.price_sources[product.sources.get("price", "none")] += 1
    with_products = (shop for shop in shops.values() if shop.products)
    return sorted(with_products, key=lambda shop: (-shop.products, shop.host))


def find_unknown_words(
    documents: Iterable[Document], vocabulary: ProductVocabulary
) -> list[UnknownWord]:
    """Attribute names and values that the vocabulary lacks, most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    for name, value in chain.from_iterable(map(_pairs, documents)):
        attribute = vocabulary.find_attribute(name)
        if not attribute:
            key = (name.lower(), "")
        elif vocabulary.attributes[attribute].values and not vocabulary.find_values(
            attribute, value
        ):
            key = (attribute, value.lower())
        else:
            continue
        if key in counts or len(counts) < MAX_UNKNOWN_WORDS:
            counts[key] += 1
            examples.setdefault(key, value)
    return [
        UnknownWord(
            name=name,
            value=value,
            count=count,
            example=examples[name, value],
            suggestion=_suggestion(name, value, examples[name, value], vocabulary),
        )
        for (name, value), count in counts.most_common()
    ]


def _pairs(document: Document) -> Iterator[tuple[str, str]]:
    product = product_of(document)
    if product is not None:
        yield from product.attributes.items()
        yield from (("colour", colour) for colour in product.colours)
        fields = {"kind": product.kind, "gender": product.gender}
        yield from ((name, value) for name, value in fields.items() if value)


def _suggestion(name: str, value: str, example: str, vocabulary: ProductVocabulary) -> str:
    """A known name or value similar to an unknown one."""
    if value:
        similar = _most_similar(value, vocabulary.value_by_spelling(name))
        return f"{name} {similar}" if similar else ""
    similar = _most_similar(name, vocabulary.attribute_by_name())
    if similar:
        return similar
    # The attribute that has the example as a value.
    attributes = (each for each in vocabulary.attributes if vocabulary.find_values(each, example))
    return next(attributes, "")


def _most_similar(text: str, value_by_spelling: Mapping[str, str]) -> str:
    phrase = " ".join(terms(text))
    matches = get_close_matches(phrase, value_by_spelling, n=1, cutoff=MIN_SIMILARITY)
    return value_by_spelling[matches[0]] if matches else ""
