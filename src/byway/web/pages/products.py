"""What is for sale? Goods with prices, what was understood of the question, and what to choose by.

All that it shows is in its URL. Pictures are on the machines of shops: they are loaded only where
`serve.images` is on, as on the page of pictures.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter
from fastapi import Query as QueryParameter
from fastapi.responses import HTMLResponse

from byway.app.pages import PATIENCE
from byway.core.errors import UsageError
from byway.core.model import Chip, Results
from byway.products.vocabulary.lookup import Vocabulary, ours
from byway.web.context import Site
from byway.web.i18n import t
from byway.web.pages.cached_page import day_at
from byway.web.pages.images import WITH_PICTURES
from byway.web.pages.search import Choice, absences, fault_of, limits, pager, telling
from byway.web.personal import personal as personally
from byway.web.personal import switches
from byway.web.product_params import PATH, SORTS, Wanted, query_of, read_goods
from byway.web.query_params import ATTRIBUTE, LONGEST, OF_GOODS, Asked, whose
from byway.web.views.hit import clean, price_of, web_address
from byway.web.views.price_chart import price_chart
from byway.web.views.product import attribute_name, availability_of, value_name, ware_of

NO_CHOICES = ("site", "language", "type", "year")
"""What pages are counted by, and goods are not chosen by."""
Address = Annotated[str, QueryParameter(max_length=LONGEST)]


@dataclass(frozen=True, slots=True)
class Facet:
    """Something that goods can be chosen by."""

    title: str
    choices: tuple[Choice, ...]


def routes(site: Site) -> APIRouter:
    """`/products` and `/products/history`"""
    router = APIRouter(include_in_schema=False)

    @router.api_route(PATH, methods=["GET", "HEAD"])
    def products(
        wanted: Wanted,
        q: str = "",
        page: str = "",
        limit: str = "",
        sort: str = "",
        personal: str = "",
    ) -> HTMLResponse:
        try:
            asked = read_goods(q, page, limit, wanted, sort)
            return _answer(site, replace(asked, personal=whose(personal)))
        except UsageError as error:
            return site.page("products.html", 400, results=None, **fault_of(error, q, PATH))

    @router.api_route(f"{PATH}/history", methods=["GET", "HEAD"])
    def history(url: Address = "") -> HTMLResponse:
        return _history(site, url)

    return router


def vocabulary_of(site: Site) -> Vocabulary:
    """What goods are called here."""
    return site.kept.vocabulary if site.kept else ours()


def _answer(site: Site, asked: Asked) -> HTMLResponse:
    results, words = site.search(personally(site, asked, query_of(asked))), vocabulary_of(site)
    response = site.page(
        "products.html",
        asked=asked,
        results=results,
        fault="",
        wares=[ware_of(hit, words, site.settings.images) for hit in results.hits],
        pager=pager(asked, results.total),
        status=site.status(),
        absences=absences(results),
        understood=understood(asked, results, words),
        chosen=chosen(asked, words),
        facets=facets(asked, results, words),
        currencies=[value for value, _ in results.facets.get("currency", ())],
        sorts=sorts(asked),
        limits=limits(asked),
        whose=switches(asked),
        dict=dict,
    )
    if site.settings.images:
        response.headers["Content-Security-Policy"] = WITH_PICTURES
    return telling(response)


def understood(asked: Asked, results: Results, words: Vocabulary) -> list[Choice]:
    """What was understood of the question, each with the way to be without it."""
    return [
        Choice(
            _meant(chip, words),
            asked.url(text=chip.without),
            kind=attribute_name(chip.attribute, words),
        )
        for chip in results.chips
    ]


def chosen(asked: Asked, words: Vocabulary) -> list[Choice]:
    """The filters that hold, each with the way to be without it."""
    return [
        Choice(
            _called(name, value, words),
            asked.without((name, value)).url(),
            kind=_name_of(name, value, words),
        )
        for name, value in asked.filters
    ]


def facets(asked: Asked, results: Results, words: Vocabulary) -> list[Facet]:
    """What the goods can be chosen by; nothing where there is no choice."""
    found = []
    for name, counts in results.facets.items():
        if name in NO_CHOICES or not ATTRIBUTE.fullmatch(name):
            continue
        if name == "currency" and len(counts) < 2:
            continue
        choices = list(_choices(_chosen_too(asked, results, name), name, counts, words))
        if name == "size":
            choices.sort(key=lambda choice: _by_number(choice.name))
        if len(choices) > 1 or any(choice.chosen for choice in choices):
            found.append(Facet(attribute_name(name, words), tuple(choices)))
    return found


def sorts(asked: Asked) -> list[Choice]:
    """The orders in which goods may stand."""
    return [
        Choice(t(f"by_{sort}"), replace(asked, page=1, sort=sort).url(), chosen=asked.sort == sort)
        for sort in SORTS
    ]


def _chosen_too(asked: Asked, results: Results, name: str) -> Asked:
    """The same with what its words say of one attribute chosen instead, so that more can be."""
    for chip in results.chips:
        if chip.attribute == name:
            words = rf"(?<!\w){re.escape(chip.typed)}(?!\w)"
            text = " ".join(re.sub(words, " ", asked.text, count=1).split())
            pair = (name, chip.meaning) if name in OF_GOODS else ("has", f"{name}:{chip.meaning}")
            asked = replace(asked, text=text, filters=asked.with_filter(*pair).filters)
    return asked


def _choices(
    asked: Asked, facet: str, counts: tuple[tuple[str, int], ...], words: Vocabulary
) -> Iterator[Choice]:
    own = facet in OF_GOODS or facet in ("shop", "currency")
    for value, count in counts:
        value = clean(str(value))
        if not value:
            continue
        pair = (facet, value) if own else ("has", f"{facet}:{value}")
        holds = pair in asked.filters
        then = asked.without(pair) if holds else asked.with_filter(*pair)
        yield Choice(value_name(facet, value, words), then.url(), count, holds)


def _meant(chip: Chip, words: Vocabulary) -> str:
    """What a chip means, to whoever is asking."""
    if not chip.measured:
        return value_name(chip.attribute, chip.value, words)
    if chip.least == chip.most:
        return chip.meaning
    least, most = price_of(chip.least, ""), price_of(chip.most, "")
    said = t("price_from", least=least) if least else t("price_up_to", most=most)
    if least and most:
        said = t("price_between", least=least, most=most)
    return f"{said} {clean(chip.currency)}".strip()


def _called(name: str, value: str, words: Vocabulary) -> str:
    if name == "has":
        name, _, value = value.partition(":")
    return value_name(name, value, words)


def _name_of(name: str, value: str, words: Vocabulary) -> str:
    return attribute_name(value.partition(":")[0] if name == "has" else name, words)


def _by_number(text: str) -> tuple[float, str]:
    try:
        return float(text), ""
    except ValueError:
        return float("inf"), text


def _history(site: Site, url: str) -> HTMLResponse:
    found = site.kept.find(url) if site.kept else None
    if site.kept is None or found is None:
        return site.page("unkept.html", 404, url=clean(url))
    prices = site.kept.prices(found, seconds=PATIENCE)
    seen: list[Mapping[str, object]] = [
        {
            "at": day_at(one.at),
            "price": price_of(one.price, one.currency),
            "old_price": price_of(one.old_price, one.currency),
            "availability": availability_of(one.availability),
        }
        for one in prices
    ]
    product = found.document.attributes.get("product")
    name = product.get("name") if isinstance(product, Mapping) else ""
    return site.page(
        "price_history.html",
        title=clean(str(name or found.document.title)) or found.record.url,
        href=web_address(found.record.url),
        seen=seen[::-1],
        chart=price_chart(prices),
    )
