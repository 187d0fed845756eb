"""Search result page; all of its state is in the URL."""

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fastapi import Request
from fastapi.responses import HTMLResponse
from starlette.background import BackgroundTask

from byway.app.accounts import AccountService
from byway.core.display import sanitize
from byway.core.errors import UsageError
from byway.core.messages import Diagnosis, has_text, t, text
from byway.core.model import Results
from byway.core.model.account import Account
from byway.core.operators import OPERATORS, facet_operators, field_operators
from byway.core.verticals import Vertical
from byway.web.context import WebContext
from byway.web.i18n import language_name, type_name
from byway.web.middleware.auth import CURRENT_USER
from byway.web.query_params import (
    MAX_PAGE_SIZE,
    MAX_QUERY_CHARS,
    MAX_RESULT_WINDOW,
    PAGE_SIZE_CHOICES,
    SORTS,
    FilterParams,
    PersonalizationMode,
    QueryParams,
    QueryParamsError,
    parse_query_params,
)
from byway.web.router import Access, PageRouter, RoutePolicy
from byway.web.views.hit import hit_view

log = logging.getLogger(__name__)

PAGER_RADIUS_PAGES = 2
"""Number of page numbers shown on each side of the current one."""
MAX_MISSING_SITES = 3
"""Maximum sites offered for crawling when a search on them has no results."""
VALUE_NAMES = {"language": language_name, "type": type_name}
"""The filters whose values have names in the language of the page."""
UNHELPFUL_REASONS = ("no_page_for_filter", "no_match_for_filter")
"""Diagnoses without alternatives, which are not shown."""
POLICY = RoutePolicy(Access.SEARCH, compressed=True)
PERSONALIZATION_MODES: tuple[PersonalizationMode, ...] = ("on", "all", "off")


@dataclass(frozen=True, slots=True)
class Pager:
    """Links to the other result pages: numbers with their URLs, None for a gap."""

    pages: tuple[tuple[int, str] | None, ...]
    current: int
    previous: str
    next: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice (facet value, sort order, page size) with its URL and its number of hits."""

    name: str
    url: str
    count: int = 0
    chosen: bool = False
    kind: str = ""


def routes(site: WebContext) -> PageRouter:
    """The route `/search`."""
    router = PageRouter(POLICY)

    @router.api_route("/search", methods=["GET", "HEAD"])
    def search(
        request: Request,
        filters: FilterParams,
        q: str = "",
        page: str = "",
        limit: str = "",
        sort: str = "",
        include_duplicates: str = "",
        personalize: str = "",
    ) -> HTMLResponse:
        try:
            params = parse_query_params(
                q,
                page=page,
                limit=limit,
                filters=filters,
                sort=sort,
                include_duplicates=include_duplicates,
                personalize=personalize,
                sorts=(*SORTS, *(sort for each in site.verticals for sort in each.sorts)),
            )
            if not params:
                return _page(site, params=params)
            response = _results_page(site, params)
            if request.method == "GET" and params.page == 1:
                response.background = _history_task(site, params.text)
            return response
        except UsageError as error:
            return _page(site, 400, **bad_query_context(error, q))

    return router


def _page(site: WebContext, status_code: int = 200, **values: object) -> HTMLResponse:
    defaults = {"results": None, "bad_query": "", "message": "", "status": None}
    response = site.render("pages/search.html", status_code, **(defaults | values))
    return allow_same_origin_referrer(response)


def allow_same_origin_referrer(response: HTMLResponse) -> HTMLResponse:
    """Send the referrer to this server, so that the page's script can report clicks."""
    if CURRENT_USER.get().session:
        # With no-referrer a browser sends `Origin: null` even to the same site.
        response.headers["Referrer-Policy"] = "same-origin"
    return response


def _results_page(site: WebContext, params: QueryParams) -> HTMLResponse:
    results, status = site.search(site.personalized_query(params)), site.search_status()
    without_or_with_duplicates = replace(
        params, page=1, include_duplicates=not params.include_duplicates
    )
    return _page(
        site,
        params=params,
        results=results,
        hits=[hit_view(hit, site.has_icon, site.badges(hit)) for hit in results.hits],
        pager=pager(params, results.total),
        status=status,
        verticals=status.verticals,
        relaxed_queries=None if results.hits else relaxed_query_urls(params),
        field_operators=[f"{operator.name}:" for operator in field_operators()],
        missing_sites=[] if results.hits else requested_sites(params),
        no_results_messages=no_results_messages(results),
        filter_chips=filter_chips(params),
        facets=facets(params, results),
        sorts=sort_choices(params, _sort_names(params, results, site.verticals)),
        limits=page_size_choices(params),
        duplicates_url=without_or_with_duplicates.url(),
        personalization_urls=personalization_urls(params),
    )


def personalization_urls(params: QueryParams) -> Mapping[PersonalizationMode, str]:
    """The URLs of the same search in each personalization mode."""
    return {mode: replace(params, page=1, personalize=mode).url() for mode in PERSONALIZATION_MODES}


def _history_task(site: WebContext, query: str) -> BackgroundTask | None:
    """Records a query after the response is sent, if its user keeps a search history."""
    user = CURRENT_USER.get()
    if not (site.accounts and user.account and user.keeps_history and query):
        return None
    return BackgroundTask(_record_query, site.accounts, user.account, query)


def _record_query(accounts: AccountService, account: Account, query: str) -> None:
    try:
        accounts.record_query(account, query)
    except Exception:
        log.exception("query not recorded")


