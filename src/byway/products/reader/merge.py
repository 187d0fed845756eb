"""What did one source say of a product? Parts of it, which are put together, the surest first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from byway.extract.formats.html.dom import line
from byway.products.prices import number, price
from byway.products.record import Product
from byway.products.sizes import read, shown
from byway.products.vocabulary.lookup import Vocabulary

MOST_IMAGES, MOST_ATTRIBUTES, MOST_COLOURS = 10, 60, 20
LONGEST = 4000

Given = dict[str, Any]
"""Some fields of a product, by their names; `attributes` are pairs as the page calls them."""

FIELDS = {"colour": "colours", "size": "sizes"}
"""Fields of a product whose name is not that of the attribute."""
TEXTS = ("name", "brand", "kind", "gender", "sku", "gtin", "description")
EVERY = {*TEXTS, "colours", "sizes", "price", "old_price", "availability", "rating", "reviews"}


def sorted_out(pairs: Iterable[tuple[str, str]], vocabulary: Vocabulary) -> Given:
    """Names and values as a shop gives them: what fills a field of ours, and the rest."""
    given: Given = {}
    attributes: dict[str, str] = {}
    for name, value in pairs:
        ours = vocabulary.attribute(name)
        field = FIELDS.get(ours, ours)
        if field in EVERY:
            put(given, field, value, vocabulary)
        elif len(attributes) < MOST_ATTRIBUTES:
            attributes.setdefault(name[:100], value[:300])
    return given | ({"attributes": attributes} if attributes else {})


def put(given: Given, field: str, value: object, vocabulary: Vocabulary) -> None:
    """Set a field from what a source says, unless it says nothing or the field is set."""
    if given.get(field) in (None, "", ()):
        made = _made(field, value, vocabulary)
        if made not in (None, "", ()):
            given[field] = made
            said = _priced(value)
            if field == "price" and said and said["currency"]:
                given.setdefault("currency", said["currency"])


def merged(said: Sequence[tuple[str, Given]]) -> Product:
    """The product of which all these sources speak, the surest first."""
    fields: Given = {}
    sources: dict[str, str] = {}
    attributes: dict[str, str] = {}
    for source, given in said:
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


def _made(field: str, value: object, vocabulary: Vocabulary) -> object:
    """A value as its field holds it."""
    if field in ("price", "old_price"):
        said = _priced(value)
        return float(said["amount"]) if said and said["amount"] else None
    if field in ("rating", "reviews"):
        found = number(str(value))
        return found if found is None or field == "rating" else int(found)
    texts = _texts(value)
    match field:
        case "sizes":
            return shown(read(", ".join(texts)))
        case "colours":
            pieces = [piece for text in texts for piece in _pieces(text)]
            return tuple(dict.fromkeys(pieces))[:MOST_COLOURS]
        case "images":
            return tuple(dict.fromkeys(text for text in texts if text))[:MOST_IMAGES]
        case "availability":
            known = vocabulary.values("availability", texts[0].rpartition("/")[2]) if texts else ()
            return known[0] if known else ""
    return line(texts[0], LONGEST) if texts else ""


def _priced(value: object) -> Mapping[str, Any] | None:
    """An amount and a currency, out of a text, a number or a rule's price."""
    if isinstance(value, Mapping):
        return value if isinstance(value.get("amount"), int | float) else None
    if isinstance(value, list):
        return _priced(value[0]) if value else None
    return price(str(value)) if isinstance(value, str | int | float) else None


def _texts(value: object) -> list[str]:
    if isinstance(value, str | int | float):
        return [line(str(value), LONGEST)]
    return (
        [text for one in value for text in _texts(one)] if isinstance(value, list | tuple) else []
    )


def _pieces(text: str) -> list[str]:
    """The colours in `белый, синий` or `black/white`."""
    for mark in (";", "/", " и ", " and ", " & "):
        text = text.replace(mark, ",")
    return [piece.strip()[:60] for piece in text.split(",") if piece.strip()]
