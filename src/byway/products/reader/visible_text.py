"""What would a person see is for sale? The generic path, for pages that tell machines nothing.

A product's page has a heading, a price near it, and a button to buy it or a list of what it is
like. A catalogue has many prices under one heading and is no product.
"""

import re
from collections.abc import Iterator

from turbohtml import Document, Element, Text

from byway.extract.formats.html.dom import single_line
from byway.products.prices import find_currency, parse_number
from byway.products.reader.merge import ProductFields, fields_from_pairs, set_field
from byway.products.vocabulary.lookup import ProductVocabulary

PRICE_SELECTOR = "[itemprop=price],[class*=price i],[id*=price i],[class*=cost i]"
OLD_PRICE_SELECTOR = (
    "s,del,strike,[class*=old i],[class*=was i],[class*=original i],[class*=crossed i],"
    "[class*=before i],[class*=regular i]"
)
BUY_CONTROL_SELECTOR = "button,a,input[type=submit],input[type=button]"
BUY_TEXT_PATTERN = re.compile(
    r"в корзину|купить|заказать|add to (?:cart|basket|bag)|buy now|\bbuy\b|in den warenkorb",
    re.IGNORECASE,
)
SIZE_BLOCK_SELECTOR = "[class*=size i],[id*=size i],select[name*=size i]"
SIZE_CHART_SELECTOR = "[class*=table i],[class*=guide i],[class*=chart i],[class*=review i]"
SIZE_PATTERN = re.compile(r"\d{2}(?:[.,]5|½)?(?:\s?(?:[A-Za-z]{2,3}|[А-Яа-я]{3}))?")
COLOUR_SELECTOR = "[class*=color i],[class*=colour i]"
BRAND_SELECTOR = "[itemprop=brand],[class*=brand i]"
TITLE_PRICE_PATTERN = re.compile(
    r"(?:по цене|за|for|price:?)\s+(\d[\d\s.,]*\s?(?:руб|₽|€|\$|£)\.?)", re.IGNORECASE
)
MAX_PRICE_ANCESTORS = 8
"""Elements around the heading in which a price is looked for."""
MAX_PRODUCT_PRICES = 5
"""More of them around one heading are a catalogue's, unless a list says what the thing is like."""
MIN_KNOWN_ATTRIBUTES = 2
MAX_SCANNED_ELEMENTS = 500


def extract_visible_fields(
    document: Document, pairs: list[tuple[str, str]], title: str, vocabulary: ProductVocabulary
) -> tuple[ProductFields, bool]:
    """What a page shows of a product, and whether that alone makes it one's page."""
    heading = document.select_one("h1")
    given = fields_from_pairs(pairs, vocabulary)
    if heading is None:
        return given, False
    block, prices = _block(heading)
    known = sum(bool(vocabulary.find_attribute(name)) for name, _ in pairs)
    set_field(given, "name", single_line(heading.text), vocabulary)
    if prices:
        set_field(given, "price", prices[0], vocabulary)
        set_field(given, "old_price", _old(block), vocabulary)
    elif found := TITLE_PRICE_PATTERN.search(title):
        set_field(given, "price", found.group(1), vocabulary)
    set_field(given, "sizes", list(dict.fromkeys(_sizes(block))), vocabulary)
    set_field(given, "colours", list(dict.fromkeys(_colours(block, vocabulary))), vocabulary)
    set_field(given, "brand", _brand(block), vocabulary)
    told = known >= MIN_KNOWN_ATTRIBUTES
    is_one = bool(prices) and (
        told or (len(prices) <= MAX_PRODUCT_PRICES and _can_be_bought(block))
    )
    return given, is_one


def _block(heading: Element) -> tuple[Element, list[str]]:
    """The smallest element around the heading that shows a price, and the prices in it."""
    block = heading
    for _ in range(MAX_PRICE_ANCESTORS):
        prices = list(_prices(block))
        parent = block.parent
        if prices or not isinstance(parent, Element):
            return block, prices
        block = parent
    return block, list(_prices(block))


def _prices(block: Element) -> Iterator[str]:
    """The prices in a block, but for old ones."""
    for element in block.select(PRICE_SELECTOR)[:MAX_SCANNED_ELEMENTS]:
        if element.closest(OLD_PRICE_SELECTOR) is not None:
            continue
        text = element.attr("content") or _without_old(element)
        sure = element.attr("itemprop") == "price" or bool(find_currency(text))
        if sure and len(text) < 80 and parse_number(text):
            yield text


def _without_old(element: Element) -> str:
    """The text of an element without what is struck out."""
    struck = set(map(id, element.select(OLD_PRICE_SELECTOR)))
    if not struck:
        return single_line(element.text, 200)
    old = [single_line(each.text, 200) for each in element.select(OLD_PRICE_SELECTOR)]
    text = single_line(element.text, 200)
    for each in old:
        text = text.replace(each, " ", 1) if each else text
    return single_line(text, 200)


def _old(block: Element) -> str:
    texts = (
        single_line(each.text, 80)
        for each in block.select(OLD_PRICE_SELECTOR)[:MAX_SCANNED_ELEMENTS]
    )
    return next((text for text in texts if find_currency(text) and parse_number(text)), "")


def _sizes(block: Element) -> Iterator[str]:
    """Texts that are sizes, where a site speaks of sizes; of several systems, the first."""
    ending = None
    for place in block.select(SIZE_BLOCK_SELECTOR)[:MAX_SCANNED_ELEMENTS]:
        if place.closest(SIZE_CHART_SELECTOR) is not None:
            continue
        for text in _leaves(place):
            if SIZE_PATTERN.fullmatch(text):
                system = re.sub(r"[\d.,½\s]", "", text)
                ending = system if ending is None else ending
                if system == ending:
                    yield text


def _colours(block: Element, vocabulary: ProductVocabulary) -> Iterator[str]:
    for place in block.select(COLOUR_SELECTOR)[:MAX_SCANNED_ELEMENTS]:
        for text in _leaves(place):
            if len(text) < 40 and vocabulary.find_values("colour", text):
                yield text


def _brand(block: Element) -> str:
    for element in block.select(BRAND_SELECTOR)[:MAX_SCANNED_ELEMENTS]:
        text = single_line(element.attr("content") or element.text, 80)
        if 1 < len(text) < 40:
            return text
    return ""


def _can_be_bought(block: Element) -> bool:
    around = block.parent if isinstance(block.parent, Element) else block
    return any(
        BUY_TEXT_PATTERN.search(f"{single_line(each.text, 60)} {each.attr('value') or ''}")
        for each in around.select(BUY_CONTROL_SELECTOR)[:MAX_SCANNED_ELEMENTS]
    )


def _leaves(element: Element) -> Iterator[str]:
    """Each text in an element, by itself."""
    for node in element.descendants:
        if isinstance(node, Text) and (text := single_line(node.data, 60)):
            yield text
