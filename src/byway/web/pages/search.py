"""What was found? A page of hits; all that it shows is in its URL."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from byway.core.errors import UsageError
from byway.core.messages import text
from byway.core.model import Results
from byway.core.model.message import Diagnosis
from byway.web.context import WebContext
from byway.web.current_user import CURRENT_USER
from byway.web.i18n import kind_name, language_name, t
from byway.web.personal import personalization_urls
from byway.web.personal import personalized_query as personally
from byway.web.query_params import (
    MAX_PAGE_SIZE,
    MAX_QUERY_CHARS,
    MAX_RESULT_WINDOW,
    PAGE_SIZE_CHOICES,
    PRODUCT_ONLY_SORTS,
    SORTS,
    FilterParams,
    QueryParams,
    QueryParamsError,
    parse_query_params,
)
from byway.web.views.hit import hit_view, sanitize

PAGER_RADIUS_PAGES = 2
"""Pages named on each side of the current one."""
MAX_MISSING_SITES = 3
"""Sites that are offered to be crawled when nothing is found on them."""
FACET_FILTERS = {"site": "site", "language": "lang", "type": "type", "year": "year"}
"""What hits are counted by, and the filter that each becomes."""
UNHELPFUL_REASONS = ("no_page_for_filter", "no_match_for_filter")
"""Diagnoses without alternatives, which are not shown."""


@dataclass(frozen=True, slots=True)
class Pager:
    """Where the other pages are: numbers with their URLs, None where some are left out."""

    pages: tuple[tuple[int, str] | None, ...]
    current: int
    previous: str
    next: str


@dataclass(frozen=True, slots=True)
class Choice:
    """Something that can be chosen or let go of: its name, where it leads, and how many it has."""

    name: str
    url: str
    count: int = 0
    chosen: bool = False
    kind: str = ""


def routes(site: WebContext) -> APIRouter:
    """`/search`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/search", methods=["GET", "HEAD"])
    def search(
        chosen: FilterParams,
        q: str = "",
        page: str = "",
        limit: str = "",
        sort: str = "",
        duplicates: str = "",
        personal: str = "",
    ) -> HTMLResponse:
        try:
            asked = parse_query_params(q, page, limit, chosen, sort, duplicates, personal)
            return _answer(site, asked) if asked else _page(site, asked=asked)
        except UsageError as error:
            return _page(site, 400, **fault_context(error, q))

    return router


def _page(site: WebContext, status_code: int = 200, **values: object) -> HTMLResponse:
    blank = {"results": None, "fault": "", "message": "", "status": None}
    return allow_same_origin_referrer(site.render("search.html", status_code, **(blank | values)))


def allow_same_origin_referrer(response: HTMLResponse) -> HTMLResponse:
    """A page whose script may tell us what was opened."""
    if CURRENT_USER.get().session:
        # Under no-referrer a browser says `Origin: null` even to ourselves.
        response.headers["Referrer-Policy"] = "same-origin"
    return response


def _answer(site: WebContext, asked: QueryParams) -> HTMLResponse:
    results, status = site.search(personally(site, asked)), site.status()
    return _page(
        site,
        asked=asked,
        results=results,
        hits=[hit_view(hit, site.has_icon) for hit in results.hits],
        pager=pager(asked, results.total),
        status=status,
        goods=status.has_products,
        looser=None if results.hits else relaxed_query_urls(asked),
        missing=[] if results.hits else requested_sites(asked),
        absences=no_results_messages(results),
        chips=filter_chips(asked),
        facets=facets(asked, results),
        sorts=sort_choices(asked, any(hit.product for hit in results.hits)),
        limits=page_size_choices(asked),
        turned=replace(asked, page=1, include_duplicates=not asked.include_duplicates),
        whose=personalization_urls(asked),
    )


def fault_context(error: UsageError, typed: str, path: str = "/search") -> Mapping[str, object]:
    """What a page needs to say what is wrong, with the question still in its box."""
    fault = error.fault if isinstance(error, QueryParamsError) else "refused"
    return {
        "asked": QueryParams(sanitize(typed)[: 200 if fault == "too_long" else None], path=path),
        "fault": fault,
        "message": str(error),
        "longest": MAX_QUERY_CHARS,
        "most_hits": MAX_PAGE_SIZE,
        "deepest": MAX_RESULT_WINDOW,
    }


