"""Search API: search, similar pages, status and health."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import BaseModel

from byway.core.display import finite_or_none, replace_surrogates
from byway.core.errors import UrlError, UsageError
from byway.core.messages import Diagnosis, text
from byway.core.model import (
    Hit,
    Query,
    Results,
    Signal,
    score_shares,
)
from byway.core.model.query import Filter
from byway.core.url import parse_typed_url
from byway.web.api.params import (
    FlagParam,
    LimitParam,
    PageParam,
    QueryParam,
    SortParam,
    UrlParam,
    page_filters,
)
from byway.web.api.status import ApiHealth, ApiStatus, health_for_api, status_for_api
from byway.web.context import WebContext
from byway.web.middleware.auth import CURRENT_USER
from byway.web.problems import HttpError, openapi_problems
from byway.web.query_params import (
    DEFAULT_PAGE_SIZE,
    Filters,
    QueryParams,
    parse_query_params,
)
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy, with_policy
from byway.web.views.hit import hit_view

SEARCH_PATH = "/api/v1/search"


def page_not_stored(url: str) -> HttpError:
    """The error for a page that is not stored."""
    return HttpError(404, "web.page_not_stored", url=replace_surrogates(url)[:200])


@dataclass(frozen=True, slots=True)
class ApiSignal:
    """A ranking signal of a hit; numbers that are not finite are null."""

    name: str
    value: float | None
    weight: float | None
    score: float | None
    share: float
    """Its share of the score, from -1 to 1."""
    description: str


@dataclass(frozen=True, slots=True)
class ApiHeading:
    """A heading that matches the query, with its URL."""

    text: str
    url: str


class ApiHit(BaseModel, extra="allow"):
    """A hit. `highlights` are [start, end] in code points of `snippet`.

    The record of each vertical, or `{}`, is a further field named after its noun: `product`.
    """

    url: str
    title: str
    score: float | None
    snippet: str
    highlights: list[tuple[int, int]]
    content_type: str
    language: str
    published: str
    date: str
    """The publication date, or else the modification date: the sort key of `sort=date`."""
    signals: list[ApiSignal]
    """The ranking signals; empty without `explain`."""
    headings: list[ApiHeading]
    match_counts: dict[str, int]
    more_from_host: int
    duplicate_of: str | None


@dataclass(frozen=True, slots=True)
class ApiFacetCount:
    """A facet value and its number of hits."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class ApiNoResultsReason:
    """The reason for no results: a filter that no page matches, and the available values."""

    code: str
    filter: str
    value: str
    available: list[str]
    has_more: bool
    elsewhere_count: int
    """The number of pages that contain the words elsewhere than in the title or URL."""
    message: str


@dataclass(frozen=True, slots=True)
class ApiQueryWarning:
    """A mistyped operator or an invalid date in the query."""

    code: str
    typed: str
    correction: str
    """The suggested operator; empty for an invalid date."""
    message: str


class BaseSearchResponse(BaseModel):
    """The fields that every search response has."""

    query: str
    total: int
    total_is_estimate: bool
    took_seconds: float
    page: int
    limit: int
    did_you_mean: str
    """A spelling correction or completion; empty if there is none."""
    partial_match: bool
    """Whether nothing matches the whole query, so that the hits are the closest matches."""
    missing_shards: int
    """The number of index shards that cannot be read; their pages are missing from the results."""
    query_warnings: list[ApiQueryWarning]
    """Likely typos in operators."""
    no_results_reasons: list[ApiNoResultsReason]
    """The filters that no page matches, and why, if there are no results."""
    facets: dict[str, list[ApiFacetCount]]


class SearchResponse(BaseSearchResponse):
    """Results of a search."""

    did_you_mean_total: int
    """The number of pages that a completion finds; 0 if not counted."""
    split_words: dict[str, list[str]]
    """Words that no page contains, with the parts that were searched instead."""
    related_searches: list[str]
    """Related searches; only on the first page."""
    hits: list[ApiHit]


