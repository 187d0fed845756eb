"""API of every vertical: search, and the history of a record."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel, create_model

from byway.app.pages import HISTORY_TIMEOUT_SECONDS, MAX_HISTORY_VERSIONS
from byway.core.display import as_encodable, finite_or_none
from byway.core.verticals import Vertical
from byway.web.api.params import UrlParam
from byway.web.api.search import BaseSearchResponse, common_fields, page_not_stored
from byway.web.context import WebContext
from byway.web.problems import openapi_problems
from byway.web.query_params import QueryParams
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy, with_policy
from byway.web.vertical_params import api_params

SEARCH_DESCRIPTION = """{title} that match the query `q`; without one, all. `attribute=name:value`
filters by any attribute. Words that name an attribute become filters."""
GROUP_DESCRIPTION = "\n\n`group_{name}`: what several pages are about is listed once."
HISTORY_DESCRIPTION = (
    "The {noun} at `url` in the last {versions} fetches of its page, oldest first."
)


DETECTED_FILTER_FIELDS = ("attribute", "value", "label", "typed", "query_without")
"""Fields of a filter detected in the query words; `value` is as in a query: red, ..5000."""


class VerticalSearchResponse(BaseSearchResponse):
    """Results of a search in a vertical."""

    sort: str


def routes(site: WebContext) -> PageRouter:
    """The routes of every vertical, such as `/api/v1/products` and `/api/v1/products/history`."""
    router = PageRouter(RoutePolicy(Access.SEARCH), include_in_schema=True)
    for vertical in site.verticals:
        _add_search(router, site, vertical)
        if vertical.presenter.history_fields:
            _add_history(router, site, vertical)
    return router


def _add_search(router: PageRouter, site: WebContext, vertical: Vertical) -> None:
    presenter, title = vertical.presenter, vertical.noun.title()
    unit = presenter.unit_name
    detected_filter = _model(f"{title}Filter", dict.fromkeys((*DETECTED_FILTER_FIELDS, unit), str))
    own_fields = presenter.response_fields or {vertical.name: list[dict[str, Any]]}
    fields = {"detected_filters": list[detected_filter], **own_fields}  # type: ignore[valid-type]
    model = _model(f"{title}SearchResponse", fields, VerticalSearchResponse)
    read_params = Depends(api_params(vertical))
    description = SEARCH_DESCRIPTION.format(title=vertical.name.title())
    if vertical.group_name:
        description += GROUP_DESCRIPTION.format(name=vertical.group_name)

    @router.get(
        f"/api/v1/{vertical.name}",
        responses=openapi_problems(400, 422),
        response_model=model,
        description=description,
    )
    def search(params: Annotated[QueryParams, read_params]) -> dict[str, Any]:
        results = site.search(params.query)
        detected = [
            {
                "attribute": chip.attribute,
                "value": chip.filter_value,
                "label": chip.label,
                unit: chip.unit,
                "typed": chip.typed_text,
                "query_without": chip.query_without,
            }
            for chip in results.chips
        ]
        response = {"detected_filters": detected, **presenter.response(results)}
        return {
            **common_fields(params, results),
            "sort": params.sort,
            **{name: as_encodable(value) for name, value in response.items()},
        }


def _add_history(router: PageRouter, site: WebContext, vertical: Vertical) -> None:
    fields = {"fetched_at": str, **vertical.presenter.history_fields}
    model = _model(f"{vertical.noun.title()}HistoryPoint", fields)

    @router.get(
        f"/api/v1/{vertical.name}/history",
        responses=openapi_problems(404, 422),
        response_model=list[model],  # type: ignore[valid-type]
        description=HISTORY_DESCRIPTION.format(noun=vertical.noun, versions=MAX_HISTORY_VERSIONS),
    )
    @with_policy(RoutePolicy(Access.SEARCH, RequestClass.RECORD_HISTORY))
    def history(url: UrlParam) -> list[dict[str, Any]]:
        if not (found := site.find_page(url)):
            raise page_not_stored(url)
        points = found.record_history(vertical, timeout=HISTORY_TIMEOUT_SECONDS)
        return [
            {
                "fetched_at": datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds"),
                **{
                    name: as_encodable(str(record.get(name, "")))
                    if kind is str
                    else finite_or_none(record.get(name))
                    for name, kind in vertical.presenter.history_fields.items()
                },
            }
            for at, record in points
        ]


def _model(
    name: str, fields: Mapping[str, Any], base: type[BaseModel] = BaseModel
) -> type[BaseModel]:
    """A model with these fields, all required."""
    types: dict[str, Any] = {field: (kind, ...) for field, kind in fields.items()}
    return create_model(name, __base__=base, **types)
