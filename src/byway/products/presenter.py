"""Presentation of products: labels, template data, and JSON for the API."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

from markupsafe import Markup

from byway.core.display import (
    LANGUAGE_TAG_PATTERN,
    finite_or_none,
    format_date,
    format_price,
    http_url,
    parse_date,
    sanitize,
    truncate,
)
from byway.core.messages import LANGUAGE, decimal, has_text, t
from byway.core.model import Hit, Results
from byway.core.svg_chart import Point, Tick, line_chart
from byway.core.verticals import HistoryPoint, Presenter, Record, Vertical
from byway.products.record import PRODUCT_ATTRIBUTE
from byway.products.vocabulary.lookup import ProductVocabulary

MAX_NAME_CHARS = 120
MAX_VALUE_CHARS = 40
MAX_SIZES, MAX_COLOURS, MAX_OFFERS = 16, 6, 6
MAX_RATING = 5.0


@dataclass(frozen=True, slots=True)
class Offer:
    """A page that sells the product."""

    url: str
    price: float | None
    currency: str
    availability: str


@dataclass(frozen=True, slots=True)
class ProductItem:
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
    offers: list[Offer]
    """The offers of all shops, including this page's; empty if there are no others."""


class ProductPresenter(Presenter):
    """Presents products in labels, templates and JSON."""

    unit_name = "currency"
    response_fields: Mapping[str, Any] = {
        "currencies": list[str],
        "products": list[ProductItem],
    }
    history_fields: Mapping[str, Any] = {
        "price": float | None,
        "currency": str,
        "old_price": float | None,
        "availability": str,
    }

    def __init__(self, vertical: Vertical, vocabulary: ProductVocabulary) -> None:
        super().__init__(vertical)
        self._vocabulary = vocabulary

    def label(self, attribute: str, value: str = "") -> str:
        """The label of an attribute (ours, the vocabulary's or the shop's) or of a value."""
        key, language = f"products.facet.{attribute}", LANGUAGE.get()
        if not value:
            own = t(key) if has_text(key) else ""
            return own or sanitize(self._vocabulary.attribute_label(attribute, language))
        if attribute == "availability" and (known := parse_availability(value)):
            return t(f"products.stock_{known}")
        return sanitize(self._vocabulary.value_label(attribute, value, language))

    def summary(self, record: Record, short: bool = False) -> str:
        """Price, brand and sizes of a product; only the price if `short`."""
        price = format_price(record.get("price"), str(record.get("currency", "")))
        sizes = record.get("sizes")
        parts = [price] if short else [price, str(record.get("brand", ""))]
        parts += [t("products.sizes", sizes=sizes)] if isinstance(sizes, list) and not short else []
        return " · ".join(filter(None, parts))

    def view(self, hit: Hit, show_images: bool) -> Mapping[str, object]:
        """The product of a hit, formatted; `href` is empty unless the URL is http or https."""
        product, href = hit.records.get(PRODUCT_ATTRIBUTE, {}), http_url(hit.url)
        sizes, offers = _texts(product.get("sizes")), list(map(_offer, hit.group))
        name = sanitize(str(product.get("name", "")) or hit.title)
        view = {
            "name": truncate(name, MAX_NAME_CHARS) or hit.url,
            "href": href,
            "url": hit.url if href else "",
            "shop": shop_host(hit.url),
            "language": hit.language if LANGUAGE_TAG_PATTERN.fullmatch(hit.language) else "",
            "price": _price(product, "price"),
            "old_price": _price(product, "old_price"),
            "brand": truncate(sanitize(str(product.get("brand", ""))), MAX_VALUE_CHARS),
            "kind": self._kind(product.get("filters")),
            "sizes": sizes[:MAX_SIZES],
            "more_sizes": max(0, len(sizes) - MAX_SIZES),
            "colours": _texts(product.get("colours"))[:MAX_COLOURS],
            "rating": _rating(product.get("rating")),
            "review_count": _count(product.get("reviews")),
            "availability": parse_availability(product.get("availability")),
            "image_url": _image_url(hit, product.get("images")) if show_images else "",
            "day": parse_date(hit.iso_date),
            "offers": list(map(_offer_view, offers[:MAX_OFFERS])),
            "more_offers": max(0, len(offers) - MAX_OFFERS),
            "price_ranges": list(_price_ranges(offers, str(product.get("currency", "")))),
        }
        return {"product": view}

    def response(self, results: Results) -> Mapping[str, object]:
        """The products and the order of their currencies."""
        return {
            "currencies": list(results.sort_groups),
            "products": list(map(_product_item, results.hits)),
        }

    def history_view(self, points: Sequence[HistoryPoint]) -> Mapping[str, object]:
        """The prices, newest first, and a chart of them."""
        prices = [
            {
                "at": point.at,
                "price": _price(point.record, "price"),
                "old_price": _price(point.record, "old_price"),
                "availability": parse_availability(point.record.get("availability")),
            }
            for point in points
        ]
        return {"prices": prices[::-1], "chart": price_chart(points)}

    def _kind(self, filters: object) -> str:
        kinds = filters.get("kind") if isinstance(filters, Mapping) else None
        first = str(kinds[0]) if isinstance(kinds, list) and kinds else ""
        return truncate(self.label("kind", first), MAX_VALUE_CHARS) if first else ""


