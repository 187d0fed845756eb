"""API parameters: exactly those in the OpenAPI description.

An invalid parameter is rejected with 422, and a valid request that cannot be answered with 400.
"""

from difflib import get_close_matches
from typing import Annotated, Literal

from fastapi import Depends, Request
from fastapi import Query as Parameter

from byway.web.problems import HttpError
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
# No default in the description: an empty value matches neither pattern.
YearParam = Annotated[str, Parameter(default_factory=str, pattern=r"^[1-9][0-9]{3}$")]
DateParam = Annotated[
    str,
    Parameter(
        default_factory=str, pattern=r"^[1-9][0-9]{3}(-(0[1-9]|1[0-2])(-[0-2][0-9]|-3[01])?)?$"
    ),
]


def _page_filters(
    site: FilterValues,
    lang: FilterValues,
    type: FilterValues,
    year: YearParam,
    after: DateParam,
    before: DateParam,
) -> Filters:
    """The filters without duplicates. `site`, `lang` and `type` can be repeated."""
    repeated = {"site": site, "lang": lang, "type": type}
    return collect_filters(repeated, [("year", year), ("after", after), ("before", before)])


PageFilterParams = Annotated[Filters, Depends(_page_filters)]


async def reject_unknown_params(request: Request) -> None:
    """Reject an unknown or repeated parameter, which would otherwise be ignored silently."""
    methods = request.app.openapi()["paths"].get(request.scope["route"].path, {})
    described = methods.get(request.method.lower(), {}).get("parameters", ())
    schemas = {param["name"]: param["schema"] for param in described if param["in"] == "query"}
    known, given = list(schemas), [name for name, _ in request.query_params.multi_items()]
    for name in known:
        if schemas[name].get("type") != "array" and given.count(name) > 1:
            raise HttpError(422, "web.param_repeated", name=name, times=given.count(name))
    unknown = next((name for name in given if name not in known), None)
    if methods and unknown is not None:
        raise _unknown_param(unknown[:100], known)


def _unknown_param(name: str, known: list[str]) -> HttpError:
    if near := get_close_matches(name, known, n=1):
        return HttpError(422, "web.mistyped_param", name=name, correction=near[0])
    if known:
        return HttpError(422, "web.unknown_param", name=name, known=known)
    return HttpError(422, "web.unknown_param_without_others", name=name)
