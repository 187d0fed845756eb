"""What would a person see is for sale? The generic path, for pages that tell machines nothing.

A product's page has a heading, a price near it, and a button to buy it or a list of what it is
like. A catalogue has many prices under one heading and is no product.
"""

import re
from collections.abc import Iterator

from turbohtml import Document, Element, Text

from byway.extract.formats.html.dom import line
from byway.products.prices import currency_of, number
from byway.products.reader.merge import Given, put, sorted_out
from byway.products.vocabulary.lookup import Vocabulary

PRICE = "[itemprop=price],[class*=price i],[id*=price i],[class*=cost i]"
OLD = (
    "s,del,strike,[class*=old i],[class*=was i],[class*=original i],[class*=crossed i],"
    "[class*=before i],[class*=regular i]"
)
BUY = "button,a,input[type=submit],input[type=button]"
BUYING = re.compile(
    r"в корзину|купить|заказать|add to (?:cart|basket|bag)|buy now|\bbuy\b|in den warenkorb",
    re.IGNORECASE,
)
SIZES = "[class*=size i],[id*=size i],select[name*=size i]"
NO_SIZES = "[class*=table i],[class*=guide i],[class*=chart i],[class*=review i]"
SIZE = re.compile(r"\d{2}(?:[.,]5|½)?(?:\s?(?:[A-Za-z]{2,3}|[А-Яа-я]{3}))?")
COLOURS = "[class*=color i],[class*=colour i]"
BRAND = "[itemprop=brand],[class*=brand i]"
TITLED = re.compile(
    r"(?:по цене|за|for|price:?)\s+(\d[\d\s.,]*\s?(?:руб|₽|€|\$|£)\.?)", re.IGNORECASE
)
FARTHEST = 8
"""Elements around the heading in which a price is looked for."""
MOST_PRICES = 5
"""More of them around one heading are a catalogue's, unless a list says what the thing is like."""
FEWEST_KNOWN = 2
MOST_LOOKS = 500


def shown_on(
    document: Document, pairs: list[tuple[str, str]], title: str, vocabulary: Vocabulary
) -> tuple[Given, bool]:
    """What a page shows of a product, and whether that alone makes it one's page."""
    heading = document.select_one("h1")
    given = sorted_out(pairs, vocabulary)
    if heading is None:
        return given, False
    block, prices = _block(heading)
    known = sum(bool(vocabulary.attribute(name)) for name, _ in pairs)
    put(given, "name", line(heading.text), vocabulary)
    if prices:
        put(given, "price", prices[0], vocabulary)
        put(given, "old_price", _old(block), vocabulary)
    elif found := TITLED.search(title):
        put(given, "price", found.group(1), vocabulary)
    put(given, "sizes", list(dict.fromkeys(_sizes(block))), vocabulary)
    put(given, "colours", list(dict.fromkeys(_colours(block, vocabulary))), vocabulary)
    put(given, "brand", _brand(block), vocabulary)
    told = known >= FEWEST_KNOWN
    is_one = bool(prices) and (told or (len(prices) <= MOST_PRICES and _can_be_bought(block)))
    return given, is_one


def _block(heading: Element) -> tuple[Element, list[str]]:
    """The smallest element around the heading that shows a price, and the prices in it."""
    block = heading
    for _ in range(FARTHEST):
        prices = list(_prices(block))
        parent = block.parent
        if prices or not isinstance(parent, Element):
            return block, prices
        block = parent
    return block, list(_prices(block))


def _prices(block: Element) -> Iterator[str]:
    """The prices in a block, but for old ones."""
    for element in block.select(PRICE)[:MOST_LOOKS]:
        if element.closest(OLD) is not None:
            continue
        text = element.attr("content") or _without_old(element)
        sure = element.attr("itemprop") == "price" or bool(currency_of(text))
        if sure and len(text) < 80 and number(text):
            yield text


def _without_old(element: Element) -> str:
    """The text of an element without what is struck out."""
    struck = set(map(id, element.select(OLD)))
    if not struck:
        return line(element.text, 200)
    old = [line(each.text, 200) for each in element.select(OLD)]
    text = line(element.text, 200)
    for each in old:
        text = text.replace(each, " ", 1) if each else text
    return line(text, 200)


def _old(block: Element) -> str:
    texts = (line(each.text, 80) for each in block.select(OLD)[:MOST_LOOKS])
    return next((text for text in texts if currency_of(text) and number(text)), "")


def _sizes(block: Element) -> Iterator[str]:
    """Texts that are sizes, where a site speaks of sizes; of several systems, the first."""
    ending = None
    for place in block.select(SIZES)[:MOST_LOOKS]:
        if place.closest(NO_SIZES) is not None:
            continue
        for text in _leaves(place):
            if SIZE.fullmatch(text):
                system = re.sub(r"[\d.,½\s]", "", text)
                ending = system if ending is None else ending
                if system == ending:
                    yield text


def _colours(block: Element, vocabulary: Vocabulary) -> Iterator[str]:
    for place in block.select(COLOURS)[:MOST_LOOKS]:
        for text in _leaves(place):
            if len(text) < 40 and vocabulary.values("colour", text):
                yield text


def _brand(block: Element) -> str:
    for element in block.select(BRAND)[:MOST_LOOKS]:
        text = line(element.attr("content") or element.text, 80)
        if 1 < len(text) < 40:
            return text
    return ""


def _can_be_bought(block: Element) -> bool:
    around = block.parent if isinstance(block.parent, Element) else block
    return any(
        BUYING.search(f"{line(each.text, 60)} {each.attr('value') or ''}")
        for each in around.select(BUY)[:MOST_LOOKS]
    )


def _leaves(element: Element) -> Iterator[str]:
    """Each text in an element, by itself."""
    for node in element.descendants:
        if isinstance(node, Text) and (text := line(node.data, 60)):
            yield text
