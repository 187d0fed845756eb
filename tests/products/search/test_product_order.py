"""Goods that sell one thing stand together, and only so many are remembered."""

import numpy as np

from byway.core.model import Document, UrlId
from byway.core.url import normalize
from byway.products.record import PRODUCT_ATTRIBUTE, Product, product_to_dict
from byway.products.search.product_order import (
    MAX_CACHED_PRODUCTS,
    ProductCache,
    group_same_products,
)
from byway.products.vocabulary.lookup import default_vocabulary

CODES = ("4006381333931", "5901234123457")


def goods(id: int, **about: str) -> Document:
    product = Product(name="Shoes", price=10.0, currency="EUR", **about)  # type: ignore[arg-type]
    url = normalize(f"http://a.org/{id}")
    return Document(
        url,
        UrlId(id),
        "Shoes",
        attributes={PRODUCT_ATTRIBUTE: product_to_dict(product, default_vocabulary())},
    )


def groups(*documents: Document) -> dict[int, list[int]]:
    shelf = ProductCache({one.id: one for one in documents}.get)
    return group_same_products(
        np.array([one.id for one in documents]), range(len(documents)), shelf
    )


def test_groups_keep_the_order_of_products() -> None:
    by_code, by_number = {"gtin": CODES[0]}, {"brand": "Halm", "sku": "AB1234"}
    found = groups(goods(1, **by_code), goods(2, **by_number), goods(3, **by_code, **by_number))
    assert found == {0: [0, 1, 2]}


def test_groups_that_are_joined_late_are_one() -> None:
    first, second, other = {"gtin": CODES[0]}, {"brand": "Halm", "sku": "AB1234"}, CODES[1]
    found = groups(
        goods(1, **second),
        goods(2, gtin=other),
        goods(3, **first),
        goods(4, **first),
        goods(5, **first, **second),
        goods(6, gtin=other),
        goods(7, **second),
    )
    assert found == {0: [0, 2, 3, 4, 6], 1: [1, 5]}


def test_the_product_cache_is_bounded_within_one_search() -> None:
    read: list[UrlId] = []

    def get(id: UrlId) -> None:
        read.append(id)

    shelf = ProductCache(get)
    shelf.invalidate(1)
    for id in (*range(MAX_CACHED_PRODUCTS), *range(MAX_CACHED_PRODUCTS)):
        shelf.filters(id)
    assert len(read) == MAX_CACHED_PRODUCTS, "as long as there is room, each is read once"
    shelf.filters(MAX_CACHED_PRODUCTS)
    shelf.filters(0)
    assert read[-1] == 0, "it was forgotten, to make room"
