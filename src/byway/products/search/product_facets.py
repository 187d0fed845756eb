"""How many goods are there of each shop, brand, kind, colour, size, and whatever else they have?"""

from collections import Counter
from collections.abc import Callable, Sequence

from byway.core.model.candidates import Ids
from byway.core.model.query import AnyOf, Filter, Part, Question
from byway.core.ports import Facets
from byway.products.search.product_order import Shelf, grouped

COUNTED = ("kind", "brand", "colour", "size", "gender")
"""The attributes by which goods are always counted."""
NOT_COUNTED = frozenset(
    {"is", "lacks", "same", "price", "currency", "old_price", "rating", "reviews", "sku", "gtin",
     "size_ru", "size_eu", "size_uk", "size_us", "name", "url"}
)  # fmt: skip
FREQUENT, MOST_FREQUENT = 0.2, 8
"""Other attributes are counted if that share of the goods has them, and only so many."""
MOST_VALUES = 30
"""An attribute with more values than that among the goods is no choice to give anybody."""

Found = Callable[[Question], Ids]


def counted(
    question: Question, found: Found, shelf: Shelf, most: int, as_groups: bool = False
) -> Facets:
    """How many products there are of each shop and of each value; what is the same counts once.

    An attribute that the question itself asks for is counted as if it did not: whoever looks for
    red sees how many are blue.
    """
    every = _Goods(found(question), shelf, as_groups)
    counts: dict[str, tuple[tuple[str, int], ...]] = {}
    for name in ("shop", *COUNTED, *_frequent(every.ids, question, shelf), "currency"):
        asked = "site" if name == "shop" else name
        others = Question(tuple(part for part in question.parts if not _asks(part, asked)))
        here = every if others == question else _Goods(found(others), shelf, as_groups)
        counts[name] = here.count(name, most)
    return counts


class _Goods:
    """Some goods, counted by one attribute after the other."""

    def __init__(self, ids: Ids, shelf: Shelf, as_groups: bool) -> None:
        self.ids = ids.tolist()
        self._shelf = shelf
        rows = grouped(ids, range(len(ids)), shelf).values() if as_groups else ()
        self._groups = [[self.ids[row] for row in each] for each in rows]

    def count(self, name: str, most: int) -> tuple[tuple[str, int], ...]:
        """The most frequent values of an attribute; what is the same counts once."""
        counts: Counter[object] = Counter()
        for group in self._groups or ([id] for id in self.ids):
            values = [value for id in group for value in _values(id, name, self._shelf)]
            counts.update(values if len(group) == 1 else set(values))
        told = ((_text(value), count) for value, count in counts.items())
        return tuple(sorted(told, key=lambda pair: (-pair[1], pair[0]))[:most])


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _frequent(ids: Sequence[int], question: Question, shelf: Shelf) -> list[str]:
    """Other attributes that are asked for, or that many of the goods have."""
    has: Counter[str] = Counter()
    values: dict[str, set[str]] = {}
    for id in ids:
        for name, value in shelf.filters(id).items():
            if name not in NOT_COUNTED and name not in COUNTED:
                has[name] += 1
                values.setdefault(name, set()).update(map(str, _each(value)))
    asked = [name for name in has if any(_asks(part, name) for part in question.parts)]
    many = [
        name
        for name, count in has.most_common()
        if count >= FREQUENT * len(ids) and 1 < len(values[name]) <= MOST_VALUES
    ]
    return list(dict.fromkeys([*asked, *many]))[:MOST_FREQUENT]


def _asks(part: Part, name: str) -> bool:
    """Does a part of a question ask for this attribute, first of all?"""
    first = part.parts[0] if isinstance(part, AnyOf) else part
    return isinstance(first, Filter) and first.name == name


def _values(id: int, name: str, shelf: Shelf) -> list[object]:
    return [shelf.host(id)] if name == "shop" else _each(shelf.filters(id).get(name))


def _each(value: object) -> list[object]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]
