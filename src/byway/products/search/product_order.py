"""Order of product results by price, rating or matched chips; grouping of identical products.

Product attributes are stored in documents, so the document of every candidate is read.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np

from byway.core.model import Chip, Document, Offer, Query, Url, UrlId
from byway.core.model.candidates import Candidates, Floats, Ids
from byway.core.url import host_of
from byway.products.record import filters_of
from byway.products.search.product_query import count_matched_chips

MAX_CACHED_PRODUCTS = 20_000
"""Products that are cached between searches: about 2 KB each."""
SORT_KEYS = {"price": ("price", 1.0), "-price": ("price", -1.0), "rating": ("rating", -1.0)}
"""Sort orders: the filter that is sorted by, and 1 for ascending or -1 for descending."""

DocumentLookup = Callable[[UrlId], Document | None]
ProductFilters = Mapping[str, object]


class ProductCache:
    """Cache of product filters by document id."""

    def __init__(self, get_document: DocumentLookup) -> None:
        self._get_document = get_document
        self._products: dict[int, tuple[Url, ProductFilters]] = {}
        self._commit = -1

    def invalidate(self, commit: int) -> None:
        """Drop products cached for an earlier index commit."""
        if commit != self._commit:
            self._commit, self._products = commit, {}

    def filters(self, id: int) -> ProductFilters:
        """The filter values of a product, by attribute."""
        return self._cached_product(id)[1]

    def host(self, id: int) -> str:
        """The host of a product's shop."""
        url = self._cached_product(id)[0]
        return host_of(url) if url else ""

    def offer(self, id: int) -> Offer:
        """The price of a product in its shop."""
        url, filters = self._cached_product(id)
        price = filters.get("price")
        return Offer(
            url,
            float(price) if isinstance(price, int | float) else None,
            str(filters.get("currency", "")),
            str(filters.get("availability", "")),
        )

    def _cached_product(self, id: int) -> tuple[Url, ProductFilters]:
        product = self._products.get(id)
        if product is None:
            document = self._get_document(UrlId(id))
            product = (document.url, filters_of(document)) if document else (Url(""), {})
            if len(self._products) >= MAX_CACHED_PRODUCTS:
                self._products.clear()
            self._products[id] = product
        return product


@dataclass(frozen=True, slots=True)
class ResultOrder:
    """The rows of candidates in result order, with duplicates and groups."""

    rows: list[int]
    demoted: Mapping[int, int] = field(default_factory=dict)
    """Numbers of demoted hits of the same host, by position."""
    duplicate_of: Mapping[int, int] = field(default_factory=dict)
    """Duplicate rows, and the row that each repeats."""
    offer_groups: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """Rows of the same product, by the first of them."""
    currencies: tuple[str, ...] = ()


def order_products(
    candidates: Candidates,
    scores: Floats,
    query: Query,
    relaxed_chips: Sequence[Chip],
    duplicate_of: Mapping[int, int],
    products: ProductCache,
) -> ResultOrder:
    """Products in the order of the query; `relaxed_chips` need not match all of them."""
    ids = candidates.ids
    rows: list[int] = np.lexsort((ids, -scores)).tolist()
    currencies: list[str] = []
    if query.sort == "date":
        rows = np.lexsort((ids, -scores, -candidates.epoch_days)).tolist()
    elif query.sort in SORT_KEYS:
        rows, currencies = sort_by_number(ids, query.sort, scores, products)
    elif relaxed_chips:
        rows = sort_by_matched_chips(ids, rows, relaxed_chips, products)
    if not query.include_duplicates:
        rows = [row for row in rows if row not in duplicate_of]
    groups: Mapping[int, Sequence[int]] = {}
    if query.group_offers:
        groups = group_same_products(ids, rows, products)
        rows = [row for row in rows if row in groups]
    return ResultOrder(
        rows=rows,
        duplicate_of=duplicate_of,
        offer_groups=groups,
        currencies=tuple(currencies),
    )


def sort_by_number(
    ids: Ids, sort: str, scores: Floats, products: ProductCache
) -> tuple[list[int], list[str]]:
    """The rows of products sorted by a number, and the currencies in order.

    Prices are compared only within a currency: the most frequent one comes first. Products without
    the number come last, by score.
    """
    name, sign = SORT_KEYS[sort]
    numbers = np.array([_number(products.filters(int(id)), name) for id in ids])
    keys = np.where(np.isnan(numbers), inf, sign * numbers)
    currencies: list[str] = []
    currency_ranks = np.zeros(len(ids))
    if name == "price":
        row_currencies = [str(products.filters(int(id)).get("currency", "")) for id in ids]
        pairs = zip(row_currencies, keys, strict=True)
        counts = Counter(currency for currency, key in pairs if key < inf)
        currencies = sorted(counts, key=lambda currency: (-counts[currency], currency))
        ranks = {currency: rank for rank, currency in enumerate(currencies)}
        currency_ranks = np.array([ranks.get(each, len(ranks)) for each in row_currencies])
        currency_ranks[keys == inf] = len(ranks)
    order: list[int] = np.lexsort((ids, -scores, keys, currency_ranks)).tolist()
    return order, currencies


def sort_by_matched_chips(
    ids: Ids, order: Sequence[int], chips: Sequence[Chip], products: ProductCache
) -> list[int]:
    """The rows by the number of chips they match; ties keep their order."""
    counts = {row: count_matched_chips(chips, products.filters(int(ids[row]))) for row in order}
    return sorted(order, key=lambda row: -counts[row])


def group_same_products(
    ids: Ids, order: Sequence[int], products: ProductCache
) -> dict[int, list[int]]:
    """Groups of rows with the same product, by their first row: union-find over identity keys."""
    parents: list[int] = []  # by position in `order`; a root is its own parent

    def root(position: int) -> int:
        while parents[position] != position:
            parents[position] = parents[parents[position]]  # path compression
            position = parents[position]
        return position

    position_by_key: dict[str, int] = {}
    for position, row in enumerate(order):
        parents.append(position)
        identity_keys = products.filters(int(ids[row])).get("same")
        keys = [str(key) for key in identity_keys] if isinstance(identity_keys, list) else []
        roots = {position, *(root(position_by_key[key]) for key in keys if key in position_by_key)}
        # A row with two keys joins the groups of both.
        for other in roots:
            parents[other] = min(roots)
        position_by_key |= dict.fromkeys(keys, position)
    groups: dict[int, list[int]] = {}
    for position, row in enumerate(order):
        groups.setdefault(order[root(position)], []).append(row)
    return groups


def offers_of(ids: Ids, rows: Iterable[int], products: ProductCache) -> tuple[Offer, ...]:
    """The offers for one product by currency, cheapest first."""
    offers = (products.offer(int(ids[row])) for row in rows)
    return tuple(sorted(offers, key=_offer_order))


def _offer_order(offer: Offer) -> tuple[str, bool, float, Url]:
    return offer.currency, offer.price is None, offer.price or 0, offer.url


def _number(filters: ProductFilters, name: str) -> float:
    value = filters.get(name)
    return float(value) if isinstance(value, int | float) else np.nan