def pager(params: QueryParams, total: int) -> Pager | None:
    """The way to the other pages; None when there are none."""
    last = params.last_page(total)
    if last == 1 and params.page == 1:
        return None
    near = range(
        max(1, params.page - PAGER_RADIUS_PAGES), min(last, params.page + PAGER_RADIUS_PAGES) + 1
    )
    pages: list[tuple[int, str] | None] = []
    previous = 0
    for number in sorted({1, *near}):
        if number > previous + 1:
            pages.append(None)
        pages.append((number, params.url(number)))
        previous = number
    return Pager(
        tuple(pages),
        params.page,
        params.url(min(params.page - 1, last)) if params.page > 1 else "",
        params.url(params.page + 1) if params.page < last else "",
    )


def filter_chips(params: QueryParams) -> list[Choice]:
    """The filters that hold, each with the way to be without it."""
    return [
        Choice(_called(name, value), params.without_filters((name, value)).url(), kind=name)
        for name, value in params.filters
    ]


def facets(params: QueryParams, results: Results) -> Mapping[str, list[Choice]]:
    """What the hits can be narrowed down by; nothing where there is no choice."""
    names = [*FACET_FILTERS, *(name for name in results.facets if name not in FACET_FILTERS)]
    found = {name: list(_choices(params, results, name)) for name in names}
    return {
        name: choices
        for name, choices in found.items()
        if len(choices) > 1 or any(choice.chosen for choice in choices)
    }


def _choices(asked: QueryParams, results: Results, facet: str) -> Iterator[Choice]:
    name = FACET_FILTERS.get(facet, "")
    for value, count in results.facets.get(facet, ()):
        value = sanitize(str(value))
        if not value:
            continue
        if not name:  # an attribute of goods is asked for in the question itself
            typed = f'{asked.text} {facet}:"{value}"'
            yield Choice(value, asked.url(text=typed), count)
            continue
        chosen = (name, value) in asked.filters
        then = asked.without_filters((name, value)) if chosen else asked.with_filter(name, value)
        yield Choice(_called(name, value), then.url(), count, chosen)


def _called(name: str, value: str) -> str:
    names = {"lang": language_name, "type": kind_name}
    return names[name](value) if name in names else value


def sort_choices(params: QueryParams, has_products: bool = False) -> list[Choice]:
    """The orders there are; `has_products` have some of their own."""
    return [
        Choice(
            t(f"by_{sort}"), replace(params, page=1, sort=sort).url(), chosen=params.sort == sort
        )
        for sort in SORTS
        if has_products or sort == params.sort or sort not in PRODUCT_ONLY_SORTS
    ]


def page_size_choices(params: QueryParams) -> list[Choice]:
    """How many hits there may be on a page."""
    return [
        Choice(str(limit), replace(params, page=1, limit=limit).url(), chosen=params.limit == limit)
        for limit in PAGE_SIZE_CHOICES
    ]


def requested_sites(params: QueryParams) -> list[str]:
    """The sites that are asked for, by filter or in the question itself."""
    typed = re.findall(r"(?i)(?<!\S)site:\"?([^\s\"]+)", params.text)
    chosen = [value for name, value in params.filters if name == "site"]
    return list(dict.fromkeys([*chosen, *typed]))[:MAX_MISSING_SITES]


def no_results_messages(results: Results) -> list[str]:
    """Why there are no results, and what is available instead."""
    return [
        sanitize(text(_with_display_names(reason)))
        for reason in results.no_results_reasons
        if reason.code not in UNHELPFUL_REASONS
    ]


def _with_display_names(reason: Diagnosis) -> Diagnosis:
    """The diagnosis with the names of languages and document types in place of their codes."""
    params = reason.params
    name_of = {"language": language_name, "type": kind_name}.get(str(params.get("filter")))
    if name_of is None:
        return reason
    params["value"] = ", ".join(map(name_of, str(params["value"]).split(", ")))
    available = params["available"]
    params["available"] = tuple(map(name_of, available)) if isinstance(available, tuple) else ()
    return Diagnosis(reason.code, **params)


def relaxed_query_urls(params: QueryParams) -> dict[str, str]:
    """Questions that ask for less, by what they leave out; each with its URL."""
    changed = {
        "quotes": params.text.replace('"', " "),
        "title": re.sub(r"(?i)(?<!\S)(?:intitle|inurl):(?=\S)", " ", params.text),
        "site": re.sub(r"(?i)(?<!\S)site:\S*", " ", params.text),
        "without": re.sub(r'(?<!\S)-("[^"]*"|\S+)', " ", params.text),
    }
    questions = {what: " ".join(text.split()) for what, text in changed.items()}
    same = " ".join(params.text.split())
    found = {
        what: params.url(text=text) for what, text in questions.items() if text and text != same
    }
    if params.filters and params.text:
        found["filters"] = params.without_filters(*params.filters).url()
    return found
