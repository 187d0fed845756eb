"""Product fields in structured data: schema.org Product, its predecessors, and OpenGraph."""

from collections.abc import Iterator, Mapping

from byway.core.structured_data import StructuredData, StructuredItem, texts_of, types_of
from byway.core.text import single_line
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
    """The fields of the page's product in each structured data format."""
    products = [
        (source, _schema_org_fields(item, vocabulary))
        for source in ("json-ld", "microdata", "rdfa")
        if (item := _page_product(data, source, title)) is not None
    ]
    opengraph = data.stored_data.get("opengraph")
    if isinstance(opengraph, Mapping) and (fields := _opengraph_fields(opengraph, vocabulary)):
        products.append(("opengraph", fields))
    return products


def _page_product(data: StructuredData, source: str, title: str) -> StructuredItem | None:
    """The product that the page is about; if there are several, the one that its title names."""
    items = zip(data.sources, data.items, strict=True)
    products = [item for notation, item in items if notation == source and _is_product(item)]
    if len(products) < 2:
        return products[0] if products else None
    names = [(texts_of(product.get("name")), product) for product in products]
    return next((product for name, product in names if name and name[0] in title), None)


def _is_product(item: StructuredItem) -> bool:
    return any(name.rpartition("/")[2] in PRODUCT_TYPES for name in types_of(item))


def _schema_org_fields(product: StructuredItem, vocabulary: ProductVocabulary) -> ProductFields:
    pairs = list(_property_pairs(product.get("additionalProperty")))
    if material := texts_of(product.get("material")):
        pairs.append(("material", ", ".join(material)))
    fields: ProductFields = {}
    offers = [*_items(product.get("offers")), *_items(product.get("offerDetails"))]
    items = [
        product,
        *_items(product.get("audience")),
        *_items(product.get("aggregateRating")),
        *offers,
    ]
    for field, names in SCHEMA_ORG_PROPERTIES.items():
        for item in items:
            for name in names if item is product or field not in ("name", "description") else ():
                set_field(fields, field, _texts(item.get(name)), vocabulary)
    set_field(fields, "images", _images(product.get("image")), vocabulary)
    _set_lowest_price(fields, offers, vocabulary)
    variants = [*_items(product.get("hasVariant")), *_items(product.get("model"))]
    variants += [item for offer in offers for item in _items(offer.get("itemOffered"))]
    _set_variant_fields(fields, variants, vocabulary)
    return fields_from_pairs(pairs, vocabulary) | fields


def _set_lowest_price(
    fields: ProductFields, offers: list[StructuredItem], vocabulary: ProductVocabulary
) -> None:
    """Set the price and currency of the cheapest offer."""
    nested = [item for offer in offers for item in _items(offer.get("priceSpecification"))]
    nested += [item for offer in offers for item in _items(offer.get("offers"))]
    prices: list[ProductFields] = []
    for offer in [*offers, *nested]:
        price: ProductFields = {}
        for name in ("price", "lowPrice"):
            set_field(price, "price", next(iter(_texts(offer.get(name))), None), vocabulary)
        currency = _texts(offer.get("priceCurrency")) or _texts(offer.get("currency"))
        if currency:
            price["currency"] = currency[0].upper()[:3]
        prices += [price] if price.get("price") else []
    if prices:
        fields.update(min(prices, key=lambda price: float(price["price"])))


def _set_variant_fields(
    fields: ProductFields, variants: list[StructuredItem], vocabulary: ProductVocabulary
) -> None:
    """Set the sizes and colours of the variants."""
    for field, name in (("sizes", "size"), ("colours", "color")):
        texts = [text for variant in variants for text in _texts(variant.get(name))]
        set_field(fields, field, texts, vocabulary)


def _opengraph_fields(
    opengraph: Mapping[str, object], vocabulary: ProductVocabulary
) -> ProductFields:
    """The fields in OpenGraph data; only images if it does not describe a product."""
    fields: ProductFields = {}
    for field, names in OPENGRAPH_PROPERTIES.items():
        for name in names:
            set_field(fields, field, opengraph.get(name), vocabulary)
    currency = next((opengraph[name] for name in CURRENCY_PROPERTIES if opengraph.get(name)), None)
    if isinstance(currency, str):
        fields["currency"] = currency.upper()[:3]
    page_type = str(opengraph.get("type", ""))
    if "product" in page_type or page_type.endswith(":item") or fields.get("price"):
        return fields
    return {"images": fields["images"]} if "images" in fields else {}


def _property_pairs(value: object) -> Iterator[tuple[str, str]]:
    for item in _items(value)[:MAX_ADDITIONAL_PROPERTIES]:
        name, texts = texts_of(item.get("name")), _texts(item.get("value"))
        if name and texts:
            yield single_line(name[0], 100), ", ".join(texts)


def _images(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [
        url
        for each in values
        for url in _texts(
            each.get("url") or each.get("contentUrl") if isinstance(each, dict) else each
        )
    ]


def _items(value: object) -> list[StructuredItem]:
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, dict)]


def _texts(value: object) -> list[str]:
    """Texts and numbers in a value."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [f"{value:.10g}"]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return texts_of(value)
