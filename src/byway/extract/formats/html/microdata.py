"""What is marked up in a page's text? Items and their properties, as HTML defines microdata.

Items may take in one another by `itemref`, in circles or so that they multiply; so the items and
the text that are taken from one page are counted.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from turbohtml import Document, Element, Text

from byway.core.model import Url
from byway.core.url import resolve
from byway.extract.formats.html.dom import single_line

MAX_PROPERTIES = 5000
MAX_ITEMS = 2000
MAX_ITEMREF_PROPERTIES = 20_000
"""Properties looked at because an item refers to where they are."""

MAX_TEXT_CHARS = 2_000_000
MAX_VALUE_CHARS = 4000

#: Where the value of an element is, when it is not its text.
VALUE_ATTRIBUTES = {
    "meta": "content", "audio": "src", "embed": "src", "iframe": "src", "img": "src",
    "source": "src", "track": "src", "video": "src", "a": "href", "area": "href", "link": "href",
    "object": "data", "data": "value", "meter": "value", "time": "datetime",
}  # fmt: skip
#: What sets words apart, or holds none.
TEXT_BREAK_SELECTOR = "p,br,div,li,td,script,style"
URL_ATTRIBUTES = ("src", "href", "data")

MicrodataItem = dict[str, object]


def items(document: Document, base: Url) -> list[MicrodataItem]:
    """The items of a page that are not inside others: `@type`, `@id` and their properties."""
    properties = document.select("[itemprop]")[:MAX_PROPERTIES]
    reading = _MicrodataReader(base)
    for element in properties:
        reading.properties_by_item[_owner(element)].append(element)
    if document.select_one("[itemref]") is not None:
        for element in reversed(document.select("[id]")):
            reading.by_id[element.attr("id") or ""] = element
    tops = document.select("[itemscope]:not([itemprop])")
    return [item for each in tops if (item := reading.read_item(each, ()))]


@dataclass(slots=True)
class _MicrodataReader:
    """One page being read."""

    base: Url
    properties_by_item: dict[Element | None, list[Element]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Properties by the innermost item around them."""
    by_id: dict[str, Element] = field(default_factory=dict)
    item_count: int = 0
    itemref_count: int = 0
    text_chars: int = 0

    def read_item(self, element: Element, inside: tuple[Element, ...]) -> MicrodataItem:
        """An item; nothing if it is inside itself, or one too many."""
        self.item_count += 1
        if element in inside or self.item_count > MAX_ITEMS or len(inside) > 16:
            return {}
        types, name = (element.attr("itemtype") or "").split(), element.attr("itemid")
        about: MicrodataItem = {
            "@type": types[0] if len(types) == 1 else types,
            "@id": single_line(name),
        }
        found: dict[str, list[object]] = defaultdict(list)
        for each in self._properties(element):
            value = self._value(each, (*inside, element))
            if value != {}:
                for key in (each.attr("itemprop") or "").split()[:10]:
                    found[key].append(value)
        said = {key: value for key, value in about.items() if value}
        return said | {key: each[0] if len(each) == 1 else each for key, each in found.items()}

    def _properties(self, element: Element) -> Iterator[Element]:
        """The properties of an item: those in it, then those in what it refers to."""
        yield from self.properties_by_item.get(element, ())
        for name in (element.attr("itemref") or "").split()[:50]:
            place = self.by_id.get(name, element)
            if place == element or self.itemref_count > MAX_ITEMREF_PROPERTIES:
                continue
            mine = self.properties_by_item.get(_owner(place), ())
            inside = {place, *place.select("[itemprop]")}
            self.itemref_count += len(mine) + len(inside)
            yield from (each for each in mine if each in inside)

    def _value(self, element: Element, inside: tuple[Element, ...]) -> object:
        if element.attr("itemscope") is not None:
            return self.read_item(element, inside)
        content = element.attr("content")  # only <meta> should have one, yet shops put it anywhere
        if content is not None:
            return single_line(content, MAX_VALUE_CHARS)
        place = VALUE_ATTRIBUTES.get(element.tag)
        said = element.attr(place) if place else None
        if said is not None and place in URL_ATTRIBUTES:
            said = said.strip()
            return (
                said
                if ":" in said or said[:1] == "#"
                else resolve(self.base, [said]).get(said, said)
            )
        return single_line(said, MAX_VALUE_CHARS) if said is not None else self._text(element)

    def _text(self, element: Element) -> str:
        if self.text_chars > MAX_TEXT_CHARS:
            return ""
        text = element.text
        self.text_chars += len(text)
        if element.select_one(TEXT_BREAK_SELECTOR) is not None:
            text = " ".join(_start(element))
        return single_line(text, MAX_VALUE_CHARS)


def _start(element: Element) -> Iterator[str]:
    """The texts in an element, each tidied up, as far as anybody reads: it may hold an article."""
    left = MAX_VALUE_CHARS
    for each in element.descendants:
        if isinstance(each, Text) and not _is_code(each.parent):
            text = " ".join(each.data.split())
            yield text
            left -= len(text)
            if left < 0:
                return


def _owner(element: Element) -> Element | None:
    """The innermost item around an element."""
    parent = element.parent
    return parent.closest("[itemscope]") if isinstance(parent, Element) else None


def _is_code(parent: object) -> bool:
    return isinstance(parent, Element) and parent.tag in ("script", "style")
