"""How well are shops read? Which of their pages are products, what is missing, what is unknown."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain

from byway.core.model import Document
from byway.core.text import terms
from byway.core.url import host_of
from byway.products.record import missing, product_of
from byway.products.vocabulary.lookup import Vocabulary

NEAR = 0.75
"""How alike two spellings must be for one to be suggested; the most of difflib's is 1."""
MOST_UNKNOWN = 100_000


@dataclass(slots=True)
class Shop:
    """One shop, as far as it was kept."""

    host: str
    pages: int = 0
    products: int = 0
    missing: Counter[str] = field(default_factory=Counter)
    """How many products lack a field."""
    sources: Counter[str] = field(default_factory=Counter)
    """How many products have their price from each source."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name or a value that the vocabulary does not have."""

    name: str
    value: str = ""
    """Nothing, when it is the name that is not known."""
    count: int = 0
    example: str = ""
    suggestion: str = ""
    """What it may be the same as, as `colour` or `colour red`."""


def shops_of(documents: Iterable[Document]) -> list[Shop]:
    """The hosts that have products, those with most products first."""
    shops: dict[str, Shop] = {}
    for document in documents:
        shop = shops.setdefault(host_of(document.url), Shop(host_of(document.url)))
        shop.pages += 1
        product = product_of(document)
        if product is not None:
            shop.products += 1
            shop.missing.update(missing(document))
            shop.sources[product.sources.get("price", "none")] += 1
    found = (shop for shop in shops.values() if shop.products)
    return sorted(found, key=lambda shop: (-shop.products, shop.host))


def unknown_in(documents: Iterable[Document], vocabulary: Vocabulary) -> list[Unknown]:
    """Names and values of products that are not in the vocabulary, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    for name, value in chain.from_iterable(map(_pairs, documents)):
        ours = vocabulary.attribute(name)
        if not ours:
            key = (name.lower(), "")
        elif vocabulary.attributes[ours].values and not vocabulary.values(ours, value):
            key = (ours, value.lower())
        else:
            continue
        if key in counts or len(counts) < MOST_UNKNOWN:
            counts[key] += 1
            examples.setdefault(key, value)
    return [
        Unknown(*key, count, examples[key], _suggestion(*key, examples[key], vocabulary))
        for key, count in counts.most_common()
    ]


def _pairs(document: Document) -> Iterator[tuple[str, str]]:
    product = product_of(document)
    if product is not None:
        yield from product.attributes.items()
        yield from (("colour", colour) for colour in product.colours)
        named = {"kind": product.kind, "gender": product.gender}
        yield from ((name, value) for name, value in named.items() if value)


def _suggestion(name: str, value: str, example: str, vocabulary: Vocabulary) -> str:
    """What an unknown name or value may be the same as."""
    if value:
        near = _near(value, vocabulary.spellings(name))
        return f"{name} {near}" if near else ""
    near = _near(name, vocabulary.names())
    if near:
        return near
    # The attribute by whose values its own are known.
    known = (each for each in vocabulary.attributes if vocabulary.values(each, example))
    return next(known, "")


def _near(said: str, known: Mapping[str, str]) -> str:
    stem = " ".join(terms(said))
    found = get_close_matches(stem, known, n=1, cutoff=NEAR)
    return known[found[0]] if found else ""
