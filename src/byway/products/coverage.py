"""How well are shops read? Which of their pages are products, what is missing, what is unknown."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import chain

from byway.core.model import Document
from byway.core.text import terms
from byway.core.url import host_of
from byway.products.record import missing_fields, product_of
from byway.products.vocabulary.lookup import ProductVocabulary

MIN_SIMILARITY = 0.75
"""How alike two spellings must be for one to be suggested; the most of difflib's is 1."""
MAX_UNKNOWN_WORDS = 100_000


@dataclass(slots=True)
class Shop:
    """One shop, as far as it was kept."""

    host: str
    pages: int = 0
    products: int = 0
    missing_fields: Counter[str] = field(default_factory=Counter)
    """How many products lack a field."""
    price_sources: Counter[str] = field(default_factory=Counter)
    """How many products have their price from each source."""


@dataclass(frozen=True, slots=True)
class UnknownWord:
    """A name or a value that the vocabulary does not have."""

    name: str
    value: str = ""
    """Nothing, when it is the name that is not known."""
    count: int = 0
    example: str = ""
    suggestion: str = ""
    """What it may be the same as, as `colour` or `colour red`."""


def shop_coverage(documents: Iterable[Document]) -> list[Shop]:
    """The hosts that have products, those with most products first."""
    shops: dict[str, Shop] = {}
    for document in documents:
        shop = shops.setdefault(host_of(document.url), Shop(host_of(document.url)))
        shop.pages += 1
        product = product_of(document)
        if product is not None:
            shop.products += 1
            shop.missing_fields.update(missing_fields(document))
            shop.price_sources[product.sources.get("price", "none")] += 1
    found = (shop for shop in shops.values() if shop.products)
    return sorted(found, key=lambda shop: (-shop.products, shop.host))


def find_unknown_words(
    documents: Iterable[Document], vocabulary: ProductVocabulary
) -> list[UnknownWord]:
    """Names and values of products that are not in the vocabulary, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    for name, value in chain.from_iterable(map(_pairs, documents)):
        ours = vocabulary.find_attribute(name)
        if not ours:
            key = (name.lower(), "")
        elif vocabulary.attributes[ours].values and not vocabulary.find_values(ours, value):
            key = (ours, value.lower())
        else:
            continue
        if key in counts or len(counts) < MAX_UNKNOWN_WORDS:
            counts[key] += 1
            examples.setdefault(key, value)
    return [
        UnknownWord(*key, count, examples[key], _suggestion(*key, examples[key], vocabulary))
        for key, count in counts.most_common()
    ]


def _pairs(document: Document) -> Iterator[tuple[str, str]]:
    product = product_of(document)
    if product is not None:
        yield from product.attributes.items()
        yield from (("colour", colour) for colour in product.colours)
        named = {"kind": product.kind, "gender": product.gender}
        yield from ((name, value) for name, value in named.items() if value)


def _suggestion(name: str, value: str, example: str, vocabulary: ProductVocabulary) -> str:
    """What an unknown name or value may be the same as."""
    if value:
        near = _near(value, vocabulary.value_by_spelling(name))
        return f"{name} {near}" if near else ""
    near = _near(name, vocabulary.attribute_by_name())
    if near:
        return near
    # The attribute by whose values its own are known.
    known = (each for each in vocabulary.attributes if vocabulary.find_values(each, example))
    return next(known, "")


def _near(said: str, known: Mapping[str, str]) -> str:
    stem = " ".join(terms(said))
    found = get_close_matches(stem, known, n=1, cutoff=MIN_SIMILARITY)
    return known[found[0]] if found else ""
