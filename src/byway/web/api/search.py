"""What can a program ask? Search, similar pages and status as JSON, described by OpenAPI."""

from dataclasses import dataclass, replace
from typing import Any

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse
from starlette.exceptions import HTTPException

from byway.core.errors import UrlError, UsageError
from byway.core.messages import text
from byway.core.model import (
    Hit,
    Results,
    Signal,
    score_shares,
)
from byway.core.model.message import Diagnosis
from byway.core.url import parse_typed_url
from byway.web.api.params import (
    FlagParam,
    LimitParam,
    PageFilterParams,
    PageParam,
    QueryParam,
    SortParam,
    UrlParam,
)
from byway.web.api.status import ApiStatus, status_for_api
from byway.web.context import WebContext
from byway.web.current_user import CURRENT_USER
from byway.web.personal import personalized_query as personally
from byway.web.query_params import DEFAULT_PAGE_SIZE, QueryParams, parse_query_params
from byway.web.views.hit import finite_or_none, hit_view


@dataclass(frozen=True, slots=True)
class ProblemDetails:
    """What is wrong with the request (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str


PROBLEM_DESCRIPTIONS = {
    400: "It fits its description, but cannot be answered; `detail` says why.",
    401: "A key is needed, or is wrong.",
    403: "This key does not open that.",
    404: "There is no such page.",
    408: "The body came too slowly.",
    409: "Somebody else is at it.",
    413: "The body is too large.",
    422: "A parameter or the body does not fit its description.",
    503: "Too many ask at once, or the data folder cannot be read just now.",
}


def openapi_problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """How a route says that it may refuse in these ways, and in those that all share."""
    every = sorted({401, 403, 422, 503, *statuses})
    return {
        status: {"description": PROBLEM_DESCRIPTIONS[status], "model": ProblemDetails}
        for status in every
    }


def page_not_found(url: str) -> HTTPException:
    """What is answered of a page that nobody has kept."""
    return HTTPException(
        404, f"{replace_surrogates(url)[:200]} is not kept; /api/v1/search gives URLs that are"
    )


@dataclass(frozen=True, slots=True)
class ApiSignal:
    """One reason for a hit's place; null where a number is not finite."""

    name: str
    value: float | None
    weight: float | None
    score: float | None
    share: float
    """Its part of the score of the hit, from -1 to 1."""
    description: str


@dataclass(frozen=True, slots=True)
class ApiHeading:
    """A heading with words that were asked for, and where it is."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class ApiHit:
    """One answer. `highlights` are [start, end] in code points of `snippet`."""

    url: str
    title: str
    score: float | None
    snippet: str
    highlights: list[tuple[int, int]]
    content_type: str
    language: str
    published: str
    date: str
    """When it was published, or else changed: what sorting by date goes by."""
    signals: list[ApiSignal]
    """Empty unless `explain` is asked for."""
    headings: list[ApiHeading]
    match_counts: dict[str, int]
    more_from_host: int
    duplicate_of: str | None
    product: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ApiFacetCount:
    """A value that hits can be narrowed down by, and how many have it."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class ApiNoResultsReason:
    """Why a query has no results: a filter that no page passes, and what is available instead."""

    code: str
    filter: str
    value: str
    available: list[str]
    has_more: bool
    elsewhere_count: int
    """How many pages have elsewhere what no title or no URL has."""
    message: str


@dataclass(frozen=True, slots=True)
class ApiQueryWarning:
    """A mistyped operator or an invalid date in the query."""

    code: str
    typed: str
    correction: str
    """Empty for an invalid date."""
    message: str


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """The answer to a question; `took_seconds` is in seconds."""

    query: str
    total: int
    total_is_estimate: bool
    """Is the total only near?"""
    took_seconds: float
    page: int
    limit: int
    did_you_mean: str
    """A likelier spelling; nothing if there is none."""
    did_you_mean_total: int
    """How many pages that finds, where it is a beginning; 0 where nobody looked."""
    partial_match: bool
    """Has no page all the words, so that these have only some of them?"""
    split_words: dict[str, list[str]]
    """Words that no page has, each with the words it is made of, which were looked for."""
    query_warnings: list[ApiQueryWarning]
    """What was typed with a colon and likely meant otherwise."""
    no_results_reasons: list[ApiNoResultsReason]
    """Where nothing is found: which filter no page passes, and why."""
    related_searches: list[str]
    """Other searches that are near to this one, on the first page of hits."""
    facets: dict[str, list[ApiFacetCount]]
    hits: list[ApiHit]


