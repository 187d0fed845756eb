"""Product view: price, sizes and shop of a hit, formatted and sanitized."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urljoin

from markupsafe import Markup

from byway.app.pages import PricePoint
from byway.core.messages import LANGUAGE, decimal, t
from byway.core.model import Hit, Offer
from byway.core.svg_chart import Point, Tick, line_chart
from byway.products.vocabulary.lookup import ProductVocabulary
from byway.web.views.formats import facet_name, format_date
from byway.web.views.hit import (
    LANGUAGE_TAG_PATTERN,
    format_price,
    http_url,
    parse_date,
    sanitize,
    truncate,
)

MAX_NAME_CHARS = 120
MAX_VALUE_CHARS = 40
MAX_SIZES, MAX_COLOURS, MAX_OFFERS = 16, 6, 6
MAX_RATING = 5.0


@dataclass(frozen=True, slots=True)
class OfferView:
    """An offer, formatted."""

    shop: str
    href: str
    price: str


@dataclass(frozen=True, slots=True)
class ProductView:
    """A product, formatted."""

    name: str
    href: str
    """Empty unless the URL is http or https."""
    url: str
    shop: str
    language: str
    price: str = ""
    old_price: str = ""
    brand: str = ""
    kind: str = ""
    sizes: tuple[str, ...] = ()
    more_sizes: int = 0
    colours: tuple[str, ...] = ()
    rating: str = ""
    review_count: int = 0
    availability: str = ""
    """yes, no, to_order or empty."""
    image_url: str = ""
    day: object = None
    offers: tuple[OfferView, ...] = ()
    more_offers: int = 0
    price_ranges: tuple[str, ...] = ()
    """Lowest to highest price in each currency."""


def product_view(hit: Hit, vocabulary: ProductVocabulary, with_images: bool) -> ProductView:
    """The view of a product hit."""
    product, href = hit.product, http_url(hit.url)
    currency = str(product.get("currency", ""))
    sizes = _texts(product.get("sizes"))
    return ProductView(
        name=truncate(sanitize(str(product.get("name", "")) or hit.title), MAX_NAME_CHARS)
        or hit.url,
        href=href,
        url=hit.url if href else "",
        shop=shop_host(hit.url),
        language=hit.language if LANGUAGE_TAG_PATTERN.fullmatch(hit.language) else "",
        price=format_price(product.get("price"), currency),
        old_price=format_price(product.get("old_price"), currency),
        brand=truncate(sanitize(str(product.get("brand", ""))), MAX_VALUE_CHARS),
        kind=_kind(product, vocabulary),
        sizes=tuple(sizes[:MAX_SIZES]),
        more_sizes=max(0, len(sizes) - MAX_SIZES),
        colours=tuple(_texts(product.get("colours"))[:MAX_COLOURS]),
        rating=_rating(product.get("rating")),
        review_count=_count(product.get("reviews")),
        availability=parse_availability(product.get("availability")),
        image_url=_image_url(hit) if with_images else "",
        day=parse_date(hit.iso_date),
        offers=tuple(map(_offer_view, hit.offers[:MAX_OFFERS])),
        more_offers=max(0, len(hit.offers) - MAX_OFFERS),
        price_ranges=tuple(_price_ranges(hit.offers, currency)),
    )


def attribute_name(name: str, vocabulary: ProductVocabulary) -> str:
    """The label of an attribute: ours, the vocabulary's or the shop's."""
    label = facet_name(name)
    return label if label != name else sanitize(vocabulary.attribute_label(name, LANGUAGE.get()))


def value_name(name: str, value: str, vocabulary: ProductVocabulary) -> str:
    """The label of a value of an attribute."""
    if name == "availability":
        known = parse_availability(value)
        return t(f"web.products.stock_{known}") if known else sanitize(value)
    return sanitize(vocabulary.value_label(name, value, LANGUAGE.get()))


def parse_availability(value: object) -> str:
    """yes, no or to_order; empty for any other value."""
    known = str(value or "").replace(" ", "_")
    return known if known in ("yes", "no", "to_order") else ""


def shop_host(url: str) -> str:
    """The host of a shop, as in `site:`."""
    return sanitize(url.partition("://")[2].partition("/")[0].rpartition("@")[2])


def _kind(product: Mapping[str, object], vocabulary: ProductVocabulary) -> str:
    filters = product.get("filters")
    kinds = filters.get("kind") if isinstance(filters, Mapping) else None
    first = str(kinds[0]) if isinstance(kinds, list) and kinds else ""
    return truncate(value_name("kind", first, vocabulary), MAX_VALUE_CHARS)


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


def _image_url(hit: Hit) -> str:
    images = hit.product.get("images")
    for image in images if isinstance(images, list | tuple) else []:
        try:
            url = http_url(urljoin(hit.url, str(image)))
        except ValueError:
            continue
        if url:
            return url
    return ""


def _offer_view(offer: Offer) -> OfferView:
    return OfferView(
        shop_host(offer.url), http_url(offer.url), format_price(offer.price, offer.currency)
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


def price_chart(prices: Sequence[PricePoint]) -> Markup | None:
    """A step line of the prices in the most frequent currency; None with fewer than two."""
    currencies = Counter(point.currency for point in prices if point.price)
    currency = max(currencies, key=currencies.__getitem__, default="")
    found = [(each.at, each.price) for each in prices if each.currency == currency and each.price]
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
            "web.products.chart",
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
