"""Product API: product search and price history."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from byway.app.pages import PRICE_HISTORY_TIMEOUT_SECONDS
from byway.core.model import Chip, Hit, Offer
from byway.web.api.params import (
    ApiProductFilterParams,
    FlagParam,
    LimitParam,
    PageParam,
    ProductSortParam,
    QueryParam,
    UrlParam,
)
from byway.web.api.search import (
    ApiFacetCount,
    ApiNoResultsReason,
    ApiQueryWarning,
    no_results_reason_as_json,
    page_not_stored,
    query_warning_as_json,
    replace_surrogates,
)
from byway.web.context import WebContext
from byway.web.problems import openapi_problems
from byway.web.product_params import parse_product_params, product_query
from byway.web.query_params import DEFAULT_PAGE_SIZE, QueryParams
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy, with_policy
from byway.web.views.hit import finite_or_none


@dataclass(frozen=True, slots=True)
class ApiDetectedFilter:
    """Words of the query interpreted as a filter; `query_without` is the query without them."""

    attribute: str
    value: str
    """As written in a query: red, 38, ..5000."""
    label: str
    currency: str
    typed: str
    query_without: str


@dataclass(frozen=True, slots=True)
class ApiOffer:
    """A page that sells the product."""

    url: str
    price: float | None
    currency: str
    availability: str


@dataclass(frozen=True, slots=True)
class ApiProduct:
    """A product as its page describes it; `filters` use the common vocabulary."""

    url: str
    name: str
    price: float | None
    currency: str
    old_price: float | None
    availability: str
    brand: str
    colours: list[str]
    sizes: list[str]
    rating: float | None
    review_count: int
    sku: str
    gtin: str
    description: str
    images: list[str]
    attributes: dict[str, str]
    filters: dict[str, Any]
    offers: list[ApiOffer]
    """The offers of all shops, this page's among them; empty if there is no other."""


@dataclass(frozen=True, slots=True)
class ProductSearchResponse:
    """Results of a product search."""

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
    """True if no product matches every condition and these are the closest."""
    query_warnings: list[ApiQueryWarning]
    """Likely typos in operators."""
    no_results_reasons: list[ApiNoResultsReason]
    """Without results: the filters that no page matches, and why."""
    currencies: list[str]
    """Sorted by price: prices are compared within each currency; they follow in this order."""
    facets: dict[str, list[ApiFacetCount]]
    products: list[ApiProduct]


@dataclass(frozen=True, slots=True)
class ApiPricePoint:
    """The price of a product when its page was fetched."""

    fetched_at: str
    price: float | None
    currency: str
    old_price: float | None
    availability: str


def routes(site: WebContext) -> PageRouter:
    """`/api/v1/products` and `/api/v1/products/history`"""
    router = PageRouter(RoutePolicy(Access.SEARCH), include_in_schema=True)

    @router.get("/api/v1/products", responses=openapi_problems(400, 422))
    def products(
        filters: ApiProductFilterParams,
        q: QueryParam = "",
        page: PageParam = 1,
        limit: LimitParam = DEFAULT_PAGE_SIZE,
        sort: ProductSortParam = "relevance",
        group_offers: FlagParam = True,
    ) -> ProductSearchResponse:
        """Products that match `q`, or all. `attribute=heel:wedge` filters by any attribute.

        Words that name an attribute become filters. `group_offers`: a product sold on several pages
        is listed once.
        """
        params = parse_product_params(q, str(page), str(limit), filters, sort)
        return _search_products(site, params, group_offers)

    @router.get("/api/v1/products/history", responses=openapi_problems(404, 422))
    @with_policy(RoutePolicy(Access.SEARCH, RequestClass.PRICE_HISTORY))
    def history(url: UrlParam) -> list[ApiPricePoint]:
        """The prices of the product at `url` in the last 30 fetches of its page, oldest first."""
        found = site.archive.find(url) if site.archive else None
        if site.archive is None or found is None:
            raise page_not_stored(url)
        return [
            ApiPricePoint(
                fetched_at=datetime.fromtimestamp(point.at, UTC).isoformat(timespec="seconds"),
                price=finite_or_none(point.price),
                currency=replace_surrogates(point.currency),
                old_price=finite_or_none(point.old_price),
                availability=point.availability,
            )
            for point in site.archive.price_history(found, timeout=PRICE_HISTORY_TIMEOUT_SECONDS)
        ]

    return router


def _search_products(
    site: WebContext, params: QueryParams, group_offers: bool
) -> ProductSearchResponse:
    results = site.search(product_query(params, group_offers))
    return ProductSearchResponse(
        query=params.text,
        total=results.total,
        total_is_estimate=results.total_is_estimate,
        took_seconds=round(results.seconds, 6),
        page=params.page,
        limit=params.limit,
        sort=params.sort,
        did_you_mean=replace_surrogates(results.did_you_mean),
        detected_filters=list(map(_detected_filter, results.chips)),
        partial_match=results.partial_match,
        query_warnings=list(map(query_warning_as_json, results.query_warnings)),
        no_results_reasons=list(map(no_results_reason_as_json, results.no_results_reasons)),
        currencies=list(results.currencies),
        facets={
            name: [ApiFacetCount(replace_surrogates(str(value)), count) for value, count in counts]
            for name, counts in results.facets.items()
        },
        products=list(map(_product, results.hits)),
    )


def _detected_filter(chip: Chip) -> ApiDetectedFilter:
    texts = (
        chip.attribute,
        chip.filter_value,
        chip.label,
        chip.currency,
        chip.typed_text,
        chip.query_without,
    )
    return ApiDetectedFilter(*map(replace_surrogates, texts))


def _product(hit: Hit) -> ApiProduct:
    product = hit.product

    def text(name: str) -> str:
        return replace_surrogates(str(product.get(name, "")))

    def texts(name: str) -> list[str]:
        value = product.get(name)
        items = value if isinstance(value, list | tuple) else []
        return [replace_surrogates(str(item)) for item in items]

    attributes, filters = product.get("attributes"), product.get("filters")
    reviews = product.get("reviews")
    return ApiProduct(
        url=replace_surrogates(hit.url),
        name=text("name") or replace_surrogates(hit.title),
        price=finite_or_none(product.get("price")),
        currency=text("currency"),
        old_price=finite_or_none(product.get("old_price")),
        availability=text("availability"),
        brand=text("brand"),
        colours=texts("colours"),
        sizes=texts("sizes"),
        rating=finite_or_none(product.get("rating")),
        review_count=reviews if isinstance(reviews, int) else 0,
        sku=text("sku"),
        gtin=text("gtin"),
        description=text("description"),
        images=texts("images"),
        attributes=(
            {
                replace_surrogates(str(name)): replace_surrogates(str(value))
                for name, value in attributes.items()
            }
            if isinstance(attributes, dict)
            else {}
        ),
        filters=filters if isinstance(filters, dict) else {},
        offers=list(map(_offer, hit.offers)),
    )


def _offer(offer: Offer) -> ApiOffer:
    return ApiOffer(
        replace_surrogates(offer.url),
        finite_or_none(offer.price),
        replace_surrogates(offer.currency),
        offer.availability,
    )
