"""Grouping of same products, and the size of the record cache."""

import numpy as np

from byway.core.model import Document, UrlId
from byway.core.url import normalize
from byway.products.record import PRODUCT_ATTRIBUTE, Product, product_to_dict
from byway.products.vocabulary.lookup import default_vocabulary
from byway.search.records.record_order import MAX_CACHED_RECORDS, RecordCache, group_same

CODES = ("4006381333931", "5901234123457")


def product_page(id: int, **fields: str) -> Document:
    product = Product(name="Shoes", price=10.0, currency="EUR", **fields)  # type: ignore[arg-type]
    url = normalize(f"http://a.org/{id}")
    return Document(
        url,
        UrlId(id),
        "Shoes",
        attributes={PRODUCT_ATTRIBUTE: product_to_dict(product, default_vocabulary())},
    )


def groups(*documents: Document) -> dict[int, list[int]]:
    products = RecordCache({document.id: document for document in documents}.get)
    return group_same(
        np.array([document.id for document in documents]), range(len(documents)), products
    )


def test_groups_keep_the_order_of_products() -> None:
    by_code, by_number = {"gtin": CODES[0]}, {"brand": "Halm", "sku": "AB1234"}
    found = groups(
        product_page(1, **by_code),
        product_page(2, **by_number),
        product_page(3, **by_code, **by_number),
    )
    assert found == {0: [0, 1, 2]}


def test_groups_that_are_joined_late_are_one() -> None:
    first, second, other = {"gtin": CODES[0]}, {"brand": "Halm", "sku": "AB1234"}, CODES[1]
    found = groups(
        product_page(1, **second),
        product_page(2, gtin=other),
        product_page(3, **first),
        product_page(4, **first),
        product_page(5, **first, **second),
        product_page(6, gtin=other),
        product_page(7, **second),
    )
    assert found == {0: [0, 2, 3, 4, 6], 1: [1, 5]}


def test_the_product_cache_is_bounded_within_one_search() -> None:
    read: list[UrlId] = []

    def get(id: UrlId) -> None:
        read.append(id)

    products = RecordCache(get)
    products.invalidate(1)
    for id in (*range(MAX_CACHED_RECORDS), *range(MAX_CACHED_RECORDS)):
        products.filters(id)
    assert len(read) == MAX_CACHED_RECORDS, "each document is read once while there is room"
    products.filters(MAX_CACHED_RECORDS)
    products.filters(0)
    assert read[-1] == 0, "the cache was cleared to make room"
