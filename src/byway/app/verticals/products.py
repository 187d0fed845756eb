"""Products in a data folder: shop coverage, unknown vocabulary words, price history."""

from byway.app.pages import ArchivedPage
from byway.app.search import SearchSession
from byway.core.verticals import HistoryPoint
from byway.products.coverage import Shop, UnknownWord, find_unknown_words, shop_coverage
from byway.products.vertical import Products
from byway.products.vocabulary.unknown_words import as_toml

__all__ = ["Shop", "UnknownWord", "as_toml", "price_history", "shops", "unknown_words"]


def shops(session: SearchSession) -> list[Shop]:
    """The hosts that have products, most products first."""
    return shop_coverage(session.documents())


def unknown_words(session: SearchSession) -> list[UnknownWord]:
    """Names and values of products that are not in the vocabulary, most frequent first."""
    products = next(each for each in session.verticals if isinstance(each, Products))
    return find_unknown_words(session.documents(), products.vocabulary)


def price_history(page: ArchivedPage, max_versions: int) -> list[HistoryPoint]:
    """The product of a page at each fetch, oldest first."""
    return page.record_history(Products(), max_versions)
