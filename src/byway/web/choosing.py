"""Which goods are wanted? A question for goods and what was chosen of them, out of a URL."""

import re
from dataclasses import replace
from typing import Annotated

from fastapi import Depends

from byway.model import Query
from byway.web.asked import (
    LONGEST_FILTER,
    MOST_FILTERS,
    OF_GOODS,
    Asked,
    BadQuestion,
    Filters,
    Several,
    read,
)
from byway.web.shown import clean

PATH = "/products"
PRICE = re.compile(r"\d{1,12}(\.\d{1,2})?")
SORTS = ("relevance", "price", "-price", "rating", "date")


def _wanted(
    shop: Several,
    brand: Several,
    kind: Several,
    colour: Several,
    size: Several,
    gender: Several,
    has: Several,
    price_from: str = "",
    price_to: str = "",
    currency: str = "",
) -> Filters:
    """The filters of a URL, each once; lists may be repeated, and one of each must hold."""
    given = {"kind": kind, "brand": brand, "colour": colour, "size": size, "gender": gender}
    pairs = [("shop", value) for value in shop]
    pairs += [(name, value) for name in OF_GOODS for value in given[name]]
    pairs += [("has", value) for value in has]
    pairs += [("price_from", price_from), ("price_to", price_to), ("currency", currency)]
    fit = [(name, clean(value.replace('"', " "))[:LONGEST_FILTER].strip()) for name, value in pairs]
    return tuple(dict.fromkeys((name, value) for name, value in fit if value))[:MOST_FILTERS]


Wanted = Annotated[Filters, Depends(_wanted)]


def read_goods(text: str, page: str, limit: str, filters: Filters, sort: str) -> Asked:
    """What a URL asks for of goods, or the reason why it cannot be had."""
    filters = tuple((name, _amount(name, value)) for name, value in filters)
    return replace(read(text, page, limit, filters, sort), path=PATH)


def query_of(asked: Asked, grouped: bool = True) -> Query:
    """What the search is given: without a word, all goods there are."""
    return replace(asked.query, products=True, grouped=grouped)


def _amount(name: str, value: str) -> str:
    """A price as somebody types it: 1 500 or 1500,50."""
    if name not in ("price_from", "price_to"):
        return value
    plain = re.sub(r"[\s\u00a0]", "", value).replace(",", ".")
    if not PRICE.fullmatch(plain):
        raise BadQuestion("refused", f"{name} must be a number, as 1500")
    return plain
