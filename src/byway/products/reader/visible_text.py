"""Product fields in the visible text, for pages without structured data or a site rule.

A product page has a heading, a price near it, and a buy button or a list of attributes. A category
page has many prices under one heading and is not a product page.
"""

import re
from collections.abc import Iterator

from turbohtml import Document, Element, Text

from byway.core.prices import find_currency, parse_number
from byway.core.text import single_line
from byway.products.reader import PRICE_SELECTOR
from byway.products.reader.merge import ProductFields, fields_from_pairs, set_field
from byway.products.vocabulary.lookup import ProductVocabulary

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
"""Maximum number of ancestors of the heading that are searched for a price."""
MAX_PRODUCT_PRICES = 5
"""Maximum prices on a product page; more make a category page, unless it lists attributes."""
MIN_KNOWN_ATTRIBUTES = 2
MAX_SCANNED_ELEMENTS = 500


def extract_visible_fields(
    document: Document, pairs: list[tuple[str, str]], title: str, vocabulary: ProductVocabulary
) -> tuple[ProductFields, bool]:
    """The visible product fields, and whether they alone make this a product page."""
    heading = document.select_one("h1")
    fields = fields_from_pairs(pairs, vocabulary)
    if heading is None:
        return fields, False
    block, prices = _price_block(heading)
    set_field(fields, "name", single_line(heading.text), vocabulary)
    if prices:
        set_field(fields, "price", prices[0], vocabulary)
        set_field(fields, "old_price", _old_price(block), vocabulary)
    elif match := TITLE_PRICE_PATTERN.search(title):
        set_field(fields, "price", match.group(1), vocabulary)
    set_field(fields, "sizes", list(dict.fromkeys(_sizes(block))), vocabulary)
    set_field(fields, "colours", list(dict.fromkeys(_colours(block, vocabulary))), vocabulary)
    set_field(fields, "brand", _brand(block), vocabulary)
    known_count = sum(bool(vocabulary.find_attribute(name)) for name, _ in pairs)
    return fields, _is_product(block, prices, known_count)


def _is_product(block: Element, prices: list[str], known_attributes: int) -> bool:
    """Whether the page has a price with known attributes, or few prices with a buy button."""
    if not prices or known_attributes >= MIN_KNOWN_ATTRIBUTES:
        return bool(prices)
    return len(prices) <= MAX_PRODUCT_PRICES and _has_buy_button(block)


def _price_block(heading: Element) -> tuple[Element, list[str]]:
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
    """The prices in a block, except old ones."""
    for element in block.select(PRICE_SELECTOR)[:MAX_SCANNED_ELEMENTS]:
        if element.closest(OLD_PRICE_SELECTOR) is not None:
            continue
        text = element.attr("content") or _text_without_old_prices(element)
        is_price = element.attr("itemprop") == "price" or bool(find_currency(text))
        if is_price and len(text) < 80 and parse_number(text):
            yield text


def _text_without_old_prices(element: Element) -> str:
    text = single_line(element.text, 200)
    for old in element.select(OLD_PRICE_SELECTOR):
        old_text = single_line(old.text, 200)
        text = text.replace(old_text, " ", 1) if old_text else text
    return single_line(text, 200)


def _old_price(block: Element) -> str:
    texts = (
        single_line(each.text, 80)
        for each in block.select(OLD_PRICE_SELECTOR)[:MAX_SCANNED_ELEMENTS]
    )
    return next((text for text in texts if find_currency(text) and parse_number(text)), "")


def _sizes(block: Element) -> Iterator[str]:
    """Sizes in size blocks; if there are several size systems, only the first."""
    first_system = None
    for element in block.select(SIZE_BLOCK_SELECTOR)[:MAX_SCANNED_ELEMENTS]:
        if element.closest(SIZE_CHART_SELECTOR) is not None:
            continue
        for text in _text_nodes(element):
            if SIZE_PATTERN.fullmatch(text):
                system = re.sub(r"[\d.,½\s]", "", text)
                first_system = system if first_system is None else first_system
                if system == first_system:
                    yield text


def _colours(block: Element, vocabulary: ProductVocabulary) -> Iterator[str]:
    for element in block.select(COLOUR_SELECTOR)[:MAX_SCANNED_ELEMENTS]:
        for text in _text_nodes(element):
            if len(text) < 40 and vocabulary.find_values("colour", text):
                yield text


def _brand(block: Element) -> str:
    for element in block.select(BRAND_SELECTOR)[:MAX_SCANNED_ELEMENTS]:
        text = single_line(element.attr("content") or element.text, 80)
        if 1 < len(text) < 40:
            return text
    return ""


def _has_buy_button(block: Element) -> bool:
    parent = block.parent if isinstance(block.parent, Element) else block
    return any(
        BUY_TEXT_PATTERN.search(f"{single_line(each.text, 60)} {each.attr('value') or ''}")
        for each in parent.select(BUY_CONTROL_SELECTOR)[:MAX_SCANNED_ELEMENTS]
    )


def _text_nodes(element: Element) -> Iterator[str]:
    """The text of each text node."""
    for node in element.descendants:
        if isinstance(node, Text) and (text := single_line(node.data, 60)):
            yield text
