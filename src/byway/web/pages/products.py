"""What is for sale? Goods with prices, what was understood of the question, and what to choose by.

All that it shows is in its URL. Pictures are on the machines of shops: they are loaded only where
`serve.show_images` is on, as on the page of pictures.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter
from fastapi import Query as QueryParameter
from fastapi.responses import HTMLResponse

from byway.app.pages import PRICE_HISTORY_TIMEOUT_SECONDS
from byway.core.errors import UsageError
from byway.core.model import Chip, Results
from byway.products.vocabulary.lookup import ProductVocabulary, default_vocabulary
from byway.web.context import WebContext
from byway.web.i18n import t
from byway.web.pages.cached_page import utc_datetime
from byway.web.pages.images import IMAGES_POLICY
from byway.web.pages.search import (
    Choice,
    allow_same_origin_referrer,
    fault_context,
    no_results_messages,
    page_size_choices,
    pager,
)
from byway.web.personal import personalization_urls
from byway.web.personal import personalized_query as personally
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
from byway.web.views.hit import format_price, http_url, sanitize
from byway.web.views.price_chart import price_chart
from byway.web.views.product import attribute_name, parse_availability, product_view, value_name

HIDDEN_FACETS = ("site", "language", "type", "year")
"""What pages are counted by, and goods are not chosen by."""
UrlParam = Annotated[str, QueryParameter(max_length=MAX_QUERY_CHARS)]


@dataclass(frozen=True, slots=True)
class Facet:
    """Something that goods can be chosen by."""

    title: str
    choices: tuple[Choice, ...]


def routes(site: WebContext) -> APIRouter:
    """`/products` and `/products/history`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route(PRODUCTS_PATH, methods=["GET", "HEAD"])
    def products(
        wanted: ProductFilterParams,
        q: str = "",
        page: str = "",
        limit: str = "",
        sort: str = "",
        personal: str = "",
    ) -> HTMLResponse:
        try:
            asked = parse_product_params(q, page, limit, wanted, sort)
            return _answer(site, replace(asked, personal=parse_personalization(personal)))
        except UsageError as error:
            return site.render(
                "products.html", 400, results=None, **fault_context(error, q, PRODUCTS_PATH)
            )

    @router.api_route(f"{PRODUCTS_PATH}/history", methods=["GET", "HEAD"])
    def history(url: UrlParam = "") -> HTMLResponse:
        return _history(site, url)

    return router


def product_vocabulary(site: WebContext) -> ProductVocabulary:
    """What goods are called here."""
    return site.archive.vocabulary if site.archive else default_vocabulary()


def _answer(site: WebContext, asked: QueryParams) -> HTMLResponse:
    results, words = (
        site.search(personally(site, asked, product_query(asked))),
        product_vocabulary(site),
    )
    response = site.render(
        "products.html",
        asked=asked,
        results=results,
        fault="",
        wares=[product_view(hit, words, site.settings.show_images) for hit in results.hits],
        pager=pager(asked, results.total),
        status=site.status(),
        absences=no_results_messages(results),
        understood=detected_filter_chips(asked, results, words),
        chosen=filter_chips(asked, words),
        facets=facets(asked, results, words),
        currencies=[value for value, _ in results.facets.get("currency", ())],
        sorts=sort_choices(asked),
        limits=page_size_choices(asked),
        whose=personalization_urls(asked),
        dict=dict,
    )
    if site.settings.show_images:
        response.headers["Content-Security-Policy"] = IMAGES_POLICY
    return allow_same_origin_referrer(response)


def detected_filter_chips(
    params: QueryParams, results: Results, vocabulary: ProductVocabulary
) -> list[Choice]:
    """What was understood of the question, each with the way to be without it."""
    return [
        Choice(
            _meant(chip, vocabulary),
            params.url(text=chip.query_without),
            kind=attribute_name(chip.attribute, vocabulary),
        )
        for chip in results.chips
    ]


def filter_chips(params: QueryParams, vocabulary: ProductVocabulary) -> list[Choice]:
    """The filters that hold, each with the way to be without it."""
    return [
        Choice(
            _called(name, value, vocabulary),
            params.without_filters((name, value)).url(),
            kind=_name_of(name, value, vocabulary),
        )
        for name, value in params.filters
    ]


