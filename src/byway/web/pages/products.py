"""Product search and price history pages; all of their state is in the URL.

Images are loaded from the shops only if `serve.show_images` is on, as in image search.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Query as QueryParameter
from fastapi.responses import HTMLResponse

from byway.app.pages import PRICE_HISTORY_TIMEOUT_SECONDS
from byway.core.errors import UsageError
from byway.core.messages import t
from byway.core.model import Chip, Results
from byway.products.vocabulary.lookup import ProductVocabulary, default_vocabulary
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
)
from byway.web.personal import personalization_urls, personalized_query
from byway.web.product_params import (
    PRODUCT_SORTS,
    PRODUCTS_PATH,
    ProductFilterParams,
    parse_product_params,
    product_query,
)
from byway.web.query_params import (
    ATTRIBUTE_PATTERN,
    MAX_QUERY_CHARS,
    PRODUCT_ATTRIBUTES,
    QueryParams,
    parse_personalization,
)
from byway.web.router import Access, PageRouter, RequestClass, RoutePolicy, with_policy
from byway.web.views.hit import format_price, http_url, sanitize
from byway.web.views.product import (
    attribute_name,
    parse_availability,
    price_chart,
    product_view,
    value_name,
)

HIDDEN_FACETS = ("site", "language", "type", "year")
"""Facets of pages that product search does not show."""
POLICY = RoutePolicy(Access.SEARCH)
PRICE_HISTORY_POLICY = RoutePolicy(Access.SEARCH, RequestClass.PRICE_HISTORY)
UrlParam = Annotated[str, QueryParameter(max_length=MAX_QUERY_CHARS)]


@dataclass(frozen=True, slots=True)
class Facet:
    """A product facet and its values."""

    title: str
    choices: tuple[Choice, ...]


def routes(site: WebContext) -> PageRouter:
    """`/products` and `/products/history`"""
    router = PageRouter(POLICY)

    @router.api_route(PRODUCTS_PATH, methods=["GET", "HEAD"])
    def products(
        filters: ProductFilterParams,
        q: str = "",
        page: str = "",
        limit: str = "",
        sort: str = "",
        personalize: str = "",
    ) -> HTMLResponse:
        try:
            params = parse_product_params(q, page, limit, filters, sort)
            mode = parse_personalization(personalize)
            return _results_page(site, replace(params, personalize=mode))
        except UsageError as error:
            values = bad_query_context(error, q, PRODUCTS_PATH)
            return site.render("pages/products.html", 400, results=None, **values)

    @router.api_route(f"{PRODUCTS_PATH}/history", methods=["GET", "HEAD"])
    @with_policy(PRICE_HISTORY_POLICY)
    def history(url: UrlParam = "") -> HTMLResponse:
        return _price_history_page(site, url)

    return router


def product_vocabulary(site: WebContext) -> ProductVocabulary:
    """The vocabulary of the data folder."""
    return site.archive.vocabulary if site.archive else default_vocabulary()


def _results_page(site: WebContext, params: QueryParams) -> HTMLResponse:
    results = site.search(personalized_query(site, params, product_query(params)))
    vocabulary = product_vocabulary(site)
    response = site.render(
        "pages/products.html",
        params=params,
        results=results,
        bad_query="",
        products=[product_view(hit, vocabulary, site.settings.show_images) for hit in results.hits],
        pager=pager(params, results.total),
        status=site.status(),
        no_results_messages=no_results_messages(results),
        detected_filters=detected_filter_chips(params, results, vocabulary),
        filter_chips=filter_chips(params, vocabulary),
        facets=facets(params, results, vocabulary),
        currencies=[value for value, _ in results.facets.get("currency", ())],
        sorts=sort_choices(params),
        limits=page_size_choices(params),
        personalization_urls=personalization_urls(params),
        dict=dict,
    )
    if site.settings.show_images:
        response.headers["Content-Security-Policy"] = IMAGES_POLICY
    return allow_same_origin_referrer(response)


def detected_filter_chips(
    params: QueryParams, results: Results, vocabulary: ProductVocabulary
) -> list[Choice]:
    """The words of the query interpreted as filters, each with the URL that removes it."""
    return [
        Choice(
            _chip_label(chip, vocabulary),
            params.url(text=chip.query_without),
            kind=attribute_name(chip.attribute, vocabulary),
        )
        for chip in results.chips
    ]


def filter_chips(params: QueryParams, vocabulary: ProductVocabulary) -> list[Choice]:
    """The active filters, each with the URL that removes it."""
    return [
        Choice(
            _value_label(name, value, vocabulary),
            params.without_filters((name, value)).url(),
            kind=_attribute_label(name, value, vocabulary),
        )
        for name, value in params.filters
    ]


def facets(params: QueryParams, results: Results, vocabulary: ProductVocabulary) -> list[Facet]:
    """The facets with more than one value, or with a selected value."""
    found = []
    for name, counts in results.facets.items():
        if name in HIDDEN_FACETS or not ATTRIBUTE_PATTERN.fullmatch(name):
            continue
        if name == "currency" and len(counts) < 2:
            continue
        choices = list(
            _choices(_with_chip_as_filter(params, results, name), name, counts, vocabulary)
        )
        if name == "size":
            choices.sort(key=lambda choice: _size_key(choice.name))
        if len(choices) > 1 or any(choice.chosen for choice in choices):
            found.append(Facet(attribute_name(name, vocabulary), tuple(choices)))
    return found


def sort_choices(params: QueryParams) -> list[Choice]:
    """The sort orders of products."""
    return [
        Choice(
            t(f"web.sort.{sort}"),
            replace(params, page=1, sort=sort).url(),
            chosen=params.sort == sort,
        )
        for sort in PRODUCT_SORTS
    ]


def _with_chip_as_filter(params: QueryParams, results: Results, name: str) -> QueryParams:
    """The parameters with attribute words turned into filters, so that more can be added."""
    for chip in results.chips:
        if chip.attribute == name:
            typed = rf"(?<!\w){re.escape(chip.typed_text)}(?!\w)"
            text = " ".join(re.sub(typed, " ", params.text, count=1).split())
            pair = (
                (name, chip.filter_value)
                if name in PRODUCT_ATTRIBUTES
                else ("attribute", f"{name}:{chip.filter_value}")
            )
            params = replace(params, text=text, filters=params.with_filter(*pair).filters)
    return params


def _choices(
    params: QueryParams,
    facet: str,
    counts: tuple[tuple[str, int], ...],
    vocabulary: ProductVocabulary,
) -> Iterator[Choice]:
    has_param = facet in PRODUCT_ATTRIBUTES or facet in ("shop", "currency")
    for value, count in counts:
        value = sanitize(str(value))
        if not value:
            continue
        pair = (facet, value) if has_param else ("attribute", f"{facet}:{value}")
        chosen = pair in params.filters
        changed = params.without_filters(pair) if chosen else params.with_filter(*pair)
        yield Choice(value_name(facet, value, vocabulary), changed.url(), count, chosen)


def _chip_label(chip: Chip, vocabulary: ProductVocabulary) -> str:
    """The label of a detected filter."""
    if not chip.is_numeric:
        return value_name(chip.attribute, chip.value, vocabulary)
    if chip.minimum == chip.maximum:
        return chip.filter_value
    minimum, maximum = format_price(chip.minimum, ""), format_price(chip.maximum, "")
    if minimum and maximum:
        label = t("web.products.price_between", minimum=minimum, maximum=maximum)
    elif minimum:
        label = t("web.products.price_from", minimum=minimum)
    else:
        label = t("web.products.price_to", maximum=maximum)
    return f"{label} {sanitize(chip.currency)}".strip()


def _value_label(name: str, value: str, vocabulary: ProductVocabulary) -> str:
    if name == "attribute":
        name, _, value = value.partition(":")
    return value_name(name, value, vocabulary)


def _attribute_label(name: str, value: str, vocabulary: ProductVocabulary) -> str:
    return attribute_name(value.partition(":")[0] if name == "attribute" else name, vocabulary)


def _size_key(text: str) -> tuple[float, str]:
    try:
        return float(text), ""
    except ValueError:
        return float("inf"), text


def _price_history_page(site: WebContext, url: str) -> HTMLResponse:
    found = site.archive.find(url) if site.archive else None
    if site.archive is None or found is None:
        return site.render("pages/not_stored.html", 404, url=sanitize(url))
    points = site.archive.price_history(found, timeout=PRICE_HISTORY_TIMEOUT_SECONDS)
    prices: list[Mapping[str, object]] = [
        {
            "at": utc_datetime(point.at),
            "price": format_price(point.price, point.currency),
            "old_price": format_price(point.old_price, point.currency),
            "availability": parse_availability(point.availability),
        }
        for point in points
    ]
    product = found.document.attributes.get("product")
    name = product.get("name") if isinstance(product, Mapping) else ""
    return site.render(
        "pages/price_history.html",
        title=sanitize(str(name or found.document.title)) or found.record.url,
        href=http_url(found.record.url),
        prices=prices[::-1],
        chart=price_chart(points),
    )
