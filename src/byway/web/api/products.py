"""What can a program ask of goods? The same as a person, as JSON, described by OpenAPI."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter

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
    openapi_problems,
    page_not_found,
    query_warning_as_json,
    replace_surrogates,
)
from byway.web.context import WebContext
from byway.web.product_params import parse_product_params, product_query
from byway.web.query_params import DEFAULT_PAGE_SIZE, QueryParams
from byway.web.views.hit import finite_or_none


@dataclass(frozen=True, slots=True)
class ApiDetectedFilter:
    """Words of the question that were understood; `query_without` is the question without them."""

    attribute: str
    value: str
    """As it can be asked for: red, 38, ..5000."""
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
    """What is for sale on a page, in its own words; `filters` are in the one vocabulary."""

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
    """Who else sells it, itself among them; empty if nobody does."""


@dataclass(frozen=True, slots=True)
class ProductSearchResponse:
    """The answer to a question for goods; `took_seconds` is in seconds."""

    query: str
    total: int
    total_is_estimate: bool
    """Is the total only near?"""
    took_seconds: float
    page: int
    limit: int
    sort: str
    did_you_mean: str
    detected_filters: list[ApiDetectedFilter]
    partial_match: bool
    """Is no page all that was asked for, so that these only come near?"""
    query_warnings: list[ApiQueryWarning]
    """What was typed with a colon and likely meant otherwise."""
    no_results_reasons: list[ApiNoResultsReason]
    """Where nothing is found: which filter no page passes, and why."""
    currencies: list[str]
    """Sorted by price: prices are compared within each of these, which follow one another."""
    facets: dict[str, list[ApiFacetCount]]
    products: list[ApiProduct]


@dataclass(frozen=True, slots=True)
class ApiPricePoint:
    """What a product cost when its page was seen."""

    fetched_at: str
    price: float | None
    currency: str
    old_price: float | None
    availability: str


def routes(site: WebContext) -> APIRouter:
    """`/api/v1/products` and `/api/v1/products/history`"""
    router = APIRouter()

    @router.get("/api/v1/products", responses=openapi_problems(400, 422))
    def products(
        wanted: ApiProductFilterParams,
        q: QueryParam = "",
        page: PageParam = 1,
        limit: LimitParam = DEFAULT_PAGE_SIZE,
        sort: ProductSortParam = "relevance",
        group: FlagParam = True,
    ) -> ProductSearchResponse:
        """Goods that answer the question `q`; without one, all. `has=heel:wedge` is any attribute.

        Words that name an attribute become chips. `group`: what several pages sell comes once.
        """
        asked = parse_product_params(q, str(page), str(limit), wanted, sort)
        return _goods(site, asked, group)

    @router.get("/api/v1/products/history", responses=openapi_problems(404, 422))
    def history(url: UrlParam) -> list[ApiPricePoint]:
        """What the product at `url` cost the last 30 times its page was seen, the first first."""
        found = site.archive.find(url) if site.archive else None
        if site.archive is None or found is None:
            raise page_not_found(url)
        return [
            ApiPricePoint(
                datetime.fromtimestamp(one.at, UTC).isoformat(timespec="seconds"),
                finite_or_none(one.price),
                replace_surrogates(one.currency),
                finite_or_none(one.old_price),
                one.availability,
            )
            for one in site.archive.price_history(found, timeout=PRICE_HISTORY_TIMEOUT_SECONDS)
        ]

    return router


def _goods(site: WebContext, asked: QueryParams, grouped: bool) -> ProductSearchResponse:
    results = site.search(product_query(asked, grouped))
    return ProductSearchResponse(
        query=asked.text,
        total=results.total,
        total_is_estimate=results.total_is_estimate,
        took_seconds=round(results.seconds, 6),
        page=asked.page,
        limit=asked.limit,
        sort=asked.sort,
        did_you_mean=replace_surrogates(results.did_you_mean),
        detected_filters=[_chip(chip) for chip in results.chips],
        partial_match=results.partial_match,
        query_warnings=list(map(query_warning_as_json, results.query_warnings)),
        no_results_reasons=list(map(no_results_reason_as_json, results.no_results_reasons)),
        currencies=list(results.currencies),
        facets={
            name: [ApiFacetCount(replace_surrogates(str(value)), count) for value, count in counts]
            for name, counts in results.facets.items()
        },
        products=[_product(hit) for hit in results.hits],
    )


def _chip(chip: Chip) -> ApiDetectedFilter:
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
    said = hit.product

    def text(name: str) -> str:
        return replace_surrogates(str(said.get(name, "")))

    def texts(name: str) -> list[str]:
        value = said.get(name)
        return (
            [replace_surrogates(str(one)) for one in value]
            if isinstance(value, list | tuple)
            else []
        )

    attributes, filters = said.get("attributes"), said.get("filters")
    reviews = said.get("reviews")
    return ApiProduct(
        url=replace_surrogates(hit.url),
        name=text("name") or replace_surrogates(hit.title),
        price=finite_or_none(said.get("price")),
        currency=text("currency"),
        old_price=finite_or_none(said.get("old_price")),
        availability=text("availability"),
        brand=text("brand"),
        colours=texts("colours"),
        sizes=texts("sizes"),
        rating=finite_or_none(said.get("rating")),
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
        offers=[_offer(offer) for offer in hit.offers],
    )


def _offer(offer: Offer) -> ApiOffer:
    return ApiOffer(
        replace_surrogates(offer.url),
        finite_or_none(offer.price),
        replace_surrogates(offer.currency),
        offer.availability,
    )
