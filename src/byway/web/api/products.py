"""What can a program ask of goods? The same as a person, as JSON, described by OpenAPI."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter

from byway.app.pages import PATIENCE
from byway.core.model import Chip, Hit, Offer
from byway.web.api.params import Address, Flag, Limit, OrderOfGoods, Page, WantedGoods, Words
from byway.web.api.search import (
    ApiAbsent,
    ApiMisread,
    Counted,
    absent_as_json,
    misread_as_json,
    problems,
    unkept,
    whole,
)
from byway.web.context import Site
from byway.web.product_params import query_of, read_goods
from byway.web.query_params import HITS, Asked
from byway.web.views.hit import finite


@dataclass(frozen=True, slots=True)
class ApiChip:
    """Words of the question that were understood; `without` is the question without them."""

    attribute: str
    value: str
    """As it can be asked for: red, 38, ..5000."""
    label: str
    currency: str
    typed: str
    without: str


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
    reviews: int
    sku: str
    gtin: str
    description: str
    images: list[str]
    attributes: dict[str, str]
    filters: dict[str, Any]
    offers: list[ApiOffer]
    """Who else sells it, itself among them; empty if nobody does."""


@dataclass(frozen=True, slots=True)
class Goods:
    """The answer to a question for goods; `took` is in seconds."""

    query: str
    total: int
    about: bool
    """Is the total only near?"""
    took: float
    page: int
    limit: int
    sort: str
    instead: str
    chips: list[ApiChip]
    near: bool
    """Is no page all that was asked for, so that these only come near?"""
    misread: list[ApiMisread]
    """What was typed with a colon and likely meant otherwise."""
    absent: list[ApiAbsent]
    """Where nothing is found: which filter no page passes, and why."""
    currencies: list[str]
    """Sorted by price: prices are compared within each of these, which follow one another."""
    facets: dict[str, list[Counted]]
    products: list[ApiProduct]


@dataclass(frozen=True, slots=True)
class ApiPrice:
    """What a product cost when its page was seen."""

    seen: str
    price: float | None
    currency: str
    old_price: float | None
    availability: str


def routes(site: Site) -> APIRouter:
    """`/api/v1/products` and `/api/v1/products/history`"""
    router = APIRouter()

    @router.get("/api/v1/products", responses=problems(400, 422))
    def products(
        wanted: WantedGoods,
        q: Words = "",
        page: Page = 1,
        limit: Limit = HITS,
        sort: OrderOfGoods = "relevance",
        group: Flag = True,
    ) -> Goods:
        """Goods that answer the question `q`; without one, all. `has=heel:wedge` is any attribute.

        Words that name an attribute become chips. `group`: what several pages sell comes once.
        """
        asked = read_goods(q, str(page), str(limit), wanted, sort)
        return _goods(site, asked, group)

    @router.get("/api/v1/products/history", responses=problems(404, 422))
    def history(url: Address) -> list[ApiPrice]:
        """What the product at `url` cost the last 30 times its page was seen, the first first."""
        found = site.kept.find(url) if site.kept else None
        if site.kept is None or found is None:
            raise unkept(url)
        return [
            ApiPrice(
                datetime.fromtimestamp(one.at, UTC).isoformat(timespec="seconds"),
                finite(one.price),
                whole(one.currency),
                finite(one.old_price),
                one.availability,
            )
            for one in site.kept.prices(found, seconds=PATIENCE)
        ]

    return router


def _goods(site: Site, asked: Asked, grouped: bool) -> Goods:
    results = site.search(query_of(asked, grouped))
    return Goods(
        query=asked.text,
        total=results.total,
        about=results.about,
        took=round(results.seconds, 6),
        page=asked.page,
        limit=asked.limit,
        sort=asked.sort,
        instead=whole(results.instead),
        chips=[_chip(chip) for chip in results.chips],
        near=results.near,
        misread=list(map(misread_as_json, results.misread)),
        absent=list(map(absent_as_json, results.absent)),
        currencies=list(results.currencies),
        facets={
            name: [Counted(whole(str(value)), count) for value, count in counts]
            for name, counts in results.facets.items()
        },
        products=[_product(hit) for hit in results.hits],
    )


def _chip(chip: Chip) -> ApiChip:
    texts = (chip.attribute, chip.meaning, chip.label, chip.currency, chip.typed, chip.without)
    return ApiChip(*map(whole, texts))


def _product(hit: Hit) -> ApiProduct:
    said = hit.product

    def text(name: str) -> str:
        return whole(str(said.get(name, "")))

    def texts(name: str) -> list[str]:
        value = said.get(name)
        return [whole(str(one)) for one in value] if isinstance(value, list | tuple) else []

    attributes, filters = said.get("attributes"), said.get("filters")
    reviews = said.get("reviews")
    return ApiProduct(
        url=whole(hit.url),
        name=text("name") or whole(hit.title),
        price=finite(said.get("price")),
        currency=text("currency"),
        old_price=finite(said.get("old_price")),
        availability=text("availability"),
        brand=text("brand"),
        colours=texts("colours"),
        sizes=texts("sizes"),
        rating=finite(said.get("rating")),
        reviews=reviews if isinstance(reviews, int) else 0,
        sku=text("sku"),
        gtin=text("gtin"),
        description=text("description"),
        images=texts("images"),
        attributes=(
            {whole(str(name)): whole(str(value)) for name, value in attributes.items()}
            if isinstance(attributes, dict)
            else {}
        ),
        filters=filters if isinstance(filters, dict) else {},
        offers=[_offer(offer) for offer in hit.offers],
    )


def _offer(offer: Offer) -> ApiOffer:
    return ApiOffer(
        whole(offer.url), finite(offer.price), whole(offer.currency), offer.availability
    )
