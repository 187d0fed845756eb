"""Microdata of a page: items and their properties, as HTML defines them.

Items may include one another by `itemref`, in cycles or exponentially often, so the items and text
taken from one page are limited.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from turbohtml import Document, Element, Text

from byway.core.model import Url
from byway.core.text import single_line
from byway.core.url import resolve

MAX_PROPERTIES = 5000
MAX_ITEMS, MAX_DEPTH = 2000, 16
MAX_ITEMREF_PROPERTIES = 20_000
"""Maximum properties followed through `itemref`."""

MAX_TEXT_CHARS = 2_000_000
MAX_VALUE_CHARS = 4000

#: The attribute that holds the value of an element; for other elements it is the text.
VALUE_ATTRIBUTES = {
    "meta": "content", "audio": "src", "embed": "src", "iframe": "src", "img": "src",
    "source": "src", "track": "src", "video": "src", "a": "href", "area": "href", "link": "href",
    "object": "data", "data": "value", "meter": "value", "time": "datetime",
}  # fmt: skip
#: Elements that separate words, or hold none.
TEXT_BREAK_SELECTOR = "p,br,div,li,td,script,style"
URL_ATTRIBUTES = ("src", "href", "data")

MicrodataItem = dict[str, object]


def items(document: Document, base: Url) -> list[MicrodataItem]:
    """The top-level items of a page: `@type`, `@id` and their properties."""
    properties = document.select("[itemprop]")[:MAX_PROPERTIES]
    reader = _MicrodataReader(base)
    for element in properties:
        reader.properties_by_item[_enclosing_item(element)].append(element)
    if document.select_one("[itemref]") is not None:
        for element in reversed(document.select("[id]")):
            reader.by_id[element.attr("id") or ""] = element
    top_items = document.select("[itemscope]:not([itemprop])")
    return [item for element in top_items if (item := reader.read_item(element, ()))]


@dataclass(slots=True)
class _MicrodataReader:
    """Reads the items of one page, within its limits."""

    base: Url
    properties_by_item: dict[Element | None, list[Element]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Properties by the innermost item that encloses them."""
    by_id: dict[str, Element] = field(default_factory=dict)
    item_count: int = 0
    itemref_count: int = 0
    text_chars: int = 0

    def read_item(self, element: Element, ancestors: tuple[Element, ...]) -> MicrodataItem:
        """An item; empty if it contains itself, is too deep, or exceeds the item limit."""
        self.item_count += 1
        if element in ancestors or self.item_count > MAX_ITEMS or len(ancestors) > MAX_DEPTH:
            return {}
        types, name = (element.attr("itemtype") or "").split(), element.attr("itemid")
        header: MicrodataItem = {
            "@type": types[0] if len(types) == 1 else types,
            "@id": single_line(name),
        }
        values_by_property: dict[str, list[object]] = defaultdict(list)
        for property_element in self._properties(element):
            value = self._value(property_element, (*ancestors, element))
            if value != {}:
                for key in (property_element.attr("itemprop") or "").split()[:10]:
                    values_by_property[key].append(value)
        item = {key: value for key, value in header.items() if value}
        properties = {
            key: values[0] if len(values) == 1 else values
            for key, values in values_by_property.items()
        }
        return item | properties

    def _properties(self, element: Element) -> Iterator[Element]:
        """The properties of an item: first its own, then those referenced by `itemref`."""
        yield from self.properties_by_item.get(element, ())
        for name in (element.attr("itemref") or "").split()[:50]:
            referred = self.by_id.get(name, element)
            if referred == element or self.itemref_count > MAX_ITEMREF_PROPERTIES:
                continue
            candidates = self.properties_by_item.get(_enclosing_item(referred), ())
            inside = {referred, *referred.select("[itemprop]")}
            self.itemref_count += len(candidates) + len(inside)
            yield from (each for each in candidates if each in inside)

    def _value(self, element: Element, ancestors: tuple[Element, ...]) -> object:
        if element.attr("itemscope") is not None:
            return self.read_item(element, ancestors)
        content = element.attr("content")  # HTML allows it on <meta> only; shops use it anywhere
        if content is not None:
            return single_line(content, MAX_VALUE_CHARS)
        attribute = VALUE_ATTRIBUTES.get(element.tag)
        value = element.attr(attribute) if attribute else None
        if value is not None and attribute in URL_ATTRIBUTES:
            url = value.strip()
            is_absolute = ":" in url or url[:1] == "#"
            return url if is_absolute else resolve(self.base, [url]).get(url, url)
        return single_line(value, MAX_VALUE_CHARS) if value is not None else self._text(element)

    def _text(self, element: Element) -> str:
        if self.text_chars > MAX_TEXT_CHARS:
            return ""
        text = element.text
        self.text_chars += len(text)
        if element.select_one(TEXT_BREAK_SELECTOR) is not None:
            text = " ".join(_text_pieces(element))
        return single_line(text, MAX_VALUE_CHARS)


def _text_pieces(element: Element) -> Iterator[str]:
    """The texts in an element (perhaps a whole article), up to the length limit of a value."""
    remaining = MAX_VALUE_CHARS
    for node in element.descendants:
        if isinstance(node, Text) and not _is_code(node.parent):
            text = " ".join(node.data.split())
            yield text
            remaining -= len(text)
            if remaining < 0:
                return


def _enclosing_item(element: Element) -> Element | None:
    """The innermost item that encloses an element."""
    parent = element.parent
    return parent.closest("[itemscope]") if isinstance(parent, Element) else None


def _is_code(parent: object) -> bool:
    return isinstance(parent, Element) and parent.tag in ("script", "style")
