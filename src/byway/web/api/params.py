"""API parameters: exactly those in the OpenAPI description.

An invalid parameter is rejected with 422, and a valid request that cannot be answered with 400.
"""

import inspect
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from fastapi import Depends
from fastapi import Query as Parameter

from byway.core.operators import url_params
from byway.core.verticals import FilterParam
from byway.web.query_params import (
    MAX_FILTER_CHARS,
    MAX_FILTERS,
    MAX_PAGE_SIZE,
    MAX_QUERY_CHARS,
    MAX_RESULT_WINDOW,
    Filters,
    collect_filters,
)

QueryParam = Annotated[str, Parameter(max_length=MAX_QUERY_CHARS)]
UrlParam = Annotated[str, Parameter(min_length=1, max_length=MAX_QUERY_CHARS)]
PageParam = Annotated[int, Parameter(ge=1, le=MAX_RESULT_WINDOW)]
LimitParam = Annotated[int, Parameter(ge=1, le=MAX_PAGE_SIZE)]
SortParam = Annotated[Literal["relevance", "date"], Parameter()]
FlagParam = Annotated[bool, Parameter()]
FilterValue = Annotated[str, Parameter(min_length=1, max_length=MAX_FILTER_CHARS)]
FilterValues = Annotated[list[FilterValue], Parameter(default_factory=list, max_length=MAX_FILTERS)]
AttributeFilter = Annotated[str, Parameter(pattern=r"^[^:]+:.+$", max_length=MAX_FILTER_CHARS)]
AttributeFilters = Annotated[
    list[AttributeFilter], Parameter(default_factory=list, max_length=MAX_FILTERS)
]


def page_filters() -> Any:
    """The dependency that parses the filters of pages; its signature describes them."""
    params = url_params()

    def read(**values: Any) -> Filters:
        return collect_filters(params, as_lists(values))

    read.__signature__ = inspect.Signature(filter_parameters(params))  # type: ignore[attr-defined]
    return Depends(read)


def filter_parameters(params: Iterable[FilterParam]) -> list[inspect.Parameter]:
    """The filters as parameters of a function."""
    return [
        keyword_parameter(
            param.name, FilterValues if param.kind == "any" else _text_param(param.pattern)
        )
        for param in params
    ]


def keyword_parameter(
    name: str, annotation: Any, default: Any = inspect.Parameter.empty
) -> inspect.Parameter:
    """A keyword parameter of a function."""
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
    )


def as_lists(values: Mapping[str, Any]) -> dict[str, list[str]]:
    """The values of parameters, each as a list."""
    return {name: [value] if isinstance(value, str) else value for name, value in values.items()}


def _text_param(pattern: str) -> Any:
    # No default in the description: an empty value does not match the pattern.
    return Annotated[str, Parameter(default_factory=str, pattern=pattern or None)]