def routes(site: WebContext) -> PageRouter:
    """The routes of the search API, of `/api/v1/status` and `/api/v1/stats`, and `/healthz`."""
    router = PageRouter(RoutePolicy(Access.SEARCH), include_in_schema=True)

    @router.get(SEARCH_PATH, responses=openapi_problems(400, 422))
    @with_policy(RoutePolicy(Access.SEARCH, compressed=True))
    def search(
        filters: Annotated[Filters, page_filters()],
        q: QueryParam = "",
        page: PageParam = 1,
        limit: LimitParam = DEFAULT_PAGE_SIZE,
        sort: SortParam = "relevance",
        include_duplicates: FlagParam = False,
        facets: FlagParam = False,
        explain: FlagParam = False,
        personalize: FlagParam = False,
    ) -> SearchResponse:
        """Pages that match the query `q`, best first. `page` * `limit` is at most 1000.

        With `personalize`, hosts that the owner of the key opens often rank higher, and those they
        blocked are left out, as on their search page; nothing is recorded.
        """
        params = parse_query_params(
            q,
            page=str(page),
            limit=str(limit),
            filters=filters,
            sort=sort,
            include_duplicates=str(include_duplicates),
            personalize="1" if personalize else "0",
        )
        return _search(site, params, facets, explain)

    @router.get("/api/v1/similar", responses=openapi_problems(400, 422))
    def similar(url: UrlParam, limit: LimitParam = DEFAULT_PAGE_SIZE) -> SearchResponse:
        """Pages similar to the page at `url`."""
        return _similar(site, url, limit)

    @router.get("/api/v1/status", responses=openapi_problems())
    @router.get("/api/v1/stats", responses=openapi_problems())
    def status() -> ApiStatus:
        """The status of the crawl and the index."""
        return status_for_api(site.status())

    @router.api_route("/healthz", methods=["GET", "HEAD"], include_in_schema=False)
    @with_policy(RoutePolicy(Access.PUBLIC, RequestClass.STATIC))
    def health() -> ApiHealth:
        return health_for_api(site.admin.processes() if site.admin else ())

    return router


def _search(site: WebContext, params: QueryParams, facets: bool, explain: bool) -> SearchResponse:
    if params.personalize != "off" and CURRENT_USER.get().account is None:
        raise UsageError("web.personalize_needs_account")
    if not params:
        raise UsageError("web.empty_query", path=SEARCH_PATH)
    query = replace(site.personalized_query(params), count_facets=facets)
    return search_response(params, site.search(query), explain, _nouns(site))


def _similar(site: WebContext, url: str, limit: int) -> SearchResponse:
    try:
        related = Filter("related", parse_typed_url(url))
    except UrlError as error:
        raise UsageError("web.bad_url", problem=error.message) from error
    results = site.search(Query("", max_hits=limit, filters=(related,)))
    params = QueryParams(f"related:{related.value}", limit=limit)
    return search_response(params, results, False, _nouns(site))


def _nouns(site: WebContext) -> list[str]:
    return [vertical.noun for vertical in site.verticals]


def search_response(
    params: QueryParams, results: Results, explain: bool, nouns: Sequence[str]
) -> SearchResponse:
    """The results as JSON; `nouns` are those of the verticals."""
    return SearchResponse(
        **common_fields(params, results),
        did_you_mean_total=results.did_you_mean_total,
        split_words={_param(one, "word"): _list_param(one, "parts") for one in results.split_words},
        related_searches=list(map(replace_surrogates, results.related_searches)),
        hits=[_hit(hit, explain, nouns) for hit in results.hits],
    )


def common_fields(params: QueryParams, results: Results) -> dict[str, Any]:
    """The values of `BaseSearchResponse`."""
    return {
        "query": params.text,
        "total": results.total,
        "total_is_estimate": results.total_is_estimate,
        "took_seconds": round(results.seconds, 6),
        "page": params.page,
        "limit": params.limit,
        "did_you_mean": replace_surrogates(results.did_you_mean),
        "partial_match": results.partial_match,
        "missing_shards": results.missing_shards,
        "query_warnings": list(map(_query_warning, results.query_warnings)),
        "no_results_reasons": list(map(_no_results_reason, results.no_results_reasons)),
        "facets": {
            name: [ApiFacetCount(replace_surrogates(str(value)), count) for value, count in counts]
            for name, counts in results.facets.items()
        },
    }


def _hit(hit: Hit, explain: bool, nouns: Sequence[str]) -> ApiHit:
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
        **{noun: dict(hit.records.get(noun, {})) for noun in nouns},
    )


def _no_results_reason(reason: Diagnosis) -> ApiNoResultsReason:
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


def _query_warning(warning: Diagnosis) -> ApiQueryWarning:
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