def bad_query_context(error: UsageError, typed: str, path: str = "/search") -> Mapping[str, object]:
    """The template values for an invalid query, with the query still in the search box."""
    fault = error.fault if isinstance(error, QueryParamsError) else "invalid"
    text = sanitize(typed)[: 200 if fault == "too_long" else None]
    return {
        "params": QueryParams(text, path=path),
        "bad_query": fault,
        "message": str(error),
        "max_chars": MAX_QUERY_CHARS,
        "max_page_size": MAX_PAGE_SIZE,
        "max_results": MAX_RESULT_WINDOW,
    }


def pager(params: QueryParams, total: int) -> Pager | None:
    """The links to the other result pages; None if there are none."""
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
    """The active filters, each with the URL that removes it."""
    return [
        Choice(_value_name(name, value), params.without_filters((name, value)).url(), kind=name)
        for name, value in params.filters
    ]


def facets(params: QueryParams, results: Results) -> Mapping[str, list[Choice]]:
    """The facets with more than one value, or with a selected value."""
    names = dict.fromkeys((*facet_operators(), *results.facets))
    found = {name: list(_choices(params, results, name)) for name in names}
    return {
        name: choices
        for name, choices in found.items()
        if len(choices) > 1 or any(choice.chosen for choice in choices)
    }


def _choices(params: QueryParams, results: Results, facet: str) -> Iterator[Choice]:
    operator = facet_operators().get(facet)
    name = operator.params[-1].name if operator and operator.params else ""
    for value, count in results.facets.get(facet, ()):
        value = sanitize(str(value))
        if not value:
            continue
        if not name:  # another attribute becomes an operator of the query itself
            text = f'{params.text} {facet}:"{value}"'
            yield Choice(value, params.url(text=text), count)
            continue
        pair = (name, value)
        chosen = pair in params.filters
        changed = params.without_filters(pair) if chosen else params.with_filter(*pair)
        yield Choice(_value_name(name, value), changed.url(), count, chosen)


def _value_name(name: str, value: str) -> str:
    """The value of a filter parameter as shown."""
    params = {param.name: one.filter for one in OPERATORS.values() for param in one.params}
    return VALUE_NAMES.get(params.get(name, ""), str)(value)


def sort_choices(params: QueryParams, names: Mapping[str, str]) -> list[Choice]:
    """The sort orders, with the message keys of their names."""
    return [
        Choice(
            t(key) if has_text(key) else sort,
            replace(params, page=1, sort=sort).url(),
            chosen=params.sort == sort,
        )
        for sort, key in names.items()
    ]


def _sort_names(
    params: QueryParams, results: Results, verticals: Sequence[Vertical]
) -> dict[str, str]:
    """The message keys of the sort orders, including those of verticals with records."""
    nouns = {noun for hit in results.hits for noun in hit.records}
    return {sort: f"web.sort.{sort}" for sort in SORTS} | {
        sort: f"{vertical.name}.sort.{sort}"
        for vertical in verticals
        for sort in vertical.sorts
        if vertical.noun in nouns or sort == params.sort
    }


def page_size_choices(params: QueryParams) -> list[Choice]:
    """The page sizes."""
    return [
        Choice(str(limit), replace(params, page=1, limit=limit).url(), chosen=params.limit == limit)
        for limit in PAGE_SIZE_CHOICES
    ]


def requested_sites(params: QueryParams) -> list[str]:
    """The sites that the query asks for, by filter or by `site:` operator."""
    typed = re.findall(r"(?i)(?<!\S)site:\"?([^\s\"]+)", params.text)
    chosen = [value for name, value in params.filters if name == "site"]
    return list(dict.fromkeys([*chosen, *typed]))[:MAX_MISSING_SITES]


def no_results_messages(results: Results) -> list[str]:
    """The messages for no results: reasons and available values."""
    return [
        sanitize(text(_with_display_names(reason)))
        for reason in results.no_results_reasons
        if reason.code not in UNHELPFUL_REASONS
    ]


def _with_display_names(reason: Diagnosis) -> Diagnosis:
    """The diagnosis with the names of languages and document types in place of their codes."""
    params = reason.params
    name_of = VALUE_NAMES.get(str(params.get("filter")))
    if name_of is None:
        return reason
    params["value"] = ", ".join(map(name_of, str(params["value"]).split(", ")))
    available = params["available"]
    params["available"] = tuple(map(name_of, available)) if isinstance(available, tuple) else ()
    return Diagnosis(reason.code, **params)


def relaxed_query_urls(params: QueryParams) -> dict[str, str]:
    """URLs of less strict queries, keyed by the part that they leave out."""
    fields = "|".join(operator.name for operator in field_operators())
    changed = {
        "quotes": params.text.replace('"', " "),
        "title": re.sub(rf"(?i)(?<!\S)(?:{fields}):(?=\S)", " ", params.text),
        "site": re.sub(r"(?i)(?<!\S)site:\S*", " ", params.text),
        "exclusions": re.sub(r'(?<!\S)-("[^"]*"|\S+)', " ", params.text),
    }
    queries = {change: " ".join(text.split()) for change, text in changed.items()}
    same = " ".join(params.text.split())
    found = {
        change: params.url(text=text) for change, text in queries.items() if text and text != same
    }
    if params.filters and params.text:
        found["filters"] = params.without_filters(*params.filters).url()
    return found
