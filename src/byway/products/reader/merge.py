"""What did one source say of a product? Parts of it, which are put together, the surest first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from byway.extract.formats.html.dom import single_line
from byway.products.prices import parse_number, parse_price
from byway.products.record import Product
from byway.products.sizes import format_sizes, parse_sizes
from byway.products.vocabulary.lookup import ProductVocabulary

MAX_IMAGES, MAX_ATTRIBUTES, MAX_COLOURS = 10, 60, 20
MAX_TEXT_CHARS = 4000

ProductFields = dict[str, Any]
"""Some fields of a product, by their names; `attributes` are pairs as the page calls them."""

FIELD_BY_ATTRIBUTE = {"colour": "colours", "size": "sizes"}
"""Fields of a product whose name is not that of the attribute."""
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
    """Names and values as a shop gives them: what fills a field of ours, and the rest."""
    given: ProductFields = {}
    attributes: dict[str, str] = {}
    for name, value in pairs:
        ours = vocabulary.find_attribute(name)
        field = FIELD_BY_ATTRIBUTE.get(ours, ours)
        if field in KNOWN_FIELDS:
            set_field(given, field, value, vocabulary)
        elif len(attributes) < MAX_ATTRIBUTES:
            attributes.setdefault(name[:100], value[:300])
    return given | ({"attributes": attributes} if attributes else {})


def set_field(
    product_fields: ProductFields, field: str, value: object, vocabulary: ProductVocabulary
) -> None:
    """Set a field from what a source says, unless it says nothing or the field is set."""
    if product_fields.get(field) in (None, "", ()):
        made = _made(field, value, vocabulary)
        if made not in (None, "", ()):
            product_fields[field] = made
            said = _priced(value)
            if field == "price" and said and said["currency"]:
                product_fields.setdefault("currency", said["currency"])


def merge_sources(source_fields: Sequence[tuple[str, ProductFields]]) -> Product:
    """The product of which all these sources speak, the surest first."""
    fields: ProductFields = {}
    sources: dict[str, str] = {}
    attributes: dict[str, str] = {}
    for source, given in source_fields:
        for name, value in given.items():
            if name == "attributes":
                attributes = {**value, **attributes}
            elif value not in (None, "", (), []) and name not in fields:
                fields[name], sources[name] = value, source
        if given.get("attributes"):
            sources.setdefault("attributes", source)
    price, old = fields.get("price"), fields.get("old_price")
    if old is not None and (price is None or old <= price):
        del fields["old_price"], sources["old_price"]
    return Product(**fields, attributes=attributes, sources=sources)


def _made(field: str, value: object, vocabulary: ProductVocabulary) -> object:
    """A value as its field holds it."""
    if field in ("price", "old_price"):
        said = _priced(value)
        return float(said["amount"]) if said and said["amount"] else None
    if field in ("rating", "reviews"):
        found = parse_number(str(value))
        return found if found is None or field == "rating" else int(found)
    texts = _texts(value)
    match field:
        case "sizes":
            return format_sizes(parse_sizes(", ".join(texts)))
        case "colours":
            pieces = [piece for text in texts for piece in _pieces(text)]
            return tuple(dict.fromkeys(pieces))[:MAX_COLOURS]
        case "images":
            return tuple(dict.fromkeys(text for text in texts if text))[:MAX_IMAGES]
        case "availability":
            known = (
                vocabulary.find_values("availability", texts[0].rpartition("/")[2]) if texts else ()
            )
            return known[0] if known else ""
    return single_line(texts[0], MAX_TEXT_CHARS) if texts else ""


def _priced(value: object) -> Mapping[str, Any] | None:
    """An amount and a currency, out of a text, a number or a rule's price."""
    if isinstance(value, Mapping):
        return value if isinstance(value.get("amount"), int | float) else None
    if isinstance(value, list):
        return _priced(value[0]) if value else None
    return parse_price(str(value)) if isinstance(value, str | int | float) else None


def _texts(value: object) -> list[str]:
    if isinstance(value, str | int | float):
        return [single_line(str(value), MAX_TEXT_CHARS)]
    return (
        [text for one in value for text in _texts(one)] if isinstance(value, list | tuple) else []
    )


def _pieces(text: str) -> list[str]:
    """The colours in `белый, синий` or `black/white`."""
    for mark in (";", "/", " и ", " and ", " & "):
        text = text.replace(mark, ",")
    return [piece.strip()[:60] for piece in text.split(",") if piece.strip()]
