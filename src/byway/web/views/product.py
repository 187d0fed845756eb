"""How do goods look on our page? Prices, sizes and shops of hits, made fit to be shown."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin

from byway.core.model import Hit, Offer
from byway.products.vocabulary.lookup import ProductVocabulary
from byway.web.i18n import REQUEST_LOCALE, facet_name, messages
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
    """One offer as it is shown."""

    shop: str
    href: str
    price: str


@dataclass(frozen=True, slots=True)
class ProductView:
    """A product as it is shown."""

    name: str
    href: str
    """Empty when the URL is not one that may be clicked."""
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
    """yes, no or to_order, where it is said."""
    image_url: str = ""
    day: object = None
    offers: tuple[OfferView, ...] = ()
    more_offers: int = 0
    price_ranges: tuple[str, ...] = ()
    """From which price to which, in each currency."""


def product_view(hit: Hit, vocabulary: ProductVocabulary, with_images: bool) -> ProductView:
    """A hit as a product."""
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
        image_url=_picture(hit) if with_images else "",
        day=parse_date(hit.iso_date),
        offers=tuple(map(_sold, hit.offers[:MAX_OFFERS])),
        more_offers=max(0, len(hit.offers) - MAX_OFFERS),
        price_ranges=tuple(_ranges(hit.offers, currency)),
    )


def attribute_name(name: str, vocabulary: ProductVocabulary) -> str:
    """What an attribute is called: in our texts, in the vocabulary, or as the shop does."""
    said = facet_name(name)
    return (
        said
        if said != name
        else sanitize(vocabulary.attribute_label(name, REQUEST_LOCALE.get().language))
    )


def value_name(name: str, value: str, vocabulary: ProductVocabulary) -> str:
    """What a value of an attribute is called."""
    if name == "availability":
        known = parse_availability(value)
        return (
            str(messages(REQUEST_LOCALE.get().language)[f"stock_{known}"])
            if known
            else sanitize(value)
        )
    return sanitize(vocabulary.value_label(name, value, REQUEST_LOCALE.get().language))


def parse_availability(value: object) -> str:
    """yes, no or to_order; nothing if it is something else, as a shop's own word may be."""
    known = str(value or "").replace(" ", "_")
    return known if known in ("yes", "no", "to_order") else ""


def shop_host(url: str) -> str:
    """The host of a shop, as `site:` takes it."""
    return sanitize(url.partition("://")[2].partition("/")[0].rpartition("@")[2])


def _kind(product: Mapping[str, object], vocabulary: ProductVocabulary) -> str:
    filters = product.get("filters")
    kinds = filters.get("kind") if isinstance(filters, Mapping) else None
    first = str(kinds[0]) if isinstance(kinds, list) and kinds else ""
    return truncate(value_name("kind", first, vocabulary), MAX_VALUE_CHARS)


def _texts(value: object) -> list[str]:
    each = value if isinstance(value, list | tuple) else []
    return [text for one in each if (text := truncate(sanitize(str(one)), MAX_VALUE_CHARS))]


def _rating(value: object) -> str:
    if not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        return ""
    return f"{value:.1f}".removesuffix(".0") + (f"/{MAX_RATING:g}" if value <= MAX_RATING else "")


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 < value < 10**9 else 0


def _picture(hit: Hit) -> str:
    images = hit.product.get("images")
    for image in images if isinstance(images, list | tuple) else []:
        try:
            url = http_url(urljoin(hit.url, str(image)))
        except ValueError:
            continue
        if url:
            return url
    return ""


def _sold(offer: Offer) -> OfferView:
    return OfferView(
        shop_host(offer.url), http_url(offer.url), format_price(offer.price, offer.currency)
    )


def _ranges(offers: Iterable[Offer], first: str) -> Iterable[str]:
    by_currency: dict[str, list[float]] = {first: []}
    for offer in offers:
        if offer.price is not None:
            by_currency.setdefault(offer.currency, []).append(offer.price)
    for currency, prices in by_currency.items():
        if not prices:
            continue
        low, high = format_price(min(prices), currency), format_price(max(prices), currency)
        yield low if low == high else f"{format_price(min(prices), '')}–{high}"
