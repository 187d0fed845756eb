"""Query parameters of a vertical: query, filters, sort order and page."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from inspect import Parameter, Signature
from typing import Annotated, Any, Literal

from fastapi import Query as QueryParameter
from starlette.datastructures import QueryParams as UrlParams

from byway.core.verticals import Vertical
from byway.web.api.params import (
    AttributeFilters,
    FilterValues,
    FlagParam,
    LimitParam,
    PageParam,
    QueryParam,
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
    """The parameters of the page of a vertical; an error if one of them is invalid."""
    names = [param.name for param in vertical.filters] + ["attribute"]
    filters = _collect(vertical, {name: url_params.getlist(name) for name in names})[:MAX_FILTERS]
    values = {name: url_params.get(name, "") for name in ("page", "limit", "sort", "personalize")}
    return _parse(vertical, url_params.get("q", ""), filters, **values)


def api_params(vertical: Vertical) -> Callable[..., QueryParams]:
    """The dependency that parses the API parameters; its signature describes them."""
    group_param = f"group_{vertical.group_name}"

    def read(**values: Any) -> QueryParams:
        given = {
            name: [value] if isinstance(value, str) else value for name, value in values.items()
        }
        given_filters = {
            name: texts
            for name, texts in given.items()
            if name not in ("q", "page", "limit", "sort", group_param)
        }
        params = _parse(
            vertical,
            values["q"],
            _collect(vertical, given_filters),
            page=str(values["page"]),
            limit=str(values["limit"]),
            sort=values["sort"],
        )
        return replace(params, group_records=values.get(group_param, False))

    annotations: dict[str, Any] = {
        param.name: FilterValues if param.kind == "any" else _text_param(param.pattern)
        for param in vertical.filters
    }
    defaults: dict[str, tuple[Any, Any]] = {
        "q": (QueryParam, ""),
        "page": (PageParam, 1),
        "limit": (LimitParam, DEFAULT_PAGE_SIZE),
        "sort": (Literal[vertical_sorts(vertical)], "relevance"),
    }
    if vertical.group_name:
        defaults[group_param] = (FlagParam, True)
    parameters = [
        *(
            _parameter(name, kind)
            for name, kind in (annotations | {"attribute": AttributeFilters}).items()
        ),
        *(_parameter(name, kind, default) for name, (kind, default) in defaults.items()),
    ]
    read.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return read


def _parameter(name: str, annotation: Any, default: Any = Parameter.empty) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _text_param(pattern: str) -> Any:
    # No default in the description: an empty value does not match the pattern.
    return Annotated[str, QueryParameter(default_factory=str, pattern=pattern or None)]


def _collect(vertical: Vertical, values: Mapping[str, Iterable[str]]) -> Filters:
    """The filters without duplicates; a repeated one matches any of its values."""
    repeated = [param.name for param in vertical.filters if param.kind == "any"]
    single = [param.name for param in vertical.filters if param.kind != "any"]
    return collect_filters(
        {name: values[name] for name in (*repeated, "attribute")},
        [(name, value) for name in single for value in [*values[name]][-1:]],
    )


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
    """A number as people type it, 1 500 or 1500,50, in plain digits."""
    plain = re.sub(r"[\s\u00a0]", "", value).replace(",", ".")
    if not AMOUNT_PATTERN.fullmatch(plain):
        raise QueryParamsError("invalid", "web.bad_number", name=name)
    return plain
