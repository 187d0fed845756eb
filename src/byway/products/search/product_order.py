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
from byway.products.search.product_query import kept_of

MOST_KNOWN = 20_000
"""Goods that are remembered from one search to the next: about 2 KB each."""
KEYS = {"price": ("price", 1.0), "-price": ("price", -1.0), "rating": ("rating", -1.0)}
"""The orders in which goods may stand: by which number, and whether from the lowest."""

Get = Callable[[UrlId], Document | None]
Filters = Mapping[str, object]


class Shelf:
    """Goods by their numbers; each document is read once, as long as there is room."""

    def __init__(self, get: Get) -> None:
        self._get = get
        self._known: dict[int, tuple[Url, Filters]] = {}
        self._stamp = -1

    def renew(self, stamp: int) -> None:
        """Forget goods of another time."""
        if stamp != self._stamp:
            self._stamp, self._known = stamp, {}

    def filters(self, id: int) -> Filters:
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

    def _look(self, id: int) -> tuple[Url, Filters]:
        known = self._known
        found = known.get(id)
        if found is None:
            document = self._get(UrlId(id))
            found = (document.url, filters_of(document)) if document else (Url(""), {})
            if len(known) >= MOST_KNOWN:
                known.clear()
            known[id] = found
        return found


@dataclass(frozen=True, slots=True)
class Order:
    """The rows of candidates in their order, and what else there is to say of it."""

    rows: list[int]
    put_off: Mapping[int, int] = field(default_factory=dict)
    """By place: how many hits of the same host would have stood there."""
    same: Mapping[int, int] = field(default_factory=dict)
    """Rows that say the same as another, and that one."""
    groups: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """Rows that sell the same, by the first of them."""
    currencies: tuple[str, ...] = ()


def arranged(
    candidates: Candidates,
    scores: Floats,
    query: Query,
    near: Sequence[Chip],
    same: Mapping[int, int],
    shelf: Shelf,
) -> Order:
    """Goods in the order that is asked for; `near` are the chips that not all of them keep."""
    ids = candidates.ids
    rows: list[int] = np.lexsort((ids, -scores)).tolist()
    currencies: list[str] = []
    if query.sort == "date":
        rows = np.lexsort((ids, -scores, -candidates.days)).tolist()
    elif query.sort in KEYS:
        rows, currencies = order_of(ids, query.sort, scores, shelf)
    elif near:
        rows = nearest(ids, rows, near, shelf)
    if not query.duplicates:
        rows = [row for row in rows if row not in same]
    groups: Mapping[int, Sequence[int]] = {}
    if query.grouped:
        groups = grouped(ids, rows, shelf)
        rows = [row for row in rows if row in groups]
    return Order(rows, {}, same, groups, tuple(currencies))


def order_of(ids: Ids, sort: str, scores: Floats, shelf: Shelf) -> tuple[list[int], list[str]]:
    """The rows of products by a number of theirs, and the currencies in their order.

    Prices are compared within a currency alone: the one that most goods have comes first. Those
    without the number come last, best first.
    """
    name, sign = KEYS[sort]
    numbers = np.array([_number(shelf.filters(int(id)), name) for id in ids])
    keys = np.where(np.isnan(numbers), inf, sign * numbers)
    currencies: list[str] = []
    places = np.zeros(len(ids))
    if name == "price":
        each = [str(shelf.filters(int(id)).get("currency", "")) for id in ids]
        priced = Counter(one for one, key in zip(each, keys, strict=True) if key < inf)
        currencies = sorted(priced, key=lambda one: (-priced[one], one))
        place = {one: number for number, one in enumerate(currencies)}
        places = np.array([place.get(one, len(place)) for one in each])
        places[keys == inf] = len(place)
    order: list[int] = np.lexsort((ids, -scores, keys, places)).tolist()
    return order, currencies


def nearest(ids: Ids, order: Sequence[int], chips: Sequence[Chip], shelf: Shelf) -> list[int]:
    """The same rows, those first that keep more of what was asked for."""
    kept = {row: kept_of(chips, shelf.filters(int(ids[row]))) for row in order}
    return sorted(order, key=lambda row: -kept[row])


def grouped(ids: Ids, order: Sequence[int], shelf: Shelf) -> dict[int, list[int]]:
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
        keys = shelf.filters(int(ids[row])).get("same")
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


def offers_of(ids: Ids, rows: Iterable[int], shelf: Shelf) -> tuple[Offer, ...]:
    """Who sells one thing, by currency, the cheapest first."""
    offers = (shelf.offer(int(ids[row])) for row in rows)
    return tuple(
        sorted(offers, key=lambda one: (one.currency, one.price is None, one.price or 0, one.url))
    )


def _number(filters: Filters, name: str) -> float:
    value = filters.get(name)
    return float(value) if isinstance(value, int | float) else np.nan
