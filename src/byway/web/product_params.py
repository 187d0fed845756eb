"""Query parameters of product search: query, product filters and price range."""

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


def _filters_from(
    shop: RepeatedParam,
    brand: RepeatedParam,
    kind: RepeatedParam,
    colour: RepeatedParam,
    size: RepeatedParam,
    gender: RepeatedParam,
    attribute: RepeatedParam,
    min_price: str = "",
    max_price: str = "",
    currency: str = "",
) -> Filters:
    """The filters of a URL, each once; for a repeated filter, any of its values may match."""
    repeated = {"shop": shop, "kind": kind, "brand": brand, "colour": colour, "size": size}
    repeated |= {"gender": gender, "attribute": attribute}
    prices = [("min_price", min_price), ("max_price", max_price), ("currency", currency)]
    return collect_filters(repeated, prices)[:MAX_FILTERS]


ProductFilterParams = Annotated[Filters, Depends(_filters_from)]


def parse_product_params(
    text: str, page: str, limit: str, filters: Filters, sort: str
) -> QueryParams:
    """The parameters of a product search; an error if one of them is invalid."""
    filters = tuple((name, _amount(name, value)) for name, value in filters)
    return replace(parse_query_params(text, page, limit, filters, sort), path=PRODUCTS_PATH)


def product_query(params: QueryParams, group_offers: bool = True) -> Query:
    """The query for the searcher; without words it matches all products."""
    return replace(params.query, product_search=True, group_offers=group_offers)


def _amount(name: str, value: str) -> str:
    """A price as people type it (1 500 or 1500,50), in plain digits."""
    if name not in ("min_price", "max_price"):
        return value
    plain = re.sub(r"[\s\u00a0]", "", value).replace(",", ".")
    if not PRICE_PATTERN.fullmatch(plain):
        raise QueryParamsError("invalid", "web.bad_price", name=name)
    return plain
