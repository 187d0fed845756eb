"""Product fields by source, merged in order of reliability."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from byway.core.prices import parse_number, parse_price
from byway.core.text import single_line
from byway.products.record import Product
from byway.products.sizes import format_sizes, parse_sizes
from byway.products.vocabulary.lookup import ProductVocabulary

MAX_IMAGES, MAX_ATTRIBUTES, MAX_COLOURS = 10, 60, 20
MAX_TEXT_CHARS = 4000

ProductFields = dict[str, Any]
"""Some fields of a product by name; `attributes` are names and values from the page."""

FIELD_BY_ATTRIBUTE = {"colour": "colours", "size": "sizes"}
"""Product fields by vocabulary attribute, where their names differ."""
TEXT_FIELDS = ("name", "brand", "kind", "gender", "sku", "gtin", "description")
KNOWN_FIELDS = {
    *TEXT_FIELDS,
    "colours",
    "sizes",
    "price",
    "old_price",
    "availability",
    "rating",
    "reviews",
}


def fields_from_pairs(
    pairs: Iterable[tuple[str, str]], vocabulary: ProductVocabulary
) -> ProductFields:
    """Product fields from names and values on a page; unknown names become `attributes`."""
    fields: ProductFields = {}
    attributes: dict[str, str] = {}
    for name, value in pairs:
        attribute = vocabulary.find_attribute(name)
        field = FIELD_BY_ATTRIBUTE.get(attribute, attribute)
        if field in KNOWN_FIELDS:
            set_field(fields, field, value, vocabulary)
        elif len(attributes) < MAX_ATTRIBUTES:
            attributes.setdefault(name[:100], value[:300])
    return fields | ({"attributes": attributes} if attributes else {})


def set_field(
    product_fields: ProductFields, field: str, value: object, vocabulary: ProductVocabulary
) -> None:
    """Set a field from a raw value, unless the value is empty or the field is already set."""
    if product_fields.get(field) in (None, "", ()):
        parsed = _field_value(field, value, vocabulary)
        if parsed not in (None, "", ()):
            product_fields[field] = parsed
            price = _price(value)
            if field == "price" and price and price["currency"]:
                product_fields.setdefault("currency", price["currency"])


def merge_sources(source_fields: Sequence[tuple[str, ProductFields]]) -> Product:
    """The product with the fields of all sources; the most reliable source wins."""
    fields: ProductFields = {}
    sources: dict[str, str] = {}
    attributes: dict[str, str] = {}
    for source, source_values in source_fields:
        for name, value in source_values.items():
            if name == "attributes":
                attributes = {**value, **attributes}
            elif value not in (None, "", (), []) and name not in fields:
                fields[name], sources[name] = value, source
        if source_values.get("attributes"):
            sources.setdefault("attributes", source)
    price, old_price = fields.get("price"), fields.get("old_price")
    if old_price is not None and (price is None or old_price <= price):
        del fields["old_price"], sources["old_price"]
    return Product(**fields, attributes=attributes, sources=sources)


def _field_value(field: str, value: object, vocabulary: ProductVocabulary) -> object:
    """A raw value converted to the type of its field."""
    if field in ("price", "old_price"):
        price = _price(value)
        return float(price["amount"]) if price and price["amount"] else None
    if field in ("rating", "reviews"):
        number = parse_number(str(value))
        return number if number is None or field == "rating" else int(number)
    texts = _texts(value)
    match field:
        case "sizes":
            return format_sizes(parse_sizes(", ".join(texts)))
        case "colours":
            pieces = [colour for text in texts for colour in _split_colours(text)]
            return tuple(dict.fromkeys(pieces))[:MAX_COLOURS]
        case "images":
            return tuple(dict.fromkeys(text for text in texts if text))[:MAX_IMAGES]
        case "availability":
            return _availability(texts[0], vocabulary) if texts else ""
    return single_line(texts[0], MAX_TEXT_CHARS) if texts else ""


def _availability(text: str, vocabulary: ProductVocabulary) -> str:
    """The known value named by a text or schema.org URL; empty if there is none."""
    known = vocabulary.find_values("availability", text.rpartition("/")[2])
    return known[0] if known else ""


def _price(value: object) -> Mapping[str, Any] | None:
    """Amount and currency from a text, a number or a rule's price."""
    if isinstance(value, Mapping):
        return value if isinstance(value.get("amount"), int | float) else None
    if isinstance(value, list):
        return _price(value[0]) if value else None
    return parse_price(str(value)) if isinstance(value, str | int | float) else None


def _texts(value: object) -> list[str]:
    if isinstance(value, str | int | float):
        return [single_line(str(value), MAX_TEXT_CHARS)]
    return (
        [text for each in value for text in _texts(each)] if isinstance(value, list | tuple) else []
    )


def _split_colours(text: str) -> list[str]:
    """The colours in `белый, синий` or `black/white`."""
    for mark in (";", "/", " и ", " and ", " & "):
        text = text.replace(mark, ",")
    return [piece.strip()[:60] for piece in text.split(",") if piece.strip()]
