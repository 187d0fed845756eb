"""Result and history pages of every vertical; all of their state is in the URL.

Images are loaded from other sites only where `serve.show_images` is on, as in image search.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import Query as QueryParameter
from fastapi import Request
from fastapi.responses import HTMLResponse

from byway.app.pages import HISTORY_TIMEOUT_SECONDS
from byway.core.display import format_price, http_url, sanitize
from byway.core.errors import UsageError
from byway.core.messages import t
from byway.core.model import Chip, Results
from byway.core.verticals import Vertical
from byway.web.context import WebContext
from byway.web.pages.cached_page import utc_datetime
from byway.web.pages.images import IMAGES_POLICY
from byway.web.pages.search import (
    Choice,
    allow_same_origin_referrer,
    bad_query_context,
    no_results_messages,
    page_size_choices,
    pager,
    personalization_urls,
    sort_choices,
)
from byway.web.query_params import ATTRIBUTE_PATTERN, MAX_QUERY_CHARS, QueryParams
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy, with_policy
from byway.web.vertical_params import parse_vertical_params, vertical_sorts
from byway.web.views.hit import hit_view

POLICY = RoutePolicy(Access.SEARCH)
HISTORY_POLICY = RoutePolicy(Access.SEARCH, RequestClass.RECORD_HISTORY)
UrlParam = Annotated[str, QueryParameter(max_length=MAX_QUERY_CHARS)]


@dataclass(frozen=True, slots=True)
class Facet:
    """A facet and its values."""

    title: str
    choices: tuple[Choice, ...]


def routes(site: WebContext) -> PageRouter:
    """The routes of every vertical, such as `/products` and `/products/history`."""
    router = PageRouter(POLICY)
    for vertical in site.verticals:
        _add_routes(router, site, vertical)
    return router


def _add_routes(router: PageRouter, site: WebContext, vertical: Vertical) -> None:
    path = f"/{vertical.name}"

    @router.api_route(path, methods=["GET", "HEAD"])
    def results(request: Request) -> HTMLResponse:
        try:
            params = parse_vertical_params(vertical, request.query_params)
            return _results_page(site, vertical, params)
        except UsageError as error:
            typed = request.query_params.get("q", "")
            values = bad_query_context(error, typed, path)
            return _render(site, vertical, 400, results=None, **values)

    if not vertical.presenter.history_fields:
        return

    @router.api_route(f"{path}/history", methods=["GET", "HEAD"])
    @with_policy(HISTORY_POLICY)
    def history(url: UrlParam = "") -> HTMLResponse:
        return _history_page(site, vertical, url)


def _render(
    site: WebContext, vertical: Vertical, status_code: int = 200, **values: object
) -> HTMLResponse:
    found = site.search_status().verticals
    return site.render(
        "pages/vertical.html",
        status_code,
        vertical=vertical,
        vertical_text=vertical.presenter.text,
        verticals=dict.fromkeys((*found, vertical.name)),
        has_records=vertical.name in found,
        **values,
    )


def _results_page(site: WebContext, vertical: Vertical, params: QueryParams) -> HTMLResponse:
    results = site.search(site.personalized_query(params))
    show_images = site.settings.show_images
    response = _render(
        site,
        vertical,
        params=params,
        results=results,
        bad_query="",
        hits=[
            (hit_view(hit, site.has_icon), vertical.presenter.view(hit, show_images))
            for hit in results.hits
        ],
        pager=pager(params, results.total),
        no_results_messages=no_results_messages(results),
        detected_filters=detected_filter_chips(params, results, vertical),
        filter_chips=filter_chips(params, vertical),
        facets=facets(params, results, vertical),
        sorts=sort_choices(params, _sort_names(vertical)),
        limits=page_size_choices(params),
        personalization_urls=personalization_urls(params),
        dict=dict,
    )
    if show_images:
        response.headers["Content-Security-Policy"] = IMAGES_POLICY
    return allow_same_origin_referrer(response)


def detected_filter_chips(
    params: QueryParams, results: Results, vertical: Vertical
) -> list[Choice]:
    """The filters detected in the query words, each with the URL that removes it."""
    return [
        Choice(
            _chip_label(chip, vertical),
            params.url(text=chip.query_without),
            kind=vertical.presenter.label(chip.attribute),
        )
        for chip in results.chips
    ]


def filter_chips(params: QueryParams, vertical: Vertical) -> list[Choice]:
    """The active filters, each with the URL that removes it."""
    chips = []
    for name, value in params.filters:
        attribute, shown = (
            (value.partition(":")[0], value.partition(":")[2])
            if name == "attribute"
            else (name, value)
        )
        url = params.without_filters((name, value)).url()
        label = vertical.presenter.label
        chips.append(Choice(label(attribute, shown), url, kind=label(attribute)))
    return chips


def facets(params: QueryParams, results: Results, vertical: Vertical) -> list[Facet]:
    """The facets with more than one value, or with a selected one."""
    single = {param.name for param in vertical.filters if param.kind == "one"}
    found = []
    for name, counts in results.facets.items():
        if not ATTRIBUTE_PATTERN.fullmatch(name) or (name in single and len(counts) < 2):
            continue
        with_chip = _with_chip_as_filter(params, results, vertical, name)
        choices = list(_choices(with_chip, vertical, name, counts))
        if any(map(_number, choices)):
            choices.sort(key=lambda choice: (_number(choice) or float("inf"), choice.name))
        if len(choices) > 1 or any(choice.chosen for choice in choices):
            found.append(Facet(vertical.presenter.label(name), tuple(choices)))
    return found


def _sort_names(vertical: Vertical) -> dict[str, str]:
    """The message keys of the sort orders."""
    return {
        sort: f"{vertical.name if sort in vertical.sorts else 'web'}.sort.{sort}"
        for sort in vertical_sorts(vertical)
    }


def _filter_pair(vertical: Vertical, name: str, value: str) -> tuple[str, str]:
    """The filter of an attribute: its own parameter, or `attribute`."""
    has_param = any(param.name == name for param in vertical.filters)
    return (name, value) if has_param else ("attribute", f"{name}:{value}")


def _with_chip_as_filter(
    params: QueryParams, results: Results, vertical: Vertical, name: str
) -> QueryParams:
    """The parameters, with the query words for an attribute replaced by filters."""
    for chip in results.chips:
        if chip.attribute == name:
            typed = rf"(?<!\w){re.escape(chip.typed_text)}(?!\w)"
            text = " ".join(re.sub(typed, " ", params.text, count=1).split())
            pair = _filter_pair(vertical, name, chip.filter_value)
            params = replace(params, text=text, filters=params.with_filter(*pair).filters)
    return params


def _choices(
    params: QueryParams, vertical: Vertical, facet: str, counts: tuple[tuple[str, int], ...]
) -> Iterator[Choice]:
    for value, count in counts:
        value = sanitize(str(value))
        if not value:
            continue
        pair = _filter_pair(vertical, facet, value)
        chosen = pair in params.filters
        changed = params.without_filters(pair) if chosen else params.with_filter(*pair)
        yield Choice(vertical.presenter.label(facet, value), changed.url(), count, chosen)


def _chip_label(chip: Chip, vertical: Vertical) -> str:
    """The label of a detected filter."""
    if not chip.is_numeric:
        return vertical.presenter.label(chip.attribute, chip.value)
    if chip.minimum == chip.maximum:
        return chip.filter_value
    minimum, maximum = format_price(chip.minimum, ""), format_price(chip.maximum, "")
    if minimum and maximum:
        label = t("web.vertical.number_between", minimum=minimum, maximum=maximum)
    elif minimum:
        label = t("web.vertical.number_from", minimum=minimum)
    else:
        label = t("web.vertical.number_to", maximum=maximum)
    return f"{label} {sanitize(chip.unit)}".strip()


def _number(choice: Choice) -> float:
    try:
        return float(choice.name)
    except ValueError:
        return 0.0


def _history_page(site: WebContext, vertical: Vertical, url: str) -> HTMLResponse:
    if not (found := site.find_page(url)):
        return site.render("pages/not_stored.html", 404, url=sanitize(url))
    points = found.record_history(vertical, timeout=HISTORY_TIMEOUT_SECONDS)
    name = found.document.records.get(vertical.noun, {}).get("name")
    values: dict[str, Any] = {"points": points, **vertical.presenter.history_view(points)}
    return site.render(
        f"{vertical.name}/history.html",
        title=sanitize(str(name or found.document.title)) or found.record.url,
        href=http_url(found.record.url),
        vertical=vertical,
        utc_datetime=utc_datetime,
        **values,
    )
