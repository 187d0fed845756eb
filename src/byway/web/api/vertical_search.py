"""API of every vertical: search, and the history of a record."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel, create_model

from byway.app.pages import HISTORY_TIMEOUT_SECONDS, MAX_HISTORY_VERSIONS
from byway.core.display import finite_or_none, replace_surrogates
from byway.core.verticals import Vertical
from byway.web.api.params import UrlParam
from byway.web.api.search import (
    ApiFacetCount,
    ApiNoResultsReason,
    ApiQueryWarning,
    common_fields,
    page_not_stored,
)
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


@dataclass(frozen=True, slots=True)
class ApiDetectedFilter:
    """Words of the query read as a filter; `query_without` is the query without them."""

    attribute: str
    value: str
    """As written in a query: red, 38, ..5000."""
    label: str
    unit: str
    typed: str
    query_without: str


class VerticalSearchResponse(BaseModel):
    """Results of a search in a vertical."""

    query: str
    total: int
    total_is_estimate: bool
    took_seconds: float
    page: int
    limit: int
    sort: str
    did_you_mean: str
    detected_filters: list[ApiDetectedFilter]
    partial_match: bool
    """Nothing matches everything; these are the closest."""
    query_warnings: list[ApiQueryWarning]
    """Likely typos in operators."""
    no_results_reasons: list[ApiNoResultsReason]
    """Without results: the filters that no page passes, and why."""
    facets: dict[str, list[ApiFacetCount]]


def routes(site: WebContext) -> PageRouter:
    """`/api/v1/products`, `/api/v1/products/history`, and the same of every other vertical"""
    router = PageRouter(RoutePolicy(Access.SEARCH), include_in_schema=True)
    for vertical in site.verticals:
        _add_search(router, site, vertical)
        if vertical.presenter.history_fields:
            _add_history(router, site, vertical)
    return router


def _add_search(router: PageRouter, site: WebContext, vertical: Vertical) -> None:
    presenter, title = vertical.presenter, vertical.noun.title()
    fields = presenter.response_fields or {vertical.name: list[dict[str, Any]]}
    model = create_model(
        f"{title}SearchResponse",
        __base__=VerticalSearchResponse,
        **{name: (kind, ...) for name, kind in fields.items()},  # type: ignore[call-overload]
    )
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
            ApiDetectedFilter(
                *map(
                    replace_surrogates,
                    (
                        chip.attribute,
                        chip.filter_value,
                        chip.label,
                        chip.unit,
                        chip.typed_text,
                        chip.query_without,
                    ),
                )
            )
            for chip in results.chips
        ]
        return {
            **common_fields(params, results),
            "sort": params.sort,
            "detected_filters": detected,
            **presenter.response(results),
        }


def _add_history(router: PageRouter, site: WebContext, vertical: Vertical) -> None:
    fields = {"fetched_at": str, **vertical.presenter.history_fields}
    model = create_model(
        f"{vertical.noun.title()}HistoryPoint",
        **{name: (kind, ...) for name, kind in fields.items()},  # type: ignore[call-overload]
    )

    @router.get(
        f"/api/v1/{vertical.name}/history",
        responses=openapi_problems(404, 422),
        response_model=list[model],  # type: ignore[valid-type]
        description=HISTORY_DESCRIPTION.format(noun=vertical.noun, versions=MAX_HISTORY_VERSIONS),
    )
    @with_policy(RoutePolicy(Access.SEARCH, RequestClass.RECORD_HISTORY))
    def history(url: UrlParam) -> list[dict[str, Any]]:
        found = site.archive.find(url) if site.archive else None
        if site.archive is None or found is None:
            raise page_not_stored(url)
        points = site.archive.record_history(found, vertical, timeout=HISTORY_TIMEOUT_SECONDS)
        return [
            {
                "fetched_at": datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds"),
                **{
                    name: replace_surrogates(str(record.get(name, "")))
                    if kind is str
                    else finite_or_none(record.get(name))
                    for name, kind in vertical.presenter.history_fields.items()
                },
            }
            for at, record in points
        ]
