"""How do goods look on our page? Prices, sizes and shops of hits, made fit to be shown."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin

from byway.core.model import Hit, Offer
from byway.products.vocabulary.lookup import Vocabulary
from byway.web.i18n import READER, facet_name, texts
from byway.web.views.hit import LANGUAGE, clean, cut, day_of, price_of, web_address

LONGEST_NAME = 120
LONGEST_VALUE = 40
MOST_SIZES, MOST_COLOURS, MOST_OFFERS = 16, 6, 6
BEST_RATING = 5.0


@dataclass(frozen=True, slots=True)
class Sold:
    """One offer as it is shown."""

    shop: str
    href: str
    price: str


@dataclass(frozen=True, slots=True)
class Ware:
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
    reviews: int = 0
    availability: str = ""
    """yes, no or to_order, where it is said."""
    picture: str = ""
    day: object = None
    offers: tuple[Sold, ...] = ()
    more_offers: int = 0
    ranges: tuple[str, ...] = ()
    """From which price to which, in each currency."""


def ware_of(hit: Hit, vocabulary: Vocabulary, pictures: bool) -> Ware:
    """A hit as a product."""
    product, href = hit.product, web_address(hit.url)
    currency = str(product.get("currency", ""))
    sizes = _texts(product.get("sizes"))
    return Ware(
        name=cut(clean(str(product.get("name", "")) or hit.title), LONGEST_NAME) or hit.url,
        href=href,
        url=hit.url if href else "",
        shop=shop_of(hit.url),
        language=hit.language if LANGUAGE.fullmatch(hit.language) else "",
        price=price_of(product.get("price"), currency),
        old_price=price_of(product.get("old_price"), currency),
        brand=cut(clean(str(product.get("brand", ""))), LONGEST_VALUE),
        kind=_kind(product, vocabulary),
        sizes=tuple(sizes[:MOST_SIZES]),
        more_sizes=max(0, len(sizes) - MOST_SIZES),
        colours=tuple(_texts(product.get("colours"))[:MOST_COLOURS]),
        rating=_rating(product.get("rating")),
        reviews=_count(product.get("reviews")),
        availability=availability_of(product.get("availability")),
        picture=_picture(hit) if pictures else "",
        day=day_of(hit.day),
        offers=tuple(map(_sold, hit.offers[:MOST_OFFERS])),
        more_offers=max(0, len(hit.offers) - MOST_OFFERS),
        ranges=tuple(_ranges(hit.offers, currency)),
    )


def attribute_name(name: str, vocabulary: Vocabulary) -> str:
    """What an attribute is called: in our texts, in the vocabulary, or as the shop does."""
    said = facet_name(name)
    return said if said != name else clean(vocabulary.title(name, READER.get().language))


def value_name(name: str, value: str, vocabulary: Vocabulary) -> str:
    """What a value of an attribute is called."""
    if name == "availability":
        known = availability_of(value)
        return str(texts(READER.get().language)[f"stock_{known}"]) if known else clean(value)
    return clean(vocabulary.label(name, value, READER.get().language))


def availability_of(value: object) -> str:
    """yes, no or to_order; nothing if it is something else, as a shop's own word may be."""
    known = str(value or "").replace(" ", "_")
    return known if known in ("yes", "no", "to_order") else ""


def shop_of(url: str) -> str:
    """The host of a shop, as `site:` takes it."""
    return clean(url.partition("://")[2].partition("/")[0].rpartition("@")[2])


def _kind(product: Mapping[str, object], vocabulary: Vocabulary) -> str:
    filters = product.get("filters")
    kinds = filters.get("kind") if isinstance(filters, Mapping) else None
    first = str(kinds[0]) if isinstance(kinds, list) and kinds else ""
    return cut(value_name("kind", first, vocabulary), LONGEST_VALUE)


def _texts(value: object) -> list[str]:
    each = value if isinstance(value, list | tuple) else []
    return [text for one in each if (text := cut(clean(str(one)), LONGEST_VALUE))]


def _rating(value: object) -> str:
    if not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        return ""
    return f"{value:.1f}".removesuffix(".0") + (f"/{BEST_RATING:g}" if value <= BEST_RATING else "")


def _count(value: object) -> int:
    return value if isinstance(value, int) and 0 < value < 10**9 else 0


def _picture(hit: Hit) -> str:
    images = hit.product.get("images")
    for image in images if isinstance(images, list | tuple) else []:
        try:
            url = web_address(urljoin(hit.url, str(image)))
        except ValueError:
            continue
        if url:
            return url
    return ""


def _sold(offer: Offer) -> Sold:
    return Sold(shop_of(offer.url), web_address(offer.url), price_of(offer.price, offer.currency))


def _ranges(offers: Iterable[Offer], first: str) -> Iterable[str]:
    by_currency: dict[str, list[float]] = {first: []}
    for offer in offers:
        if offer.price is not None:
            by_currency.setdefault(offer.currency, []).append(offer.price)
    for currency, prices in by_currency.items():
        if not prices:
            continue
        low, high = price_of(min(prices), currency), price_of(max(prices), currency)
        yield low if low == high else f"{price_of(min(prices), '')}–{high}"
