"""What does structured data say of a product? schema.org's Product and its elders, OpenGraph."""

from collections.abc import Iterator, Mapping

from byway.extract.formats.html.dom import single_line
from byway.extract.formats.html.structured_data import (
    StructuredData,
    StructuredItem,
    texts_of,
    types_of,
)
from byway.products.reader.merge import ProductFields, fields_from_pairs, set_field
from byway.products.vocabulary.lookup import ProductVocabulary

PRODUCT_TYPES = frozenset(
    {"Product", "ProductGroup", "IndividualProduct", "ProductModel", "SomeProducts"}
)
SCHEMA_ORG_PROPERTIES = {
    "name": ("name",),
    "brand": ("brand", "manufacturer"),
    "kind": ("category",),
    "sku": ("sku", "mpn", "productID", "identifier"),
    "gtin": ("gtin13", "gtin", "gtin14", "gtin12", "gtin8", "isbn"),
    "description": ("description",),
    "colours": ("color", "colour"),
    "sizes": ("size",),
    "gender": ("gender", "suggestedGender"),
    "rating": ("ratingValue",),
    "reviews": ("reviewCount", "ratingCount"),
    "availability": ("availability",),
}
OPENGRAPH_PROPERTIES = {
    "price": ("product:sale_price:amount", "product:price:amount", "price:amount"),
    "old_price": ("product:original_price:amount",),
    "brand": ("product:brand", "brand"),
    "colours": ("product:color",),
    "sizes": ("product:size",),
    "gender": ("product:target_gender",),
    "kind": ("product:category",),
    "availability": ("product:availability", "availability"),
    "sku": ("product:retailer_item_id", "product:product_link"),
    "gtin": ("product:ean", "product:gtin", "product:upc", "product:isbn"),
    "images": ("image",),
}
CURRENCY_PROPERTIES = ("product:sale_price:currency", "product:price:currency", "price:currency")
MAX_ADDITIONAL_PROPERTIES = 60


def extract_structured_fields(
    data: StructuredData, title: str, vocabulary: ProductVocabulary
) -> list[tuple[str, ProductFields]]:
    """What each way of writing structured data says of the page's product."""
    found = [
        (source, _given(thing, vocabulary))
        for source in ("json-ld", "microdata", "rdfa")
        if (thing := _the_product(data, source, title)) is not None
    ]
    graph = data.stored_data.get("opengraph")
    if isinstance(graph, Mapping) and (given := _graphed(graph, vocabulary)):
        found.append(("opengraph", given))
    return found


def _the_product(data: StructuredData, source: str, title: str) -> StructuredItem | None:
    """The product that the page is about; of several, the one that it is titled by."""
    said = zip(data.sources, data.items, strict=True)
    products = [thing for way, thing in said if way == source and _is_product(thing)]
    if len(products) < 2:
        return products[0] if products else None
    names = [(texts_of(each.get("name")), each) for each in products]
    return next((each for name, each in names if name and name[0] in title), None)


def _is_product(thing: StructuredItem) -> bool:
    return any(each.rpartition("/")[2] in PRODUCT_TYPES for each in types_of(thing))


def _given(thing: StructuredItem, vocabulary: ProductVocabulary) -> ProductFields:
    pairs = list(_pairs(thing.get("additionalProperty")))
    if material := texts_of(thing.get("material")):
        pairs.append(("material", ", ".join(material)))
    given: ProductFields = {}
    around = [thing, *_things(thing.get("audience")), *_things(thing.get("aggregateRating"))]
    offers = [*_things(thing.get("offers")), *_things(thing.get("offerDetails"))]
    for field, names in SCHEMA_ORG_PROPERTIES.items():
        for place in [*around, *offers]:
            for name in names if place is thing or field not in ("name", "description") else ():
                set_field(given, field, _plain(place.get(name)), vocabulary)
    set_field(given, "images", _images(thing.get("image")), vocabulary)
    _priced(given, offers, vocabulary)
    variants = [*_things(thing.get("hasVariant")), *_things(thing.get("model"))]
    variants += [each for offer in offers for each in _things(offer.get("itemOffered"))]
    for field, name in (("sizes", "size"), ("colours", "color")):
        set_field(
            given, field, [text for each in variants for text in _plain(each.get(name))], vocabulary
        )
    others = fields_from_pairs(pairs, vocabulary)
    return others | given


def _priced(
    given: ProductFields, offers: list[StructuredItem], vocabulary: ProductVocabulary
) -> None:
    """The price: the lowest of all offers."""
    inner = [each for offer in offers for each in _things(offer.get("priceSpecification"))]
    inner += [each for offer in offers for each in _things(offer.get("offers"))]
    said: list[ProductFields] = []
    for offer in [*offers, *inner]:
        one: ProductFields = {}
        for name in ("price", "lowPrice"):
            set_field(one, "price", next(iter(_plain(offer.get(name))), None), vocabulary)
        currency = _plain(offer.get("priceCurrency")) or _plain(offer.get("currency"))
        if currency:
            one["currency"] = currency[0].upper()[:3]
        said += [one] if one.get("price") else []
    if said:
        given.update(min(said, key=lambda one: float(one["price"])))


def _graphed(graph: Mapping[str, object], vocabulary: ProductVocabulary) -> ProductFields:
    """What OpenGraph says, if it speaks of a product at all."""
    given: ProductFields = {}
    for field, names in OPENGRAPH_PROPERTIES.items():
        for name in names:
            set_field(given, field, graph.get(name), vocabulary)
    currency = next((graph[name] for name in CURRENCY_PROPERTIES if graph.get(name)), None)
    if isinstance(currency, str):
        given["currency"] = currency.upper()[:3]
    kind = str(graph.get("type", ""))
    if "product" in kind or kind.endswith(":item") or given.get("price"):
        return given
    return {"images": given["images"]} if "images" in given else {}


def _pairs(value: object) -> Iterator[tuple[str, str]]:
    for each, _ in zip(_things(value), range(MAX_ADDITIONAL_PROPERTIES), strict=False):
        name, said = texts_of(each.get("name")), _plain(each.get("value"))
        if name and said:
            yield single_line(name[0], 100), ", ".join(said)


def _images(value: object) -> list[str]:
    given = value if isinstance(value, list) else [value]
    return [
        url
        for each in given
        for url in _plain(
            each.get("url") or each.get("contentUrl") if isinstance(each, dict) else each
        )
    ]


def _things(value: object) -> list[StructuredItem]:
    given = value if isinstance(value, list) else [value]
    return [each for each in given if isinstance(each, dict)]


def _plain(value: object) -> list[str]:
    """Texts and numbers in a value."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [f"{value:.10g}"]
    if isinstance(value, list):
        return [text for each in value for text in _plain(each)]
    return texts_of(value)