def facets(params: QueryParams, results: Results, vocabulary: ProductVocabulary) -> list[Facet]:
    """What the goods can be chosen by; nothing where there is no choice."""
    found = []
    for name, counts in results.facets.items():
        if name in HIDDEN_FACETS or not ATTRIBUTE_PATTERN.fullmatch(name):
            continue
        if name == "currency" and len(counts) < 2:
            continue
        choices = list(_choices(_chosen_too(params, results, name), name, counts, vocabulary))
        if name == "size":
            choices.sort(key=lambda choice: _by_number(choice.name))
        if len(choices) > 1 or any(choice.chosen for choice in choices):
            found.append(Facet(attribute_name(name, vocabulary), tuple(choices)))
    return found


def sort_choices(params: QueryParams) -> list[Choice]:
    """The orders in which goods may stand."""
    return [
        Choice(
            t(f"by_{sort}"), replace(params, page=1, sort=sort).url(), chosen=params.sort == sort
        )
        for sort in PRODUCT_SORTS
    ]


def _chosen_too(asked: QueryParams, results: Results, name: str) -> QueryParams:
    """The same with what its words say of one attribute chosen instead, so that more can be."""
    for chip in results.chips:
        if chip.attribute == name:
            words = rf"(?<!\w){re.escape(chip.typed_text)}(?!\w)"
            text = " ".join(re.sub(words, " ", asked.text, count=1).split())
            pair = (
                (name, chip.filter_value)
                if name in PRODUCT_ATTRIBUTES
                else ("has", f"{name}:{chip.filter_value}")
            )
            asked = replace(asked, text=text, filters=asked.with_filter(*pair).filters)
    return asked


def _choices(
    asked: QueryParams, facet: str, counts: tuple[tuple[str, int], ...], words: ProductVocabulary
) -> Iterator[Choice]:
    own = facet in PRODUCT_ATTRIBUTES or facet in ("shop", "currency")
    for value, count in counts:
        value = sanitize(str(value))
        if not value:
            continue
        pair = (facet, value) if own else ("has", f"{facet}:{value}")
        holds = pair in asked.filters
        then = asked.without_filters(pair) if holds else asked.with_filter(*pair)
        yield Choice(value_name(facet, value, words), then.url(), count, holds)


def _meant(chip: Chip, words: ProductVocabulary) -> str:
    """What a chip means, to whoever is asking."""
    if not chip.is_numeric:
        return value_name(chip.attribute, chip.value, words)
    if chip.minimum == chip.maximum:
        return chip.filter_value
    least, most = format_price(chip.minimum, ""), format_price(chip.maximum, "")
    said = t("price_from", least=least) if least else t("price_up_to", most=most)
    if least and most:
        said = t("price_between", least=least, most=most)
    return f"{said} {sanitize(chip.currency)}".strip()


def _called(name: str, value: str, words: ProductVocabulary) -> str:
    if name == "has":
        name, _, value = value.partition(":")
    return value_name(name, value, words)


def _name_of(name: str, value: str, words: ProductVocabulary) -> str:
    return attribute_name(value.partition(":")[0] if name == "has" else name, words)


def _by_number(text: str) -> tuple[float, str]:
    try:
        return float(text), ""
    except ValueError:
        return float("inf"), text


def _history(site: WebContext, url: str) -> HTMLResponse:
    found = site.archive.find(url) if site.archive else None
    if site.archive is None or found is None:
        return site.render("unkept.html", 404, url=sanitize(url))
    prices = site.archive.price_history(found, timeout=PRICE_HISTORY_TIMEOUT_SECONDS)
    seen: list[Mapping[str, object]] = [
        {
            "at": utc_datetime(one.at),
            "price": format_price(one.price, one.currency),
            "old_price": format_price(one.old_price, one.currency),
            "availability": parse_availability(one.availability),
        }
        for one in prices
    ]
    product = found.document.attributes.get("product")
    name = product.get("name") if isinstance(product, Mapping) else ""
    return site.render(
        "price_history.html",
        title=sanitize(str(name or found.document.title)) or found.record.url,
        href=http_url(found.record.url),
        seen=seen[::-1],
        chart=price_chart(prices),
    )
