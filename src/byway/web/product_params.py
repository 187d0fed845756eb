"""Which goods are wanted? A question for goods and what was chosen of them, out of a URL."""

import re
from dataclasses import replace
from typing import Annotated

from fastapi import Depends

from byway.core.model import Query, Sort
from byway.web.query_params import (
    MOST_FILTERS,
    Asked,
    BadQuestion,
    Filters,
    Several,
    filters_of,
    read,
)

PATH = "/products"
PRICE = re.compile(r"\d{1,12}(\.\d{1,2})?")
SORTS: tuple[Sort, ...] = ("relevance", "price", "-price", "rating", "date")


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
    several = {"shop": shop, "kind": kind, "brand": brand, "colour": colour, "size": size}
    several |= {"gender": gender, "has": has}
    prices = [("price_from", price_from), ("price_to", price_to), ("currency", currency)]
    return filters_of(several, prices)[:MOST_FILTERS]


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
