"""Structured data of a page: items in one shape for all notations.

{"@type": "Product", "name": "Boot", "offers": {"@type": "Offer", "price": "99"}}
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from byway.core.text import single_line

StructuredItem = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class StructuredData:
    """The structured data of one page."""

    items: tuple[StructuredItem, ...] = ()
    """All items, without a size limit, including those inside @graph and lists."""
    sources: tuple[str, ...] = ()
    """The notation of each item: `json-ld`, `microdata` or `rdfa`."""
    stored_data: Mapping[str, object] = field(default_factory=dict)
    """The data to store, by notation."""

    def items_of_type(self, *types: str) -> Iterator[StructuredItem]:
        """The items of these types, in page order."""
        return (item for item in self.items if not types_of(item).isdisjoint(types))


def types_of(item: StructuredItem) -> set[str]:
    """The types of an item."""
    types = item.get("@type")
    return {
        name for name in (types if isinstance(types, list) else [types]) if isinstance(name, str)
    }


def texts_of(value: object) -> list[str]:
    """The texts in a value: a text itself, the texts of a list, or the name of an item."""
    if isinstance(value, str):
        return [text] if (text := single_line(value)) else []
    if isinstance(value, list):
        return [text for each in value for text in texts_of(each)]
    if isinstance(value, dict):
        return texts_of(value.get("name") or value.get("@value"))
    return []
