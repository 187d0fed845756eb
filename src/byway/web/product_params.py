"""Which goods are wanted? A question for goods and what was chosen of them, out of a URL."""

import re
from dataclasses import replace
from typing import Annotated

from fastapi import Depends

from byway.core.model import Query, Sort
from byway.web.query_params import (
    MAX_FILTERS,
    Filters,
    QueryParams,
    QueryParamsError,
    RepeatedParam,
    collect_filters,
    parse_query_params,
)

PRODUCTS_PATH = "/products"
PRICE_PATTERN = re.compile(r"\d{1,12}(\.\d{1,2})?")
PRODUCT_SORTS: tuple[Sort, ...] = ("relevance", "price", "-price", "rating", "date")


def _wanted(
    shop: RepeatedParam,
    brand: RepeatedParam,
    kind: RepeatedParam,
    colour: RepeatedParam,
    size: RepeatedParam,
    gender: RepeatedParam,
    has: RepeatedParam,
    price_from: str = "",
    price_to: str = "",
    currency: str = "",
) -> Filters:
    """The filters of a URL, each once; lists may be repeated, and one of each must hold."""
    several = {"shop": shop, "kind": kind, "brand": brand, "colour": colour, "size": size}
    several |= {"gender": gender, "has": has}
    prices = [("price_from", price_from), ("price_to", price_to), ("currency", currency)]
    return collect_filters(several, prices)[:MAX_FILTERS]


ProductFilterParams = Annotated[Filters, Depends(_wanted)]


def parse_product_params(
    text: str, page: str, limit: str, filters: Filters, sort: str
) -> QueryParams:
    """What a URL asks for of goods, or the reason why it cannot be had."""
    filters = tuple((name, _amount(name, value)) for name, value in filters)
    return replace(parse_query_params(text, page, limit, filters, sort), path=PRODUCTS_PATH)


def product_query(params: QueryParams, group_offers: bool = True) -> Query:
    """What the search is given: without a word, all goods there are."""
    return replace(params.query, product_search=True, group_offers=group_offers)


def _amount(name: str, value: str) -> str:
    """A price as somebody types it: 1 500 or 1500,50."""
    if name not in ("price_from", "price_to"):
        return value
    plain = re.sub(r"[\s\u00a0]", "", value).replace(",", ".")
    if not PRICE_PATTERN.fullmatch(plain):
        raise QueryParamsError("refused", f"{name} must be a number, as 1500")
    return plain
