"""How many goods are there of each shop, brand, kind, colour, size, and whatever else they have?"""

from collections import Counter
from collections.abc import Callable, Sequence

from byway.core.model.candidates import Ids
from byway.core.model.query import AnyOf, Clause, Filter, ParsedQuery
from byway.core.ports import Facets
from byway.products.search.product_order import ProductCache, group_same_products

FACET_ATTRIBUTES = ("kind", "brand", "colour", "size", "gender")
"""The attributes by which goods are always counted."""
NON_FACET_ATTRIBUTES = frozenset(
    {"is", "lacks", "same", "price", "currency", "old_price", "rating", "reviews", "sku", "gtin",
     "size_ru", "size_eu", "size_uk", "size_us", "name", "url"}
)  # fmt: skip
MIN_ATTRIBUTE_SHARE, MAX_EXTRA_FACETS = 0.2, 8
"""Other attributes are counted if that share of the goods has them, and only so many."""
MAX_ATTRIBUTE_VALUES = 30
"""An attribute with more values than that among the goods is no choice to give anybody."""

IdLookup = Callable[[ParsedQuery], Ids]


def count_facets(
    query: ParsedQuery,
    find_ids: IdLookup,
    products: ProductCache,
    limit: int,
    group_offers: bool = False,
) -> Facets:
    """How many products there are of each shop and of each value; what is the same counts once.

    An attribute that the question itself asks for is counted as if it did not: whoever looks for
    red sees how many are blue.
    """
    every = _ProductSet(find_ids(query), products, group_offers)
    counts: dict[str, tuple[tuple[str, int], ...]] = {}
    for name in ("shop", *FACET_ATTRIBUTES, *_frequent(every.ids, query, products), "currency"):
        asked = "site" if name == "shop" else name
        others = ParsedQuery(tuple(part for part in query.clauses if not _asks(part, asked)))
        here = every if others == query else _ProductSet(find_ids(others), products, group_offers)
        counts[name] = here.count(name, limit)
    return counts


class _ProductSet:
    """Some goods, counted by one attribute after the other."""

    def __init__(self, ids: Ids, shelf: ProductCache, as_groups: bool) -> None:
        self.ids = ids.tolist()
        self._products = shelf
        rows = group_same_products(ids, range(len(ids)), shelf).values() if as_groups else ()
        self._groups = [[self.ids[row] for row in each] for each in rows]

    def count(self, name: str, most: int) -> tuple[tuple[str, int], ...]:
        """The most frequent values of an attribute; what is the same counts once."""
        counts: Counter[object] = Counter()
        for group in self._groups or ([id] for id in self.ids):
            values = [value for id in group for value in _values(id, name, self._products)]
            counts.update(values if len(group) == 1 else set(values))
        told = ((_text(value), count) for value, count in counts.items())
        return tuple(sorted(told, key=lambda pair: (-pair[1], pair[0]))[:most])


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _frequent(ids: Sequence[int], question: ParsedQuery, shelf: ProductCache) -> list[str]:
    """Other attributes that are asked for, or that many of the goods have."""
    has: Counter[str] = Counter()
    values: dict[str, set[str]] = {}
    for id in ids:
        for name, value in shelf.filters(id).items():
            if name not in NON_FACET_ATTRIBUTES and name not in FACET_ATTRIBUTES:
                has[name] += 1
                values.setdefault(name, set()).update(map(str, _each(value)))
    asked = [name for name in has if any(_asks(part, name) for part in question.clauses)]
    many = [
        name
        for name, count in has.most_common()
        if count >= MIN_ATTRIBUTE_SHARE * len(ids) and 1 < len(values[name]) <= MAX_ATTRIBUTE_VALUES
    ]
    return list(dict.fromkeys([*asked, *many]))[:MAX_EXTRA_FACETS]


def _asks(part: Clause, name: str) -> bool:
    """Does a part of a question ask for this attribute, first of all?"""
    first = part.clauses[0] if isinstance(part, AnyOf) else part
    return isinstance(first, Filter) and first.name == name


def _values(id: int, name: str, shelf: ProductCache) -> list[object]:
    return [shelf.host(id)] if name == "shop" else _each(shelf.filters(id).get(name))


def _each(value: object) -> list[object]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]
