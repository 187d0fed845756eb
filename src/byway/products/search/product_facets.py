"""Product facets: counts of products by shop, brand, kind, colour, size and other attributes."""

from collections import Counter
from collections.abc import Callable, Sequence

from byway.core.model.candidates import Ids
from byway.core.model.query import AnyOf, Clause, Filter, ParsedQuery
from byway.core.ports import Facets
from byway.products.search.product_order import ProductCache, group_same_products

FACET_ATTRIBUTES = ("kind", "brand", "colour", "size", "gender")
"""Attributes that are always facets."""
NON_FACET_ATTRIBUTES = frozenset(
    {"is", "lacks", "same", "price", "currency", "old_price", "rating", "reviews", "sku", "gtin",
     "size_ru", "size_eu", "size_uk", "size_us", "name", "url"}
)  # fmt: skip
MIN_ATTRIBUTE_SHARE, MAX_EXTRA_FACETS = 0.2, 8
"""Minimum share of products with another attribute for a facet, and the number of such facets."""
MAX_ATTRIBUTE_VALUES = 30
"""Attributes with more values among the results are not facets."""

IdLookup = Callable[[ParsedQuery], Ids]


def count_facets(
    query: ParsedQuery,
    find_ids: IdLookup,
    products: ProductCache,
    limit: int,
    group_offers: bool = False,
) -> Facets:
    """Counts of products by shop and by attribute value; the same product counts once.

    The filter of the query on an attribute is ignored when counting it: a query for red products
    shows the number of blue ones.
    """
    matching = _ProductSet(find_ids(query), products, group_offers)
    counts: dict[str, tuple[tuple[str, int], ...]] = {}
    other_facets = _frequent_attributes(matching.ids, query, products)
    for name in ("shop", *FACET_ATTRIBUTES, *other_facets, "currency"):
        filter_name = "site" if name == "shop" else name
        clauses = [clause for clause in query.clauses if not _filters_by(clause, filter_name)]
        without_filter = ParsedQuery(tuple(clauses))
        product_set = (
            matching
            if without_filter == query
            else _ProductSet(find_ids(without_filter), products, group_offers)
        )
        counts[name] = product_set.count(name, limit)
    return counts


class _ProductSet:
    """The products of one query, counted by one attribute after another."""

    def __init__(self, ids: Ids, products: ProductCache, group_offers: bool) -> None:
        self.ids = ids.tolist()
        self._products = products
        groups = group_same_products(ids, range(len(ids)), products) if group_offers else {}
        self._groups = [[self.ids[row] for row in rows] for rows in groups.values()]

    def count(self, name: str, limit: int) -> tuple[tuple[str, int], ...]:
        """The most frequent values of an attribute; the same product counts once."""
        counts: Counter[object] = Counter()
        for group in self._groups or ([id] for id in self.ids):
            values = [value for id in group for value in _values(id, name, self._products)]
            counts.update(values if len(group) == 1 else set(values))
        labels = ((_text(value), count) for value, count in counts.items())
        return tuple(sorted(labels, key=lambda pair: (-pair[1], pair[0]))[:limit])


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _frequent_attributes(
    ids: Sequence[int], query: ParsedQuery, products: ProductCache
) -> list[str]:
    """Other attributes that the query filters by, or that many of the products have."""
    counts: Counter[str] = Counter()
    values: dict[str, set[str]] = {}
    for id in ids:
        for name, value in products.filters(id).items():
            if name not in NON_FACET_ATTRIBUTES and name not in FACET_ATTRIBUTES:
                counts[name] += 1
                values.setdefault(name, set()).update(map(str, _as_list(value)))
    filtered = [name for name in counts if any(_filters_by(each, name) for each in query.clauses)]
    frequent = [
        name
        for name, count in counts.most_common()
        if count >= MIN_ATTRIBUTE_SHARE * len(ids) and 1 < len(values[name]) <= MAX_ATTRIBUTE_VALUES
    ]
    return list(dict.fromkeys([*filtered, *frequent]))[:MAX_EXTRA_FACETS]


def _filters_by(clause: Clause, name: str) -> bool:
    """Whether a clause, or the first of its alternatives, filters by an attribute."""
    first = clause.clauses[0] if isinstance(clause, AnyOf) else clause
    return isinstance(first, Filter) and first.name == name


def _values(id: int, name: str, products: ProductCache) -> list[object]:
    return [products.host(id)] if name == "shop" else _as_list(products.filters(id).get(name))


def _as_list(value: object) -> list[object]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]
