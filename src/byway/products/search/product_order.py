"""How are goods put in order, and which are the same? By price, by rating, by what they keep.

What a product is like is in its document, so as many as anybody can page through are looked at.
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
"""Goods that are remembered from one search to the next: about 2 KB each."""
SORT_KEYS = {"price": ("price", 1.0), "-price": ("price", -1.0), "rating": ("rating", -1.0)}
"""The orders in which goods may stand: by which number, and whether from the lowest."""

DocumentLookup = Callable[[UrlId], Document | None]
ProductFilters = Mapping[str, object]


class ProductCache:
    """Goods by their numbers; each document is read once, as long as there is room."""

    def __init__(self, get_document: DocumentLookup) -> None:
        self._get_document = get_document
        self._cached: dict[int, tuple[Url, ProductFilters]] = {}
        self._commit = -1

    def invalidate(self, commit: int) -> None:
        """Forget goods of another time."""
        if commit != self._commit:
            self._commit, self._cached = commit, {}

    def filters(self, id: int) -> ProductFilters:
        """What a product can be filtered by."""
        return self._look(id)[1]

    def host(self, id: int) -> str:
        """The shop that a product is in."""
        url = self._look(id)[0]
        return host_of(url) if url else ""

    def offer(self, id: int) -> Offer:
        """What a product costs there."""
        url, filters = self._look(id)
        price = filters.get("price")
        return Offer(
            url,
            float(price) if isinstance(price, int | float) else None,
            str(filters.get("currency", "")),
            str(filters.get("availability", "")),
        )

    def _look(self, id: int) -> tuple[Url, ProductFilters]:
        known = self._cached
        found = known.get(id)
        if found is None:
            document = self._get_document(UrlId(id))
            found = (document.url, filters_of(document)) if document else (Url(""), {})
            if len(known) >= MAX_CACHED_PRODUCTS:
                known.clear()
            known[id] = found
        return found


@dataclass(frozen=True, slots=True)
class ResultOrder:
    """The rows of candidates in their order, and what else there is to say of it."""

    rows: list[int]
    demoted: Mapping[int, int] = field(default_factory=dict)
    """By place: how many hits of the same host would have stood there."""
    duplicate_of: Mapping[int, int] = field(default_factory=dict)
    """Rows that say the same as another, and that one."""
    offer_groups: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """Rows that sell the same, by the first of them."""
    currencies: tuple[str, ...] = ()


def order_products(
    candidates: Candidates,
    scores: Floats,
    query: Query,
    relaxed_chips: Sequence[Chip],
    duplicate_of: Mapping[int, int],
    products: ProductCache,
) -> ResultOrder:
    """Goods in the order that is asked for; `relaxed_chips` are the chips that not all of them
    keep.
    """
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
    return ResultOrder(rows, {}, duplicate_of, groups, tuple(currencies))


def sort_by_number(
    ids: Ids, sort: str, scores: Floats, products: ProductCache
) -> tuple[list[int], list[str]]:
    """The rows of products by a number of theirs, and the currencies in their order.

    Prices are compared within a currency alone: the one that most goods have comes first. Those
    without the number come last, best first.
    """
    name, sign = SORT_KEYS[sort]
    numbers = np.array([_number(products.filters(int(id)), name) for id in ids])
    keys = np.where(np.isnan(numbers), inf, sign * numbers)
    currencies: list[str] = []
    places = np.zeros(len(ids))
    if name == "price":
        each = [str(products.filters(int(id)).get("currency", "")) for id in ids]
        priced = Counter(one for one, key in zip(each, keys, strict=True) if key < inf)
        currencies = sorted(priced, key=lambda one: (-priced[one], one))
        place = {one: number for number, one in enumerate(currencies)}
        places = np.array([place.get(one, len(place)) for one in each])
        places[keys == inf] = len(place)
    order: list[int] = np.lexsort((ids, -scores, keys, places)).tolist()
    return order, currencies


def sort_by_matched_chips(
    ids: Ids, order: Sequence[int], chips: Sequence[Chip], products: ProductCache
) -> list[int]:
    """The same rows, those first that keep more of what was asked for."""
    kept = {row: count_matched_chips(chips, products.filters(int(ids[row]))) for row in order}
    return sorted(order, key=lambda row: -kept[row])


def group_same_products(
    ids: Ids, order: Sequence[int], products: ProductCache
) -> dict[int, list[int]]:
    """The rows that sell one thing, by the first of them; all of them, in their order."""
    before: list[int] = []  # for each place, an earlier one that sells the same, or itself

    def first(place: int) -> int:
        while before[place] != place:
            before[place] = before[before[place]]  # so that the way is short the next time
            place = before[place]
        return place

    known: dict[str, int] = {}
    for place, row in enumerate(order):
        before.append(place)
        keys = products.filters(int(ids[row])).get("same")
        names = [str(key) for key in keys] if isinstance(keys, list) else []
        found = {place, *(first(known[name]) for name in names if name in known)}
        # What is known by two keys joins those that had one each.
        for other in found:
            before[other] = min(found)
        known |= dict.fromkeys(names, place)
    groups: dict[int, list[int]] = {}
    for place, row in enumerate(order):
        groups.setdefault(order[first(place)], []).append(row)
    return groups


def offers_of(ids: Ids, rows: Iterable[int], products: ProductCache) -> tuple[Offer, ...]:
    """Who sells one thing, by currency, the cheapest first."""
    offers = (products.offer(int(ids[row])) for row in rows)
    return tuple(
        sorted(offers, key=lambda one: (one.currency, one.price is None, one.price or 0, one.url))
    )


def _number(filters: ProductFilters, name: str) -> float:
    value = filters.get(name)
    return float(value) if isinstance(value, int | float) else np.nan
