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
from byway.extract.formats.html.dom import line

MOST_PROPERTIES = 5000
MOST_ITEMS = 2000
MOST_LOOKS = 20_000
"""Properties looked at because an item refers to where they are."""

MOST_TEXT = 2_000_000
LONGEST = 4000

#: Where the value of an element is, when it is not its text.
PLACES = {
    "meta": "content", "audio": "src", "embed": "src", "iframe": "src", "img": "src",
    "source": "src", "track": "src", "video": "src", "a": "href", "area": "href", "link": "href",
    "object": "data", "data": "value", "meter": "value", "time": "datetime",
}  # fmt: skip
#: What sets words apart, or holds none.
PARTS = "p,br,div,li,td,script,style"
URLS = ("src", "href", "data")

Item = dict[str, object]


def items(document: Document, base: Url) -> list[Item]:
    """The items of a page that are not inside others: `@type`, `@id` and their properties."""
    properties = document.select("[itemprop]")[:MOST_PROPERTIES]
    reading = _Reading(base)
    for element in properties:
        reading.owned[_owner(element)].append(element)
    if document.select_one("[itemref]") is not None:
        for element in reversed(document.select("[id]")):
            reading.by_id[element.attr("id") or ""] = element
    tops = document.select("[itemscope]:not([itemprop])")
    return [item for each in tops if (item := reading.item(each, ()))]


@dataclass(slots=True)
class _Reading:
    """One page being read."""

    base: Url
    owned: dict[Element | None, list[Element]] = field(default_factory=lambda: defaultdict(list))
    """Properties by the innermost item around them."""
    by_id: dict[str, Element] = field(default_factory=dict)
    items: int = 0
    looked: int = 0
    characters: int = 0

    def item(self, element: Element, inside: tuple[Element, ...]) -> Item:
        """An item; nothing if it is inside itself, or one too many."""
        self.items += 1
        if element in inside or self.items > MOST_ITEMS or len(inside) > 16:
            return {}
        types, name = (element.attr("itemtype") or "").split(), element.attr("itemid")
        about: Item = {"@type": types[0] if len(types) == 1 else types, "@id": line(name)}
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
        yield from self.owned.get(element, ())
        for name in (element.attr("itemref") or "").split()[:50]:
            place = self.by_id.get(name, element)
            if place == element or self.looked > MOST_LOOKS:
                continue
            mine = self.owned.get(_owner(place), ())
            inside = {place, *place.select("[itemprop]")}
            self.looked += len(mine) + len(inside)
            yield from (each for each in mine if each in inside)

    def _value(self, element: Element, inside: tuple[Element, ...]) -> object:
        if element.attr("itemscope") is not None:
            return self.item(element, inside)
        content = element.attr("content")  # only <meta> should have one, yet shops put it anywhere
        if content is not None:
            return line(content, LONGEST)
        place = PLACES.get(element.tag)
        said = element.attr(place) if place else None
        if said is not None and place in URLS:
            said = said.strip()
            return (
                said
                if ":" in said or said[:1] == "#"
                else resolve(self.base, [said]).get(said, said)
            )
        return line(said, LONGEST) if said is not None else self._text(element)

    def _text(self, element: Element) -> str:
        if self.characters > MOST_TEXT:
            return ""
        text = element.text
        self.characters += len(text)
        if element.select_one(PARTS) is not None:
            text = " ".join(_start(element))
        return line(text, LONGEST)


def _start(element: Element) -> Iterator[str]:
    """The texts in an element, each tidied up, as far as anybody reads: it may hold an article."""
    left = LONGEST
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