def parse_availability(value: object) -> str:
    """Return `yes`, `no` or `to_order`; empty for any other value."""
    known = str(value or "").replace(" ", "_")
    return known if known in ("yes", "no", "to_order") else ""


def _price(product: Record, name: str) -> str:
    return format_price(product.get(name), str(product.get("currency", "")))


def shop_host(url: str) -> str:
    """The host of a shop, as in `site:`."""
    return sanitize(url.partition("://")[2].partition("/")[0].rpartition("@")[2])


def _texts(value: object) -> list[str]:
    items = value if isinstance(value, list | tuple) else []
    texts = (truncate(sanitize(str(item)), MAX_VALUE_CHARS) for item in items)
    return [text for text in texts if text]


def _rating(value: object) -> str:
    if not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        return ""
    number = decimal(value, ".0f" if f"{value:.1f}".endswith(".0") else ".1f")
    return number + (f"/{MAX_RATING:g}" if value <= MAX_RATING else "")


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 < value < 10**9 else 0


def _image_url(hit: Hit, images: object) -> str:
    for image in images if isinstance(images, list | tuple) else []:
        try:
            url = http_url(urljoin(hit.url, str(image)))
        except ValueError:
            continue
        if url:
            return url
    return ""


def _offer_view(offer: Offer) -> Mapping[str, str]:
    price = format_price(offer.price, offer.currency)
    return {"shop": shop_host(offer.url), "href": http_url(offer.url), "price": price}


def _offer(member: Record) -> Offer:
    return Offer(
        str(member.get("url", "")),
        finite_or_none(member.get("price")),
        str(member.get("currency", "")),
        str(member.get("availability", "")),
    )


def _price_ranges(offers: Iterable[Offer], first_currency: str) -> Iterable[str]:
    by_currency: dict[str, list[float]] = {first_currency: []}
    for offer in offers:
        if offer.price is not None:
            by_currency.setdefault(offer.currency, []).append(offer.price)
    for currency, prices in by_currency.items():
        if not prices:
            continue
        low, high = format_price(min(prices), currency), format_price(max(prices), currency)
        yield low if low == high else f"{format_price(min(prices), '')}–{high}"


def _product_item(hit: Hit) -> ProductItem:
    product = hit.records.get(PRODUCT_ATTRIBUTE, {})
    texts = ("currency", "availability", "brand", "sku", "gtin", "description")
    lists = ("colours", "sizes", "images")
    attributes, filters, reviews = map(product.get, ("attributes", "filters", "reviews"))
    values: dict[str, Any] = {name: str(product.get(name, "")) for name in texts}
    values |= {name: finite_or_none(product.get(name)) for name in ("price", "old_price", "rating")}
    values |= {name: [str(each) for each in product.get(name, ())] for name in lists}
    return ProductItem(
        url=hit.url,
        name=str(product.get("name", "")) or hit.title,
        review_count=reviews if isinstance(reviews, int) else 0,
        attributes=attributes if isinstance(attributes, dict) else {},
        filters=filters if isinstance(filters, dict) else {},
        offers=list(map(_offer, hit.group)),
        **values,
    )


def price_chart(prices: Sequence[HistoryPoint]) -> Markup | None:
    """A step chart of the prices in the most frequent currency; None for fewer than two prices."""
    priced = [
        (at, str(record.get("currency", "")), price)
        for at, record in prices
        if (price := finite_or_none(record.get("price")))
    ]
    currencies = Counter(currency for _, currency, _ in priced)
    currency = max(currencies, key=currencies.__getitem__, default="")
    found = [(at, price) for at, each, price in priced if each == currency]
    if len(found) < 2:
        return None
    points = [
        Point(at, price, f"{_day(at)}: {format_price(price, currency)}") for at, price in found
    ]
    (first_at, first), (last_at, last) = found[0], found[-1]
    levels = sorted({price for _, price in found})
    return line_chart(
        points,
        label=t(
            "products.chart",
            first=format_price(first, currency),
            first_date=_day(first_at),
            last=format_price(last, currency),
            last_date=_day(last_at),
        ),
        x_ticks=[Tick(at, _day(at)) for at in (first_at, last_at)],
        y_ticks=[Tick(price, format_price(price, currency)) for price in {levels[0], levels[-1]}],
        css_class="chart prices",
        size=(560, 180),
        stepped=True,
    )


def _day(at: float) -> str:
    return format_date(datetime.fromtimestamp(at, UTC).date())
