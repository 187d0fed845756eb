"""How are goods put in order and counted? By price and rating, brand, kind, colour, size.

What a product is like is in its document, so as many as anybody can page through are looked at.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf

import numpy as np

from byway.model import AnyOf, Document, Filter, Part, Question, UrlId
from byway.ports import Facets, Floats, Ids
from byway.products.record import filters_of

COUNTED = ("kind", "brand", "colour", "size", "gender", "material", "season", "heel", "toe")
"""The attributes by which goods are counted."""
KEYS = {"price": ("price", 1.0), "-price": ("price", -1.0), "rating": ("rating", -1.0)}
"""The orders in which goods may stand: by which number, and whether from the lowest."""

Get = Callable[[UrlId], Document | None]
Found = Callable[[Question], Ids]


def order_of(ids: Ids, sort: str, scores: Floats, get: Get) -> list[int]:
    """The rows of products by a number of theirs; those without it come last, best first."""
    name, sign = KEYS[sort]
    numbers = np.array([_number(get(UrlId(int(id))), name) for id in ids])
    keys = np.where(np.isnan(numbers), inf, sign * numbers)
    order: list[int] = np.lexsort((ids, -scores, keys)).tolist()
    return order


def counted(question: Question, found: Found, get: Get, most: int) -> Facets:
    """How many products there are of each value.

    An attribute that the question itself asks for is counted as if it did not: whoever looks for
    red sees how many are blue.
    """
    every = list(_filters(found(question), get))
    counts: dict[str, tuple[tuple[str, int], ...]] = {}
    for name in COUNTED:
        others = Question(tuple(part for part in question.parts if not _asks(part, name)))
        here = every if others == question else list(_filters(found(others), get))
        counts[name] = _most_frequent(here, name, most)
    return counts


def _asks(part: Part, name: str) -> bool:
    """Does a part of a question ask for this attribute?"""
    parts: Sequence[Part] = part.parts if isinstance(part, AnyOf) else (part,)
    return any(isinstance(one, Filter) and one.name == name for one in parts)


def _filters(ids: Ids, get: Get) -> Iterable[Mapping[str, object]]:
    for id in ids:
        document = get(UrlId(int(id)))
        if document is not None:
            yield filters_of(document)


def _most_frequent(
    every: Iterable[Mapping[str, object]], name: str, most: int
) -> tuple[tuple[str, int], ...]:
    counts = Counter(
        f"{value:g}" if isinstance(value, float) else str(value)
        for one in every
        for value in _values(one.get(name))
    )
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:most])


def _values(value: object) -> list[object]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _number(document: Document | None, name: str) -> float:
    value = filters_of(document).get(name) if document is not None else None
    return float(value) if isinstance(value, int | float) else np.nan
