"""Query parameters of a vertical: query, filters, sort order and page."""

import re
from collections.abc import Callable
from dataclasses import replace
from inspect import Signature
from typing import Any, Literal

from starlette.datastructures import QueryParams as UrlParams

from byway.core.verticals import Vertical
from byway.web.api.params import (
    AttributeFilters,
    FlagParam,
    LimitParam,
    PageParam,
    QueryParam,
    as_lists,
    filter_parameters,
    keyword_parameter,
)
from byway.web.query_params import (
    DEFAULT_PAGE_SIZE,
    MAX_FILTERS,
    Filters,
    QueryParams,
    QueryParamsError,
    collect_filters,
    parse_personalization,
    parse_query_params,
)

AMOUNT_PATTERN = re.compile(r"\d{1,12}(\.\d{1,2})?")


def vertical_sorts(vertical: Vertical) -> tuple[str, ...]:
    """The sort orders of a vertical."""
    return ("relevance", *vertical.sorts, "date")


def parse_vertical_params(vertical: Vertical, url_params: UrlParams) -> QueryParams:
    """Parse the parameters of a vertical's page; an invalid one raises an error."""
    names = [param.name for param in vertical.filters] + ["attribute"]
    given = {name: url_params.getlist(name) for name in names}
    filters = collect_filters(vertical.filters, given)[:MAX_FILTERS]
    values = {name: url_params.get(name, "") for name in ("page", "limit", "sort", "personalize")}
    return _parse(vertical, url_params.get("q", ""), filters, **values)


def api_params(vertical: Vertical) -> Callable[..., QueryParams]:
    """The dependency that parses the API parameters; its signature describes them."""
    group_param = f"group_{vertical.group_name}"
    filters = [
        *filter_parameters(vertical.filters),
        keyword_parameter("attribute", AttributeFilters),
    ]

    def read(**values: Any) -> QueryParams:
        given = as_lists({each.name: values[each.name] for each in filters})
        params = _parse(
            vertical,
            values["q"],
            collect_filters(vertical.filters, given),
            page=str(values["page"]),
            limit=str(values["limit"]),
            sort=values["sort"],
        )
        return replace(params, group_records=values.get(group_param, False))

    defaults: dict[str, tuple[Any, Any]] = {
        "q": (QueryParam, ""),
        "page": (PageParam, 1),
        "limit": (LimitParam, DEFAULT_PAGE_SIZE),
        "sort": (Literal[vertical_sorts(vertical)], "relevance"),
    }
    if vertical.group_name:
        defaults[group_param] = (FlagParam, True)
    others = [keyword_parameter(name, kind, default) for name, (kind, default) in defaults.items()]
    read.__signature__ = Signature([*filters, *others])  # type: ignore[attr-defined]
    return read


def _parse(
    vertical: Vertical,
    text: str,
    filters: Filters,
    page: str,
    limit: str,
    sort: str,
    personalize: str = "",
) -> QueryParams:
    kinds = {param.name: param.kind for param in vertical.filters}
    filters = tuple(
        (name, _amount(name, value) if kinds.get(name) in ("minimum", "maximum") else value)
        for name, value in filters
    )
    params = parse_query_params(text, page, limit, filters, sort, sorts=vertical_sorts(vertical))
    return replace(
        params,
        path=f"/{vertical.name}",
        vertical=vertical,
        group_records=bool(vertical.group_name),
        personalize=parse_personalization(personalize),
    )


def _amount(name: str, value: str) -> str:
    """Convert a typed number such as `1 500` or `1500,50` to plain digits."""
    plain = re.sub(r"[\s\u00a0]", "", value).replace(",", ".")
    if not AMOUNT_PATTERN.fullmatch(plain):
        raise QueryParamsError("invalid", "web.bad_number", name=name)
    return plain
