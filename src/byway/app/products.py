"""Products of a data folder: coverage of shops, unknown vocabulary words, price history."""

from dataclasses import dataclass

from byway.app.pages import ArchivedPage, PageArchive
from byway.app.search import SearchSession
from byway.products.coverage import Shop, UnknownWord, find_unknown_words, shop_coverage
from byway.products.record import EXPECTED_FIELDS, product_from_dict
from byway.products.vertical import Products
from byway.products.vocabulary.unknown_words import as_toml

__all__ = [
    "EXPECTED_FIELDS",
    "PricePoint",
    "Shop",
    "UnknownWord",
    "as_toml",
    "price_history",
    "shops",
    "unknown_words",
]


@dataclass(frozen=True, slots=True)
class PricePoint:
    """The price of a product when its page was fetched."""

    at: float
    """Unix time."""
    price: float | None = None
    currency: str = ""
    old_price: float | None = None
    availability: str = ""


def shops(session: SearchSession) -> list[Shop]:
    """The hosts that have products, those with most products first."""
    return shop_coverage(session.documents())


def unknown_words(session: SearchSession) -> list[UnknownWord]:
    """Names and values of products that are not in the vocabulary, the most frequent first."""
    return find_unknown_words(session.documents(), _products(session).vocabulary)


def price_history(
    archive: PageArchive, page: ArchivedPage, session: SearchSession, max_versions: int
) -> list[PricePoint]:
    """The price of the product of a page at each fetch, oldest first."""
    points = archive.record_history(page, _products(session), max_versions)
    products = ((at, product_from_dict(record)) for at, record in points)
    return [
        PricePoint(at, each.price, each.currency, each.old_price, each.availability)
        for at, each in products
    ]


def _products(session: SearchSession) -> Products:
    return next(each for each in session.verticals if isinstance(each, Products))