def routes(site: WebContext) -> APIRouter:
    """`/api/v1/search`, `/api/v1/similar`, `/api/v1/status`, `/api/v1/stats` and `/healthz`"""
    router = APIRouter()

    @router.get("/api/v1/search", responses=openapi_problems(400, 422))
    def search(
        chosen: PageFilterParams,
        q: QueryParam = "",
        page: PageParam = 1,
        limit: LimitParam = DEFAULT_PAGE_SIZE,
        sort: SortParam = "relevance",
        duplicates: FlagParam = False,
        facets: FlagParam = False,
        explain: FlagParam = False,
        personal: FlagParam = False,
    ) -> SearchResponse:
        """Pages that answer the question `q`, best first. `page` * `limit` is at most 1000.

        With `personalized_query`, hosts that the owner of the key opens often rise, and those they
        blocked
        are left out, as on their search page; nothing is written down.
        """
        mine = "1" if personal else "0"
        asked = parse_query_params(q, str(page), str(limit), chosen, sort, str(duplicates), mine)
        return _search(site, asked, facets, explain)

    @router.get("/api/v1/similar", responses=openapi_problems(400, 422))
    def similar(url: UrlParam, limit: LimitParam = DEFAULT_PAGE_SIZE) -> SearchResponse:
        """Pages that are like the page at `url`."""
        return _similar(site, url, limit)

    @router.get("/api/v1/status", responses=openapi_problems())
    @router.get("/api/v1/stats", responses=openapi_problems())
    def status() -> ApiStatus:
        """How far the crawl and the index are."""
        return status_for_api(site.status())

    @router.api_route("/healthz", methods=["GET", "HEAD"], include_in_schema=False)
    async def health() -> PlainTextResponse:
        return PlainTextResponse("ok\n")

    return router


def _search(site: WebContext, asked: QueryParams, facets: bool, explain: bool) -> SearchResponse:
    if asked.personal != "off" and CURRENT_USER.get().account is None:
        raise UsageError("personal needs the key of somebody, or their session")
    if not asked:
        raise UsageError("q is empty; ask as /api/v1/search?q=words")
    query = replace(personally(site, asked), count_facets=facets)
    return search_response(asked, site.search(query), explain)


def _similar(site: WebContext, url: str, limit: int) -> SearchResponse:
    try:
        asked = QueryParams(f"related:{parse_typed_url(url)}", limit=limit)
    except UrlError as error:
        raise UsageError(f"url: {error}") from error
    return search_response(asked, site.search(replace(asked.query, count_facets=False)), False)


def search_response(params: QueryParams, results: Results, explain: bool) -> SearchResponse:
    """The results as JSON has them."""
    return SearchResponse(
        query=params.text,
        total=results.total,
        total_is_estimate=results.total_is_estimate,
        took_seconds=round(results.seconds, 6),
        page=params.page,
        limit=params.limit,
        did_you_mean=replace_surrogates(results.did_you_mean),
        did_you_mean_total=results.did_you_mean_total,
        partial_match=results.partial_match,
        split_words={_param(one, "word"): _list_param(one, "parts") for one in results.split_words},
        query_warnings=list(map(query_warning_as_json, results.query_warnings)),
        no_results_reasons=list(map(no_results_reason_as_json, results.no_results_reasons)),
        related_searches=list(map(replace_surrogates, results.related_searches)),
        facets={
            name: [ApiFacetCount(replace_surrogates(str(value)), count) for value, count in counts]
            for name, counts in results.facets.items()
        },
        hits=[_hit(hit, explain) for hit in results.hits],
    )


def _hit(hit: Hit, explain: bool) -> ApiHit:
    snippet, highlights = "", []
    for piece, marked in hit.snippet:
        start = len(snippet)
        snippet += piece
        if marked:
            highlights.append((start, len(snippet)))
    return ApiHit(
        url=replace_surrogates(hit.url),
        title=replace_surrogates(hit.title),
        score=finite_or_none(hit.score),
        snippet=replace_surrogates(snippet),
        highlights=highlights,
        content_type=replace_surrogates(hit.content_type),
        language=replace_surrogates(hit.language),
        published=replace_surrogates(hit.published),
        date=hit.iso_date,
        signals=list(map(_signal, hit.signals, score_shares(hit.signals))) if explain else [],
        headings=[ApiHeading(text, url) for text, url in hit_view(hit).headings],
        match_counts=dict(hit.match_counts),
        more_from_host=hit.more_from_host,
        duplicate_of=hit.duplicate_of,
        product=dict(hit.product),
    )


def no_results_reason_as_json(reason: Diagnosis) -> ApiNoResultsReason:
    """A no-results diagnosis in the shape of the API."""
    count = reason.params.get("count", 0)
    return ApiNoResultsReason(
        code=reason.code,
        filter=_param(reason, "filter"),
        value=_param(reason, "value"),
        available=_list_param(reason, "available"),
        has_more=bool(reason.params.get("has_more", False)),
        elsewhere_count=count if isinstance(count, int) else 0,
        message=replace_surrogates(text(reason)),
    )


def query_warning_as_json(warning: Diagnosis) -> ApiQueryWarning:
    """A query warning in the shape of the API."""
    return ApiQueryWarning(
        code=warning.code,
        typed=_param(warning, "typed"),
        correction=_param(warning, "correction"),
        message=replace_surrogates(text(warning)),
    )


def _param(diagnosis: Diagnosis, name: str) -> str:
    return replace_surrogates(str(diagnosis.params.get(name, "")))


def _list_param(diagnosis: Diagnosis, name: str) -> list[str]:
    values = diagnosis.params.get(name, ())
    return [replace_surrogates(str(one)) for one in values] if isinstance(values, tuple) else []


def _signal(signal: Signal, share: float) -> ApiSignal:
    value, weight, score = map(finite_or_none, (signal.value, signal.weight, signal.score))
    return ApiSignal(
        name=replace_surrogates(signal.name),
        value=value,
        weight=weight,
        score=score,
        share=share,
        description=replace_surrogates(text(signal.message)),
    )


def replace_surrogates(text: str) -> str:
    """The text with `?` for halves of surrogate pairs, which JSON cannot carry as UTF-8."""
    return text.encode("utf-8", "replace").decode()
