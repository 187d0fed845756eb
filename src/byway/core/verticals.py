"""Verticals: kinds of items that pages describe (products, recipes), each in its own package.

A vertical defines what to extract from a page, which query words are filters, and how results are
sorted, counted and shown. `extract`, `search`, `web` and `cli` know only this interface.

From a page it extracts a record of plain values, whose `filters` can be searched and counted:

    {"name": "Borscht", "filters": {"ingredient": ["beet", "cabbage"], "minutes": 90}}

Two filters are special: `same` holds identity keys (pages that share one are about the same item),
`lacks` names the attributes that the page does not state.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from byway.core.messages import has_text, t
from byway.core.model import Chip, Hit, Results, Url
from byway.core.model.query import Filter, ParsedQuery
from byway.core.structured_data import StructuredData
from byway.core.text import tokenize

Record = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A parsed page, the input of a vertical."""

    url: Url
    tree: Any
    """The DOM (turbohtml): `select(css)` and `select_one(css)` return elements with `.text`,
    `select` and `attr(name)`."""
    data: StructuredData
    """JSON-LD, microdata, RDFa and OpenGraph."""
    rule_fields: Mapping[str, object]
    """The values extracted by the site rule."""
    rule_title: str = ""
    title: str = ""
    description: str = ""
    breadcrumbs: Sequence[str] = ()
    has_markup: bool = True
    """Whether an element matches the vertical's `selector`."""


class FilterParam(NamedTuple):
    """A filter with its own URL parameter; other attributes use `attribute=heel:wedge`."""

    name: str
    attribute: str = ""
    """The record filter that it sets, or `site`; empty if it has the parameter's name."""
    kind: Literal["any", "one", "minimum", "maximum"] = "any"
    """`any` is a facet whose parameter can be repeated; one of its values must match."""
    pattern: str = ""
    """Pattern of valid values in the API."""
    example: str = ""
    parse: Callable[[str], Filter | None] | None = None
    """Parses a value; None if its operator does."""

    @property
    def operator(self) -> str:
        """The query operator."""
        return self.attribute or self.name


class SortOrder(NamedTuple):
    """A sort order by a numeric attribute; records without it come last."""

    attribute: str
    descending: bool = False
    within: str = ""
    """Another filter, such as `currency`; numbers are compared only if its values are equal."""


VerticalLoader = Callable[[], "Sequence[Vertical]"]
"""Loads the verticals; picklable, so that worker processes can load them too."""


class DetectedFilters(NamedTuple):
    """The filters detected in a query, and the remaining text."""

    chips: tuple[Chip, ...]
    remaining_text: str


class HistoryPoint(NamedTuple):
    """The record of a page at one fetch (Unix time)."""

    at: float
    record: Record


class Presenter:
    """Presents records: labels, template data and JSON."""

    unit_name = "unit"
    """The API's name for the unit of a detected number, such as `currency`."""
    response_fields: Mapping[str, Any] = {}
    """The types of the fields that `response` adds to the API response."""
    history_fields: Mapping[str, Any] = {}
    """Record fields with a history, and their types; empty for no history."""

    def __init__(self, vertical: "Vertical") -> None:
        self.vertical = vertical

    def label(self, attribute: str, value: str = "") -> str:
        """The label of an attribute, or of one of its values."""
        key = f"{self.vertical.name}.facet.{attribute}"
        return value or (t(key) if has_text(key) else attribute.replace("_", " "))

    def text(self, key: str, count: int | None = None, **params: object) -> str:
        """A message of the vertical, or else the message that all verticals share."""
        own = f"{self.vertical.name}.{key}"
        return t(own if has_text(own) else f"web.vertical.{key}", count, **params)

    def summary(self, record: Record, short: bool = False) -> str:
        """A one-line summary of a record for the terminal; if `short`, only a few characters."""
        return ""

    def view(self, hit: Hit, show_images: bool) -> Mapping[str, object]:
        """The variables for the template `hit.html`, in addition to `hit`."""
        return {"record": hit.records.get(self.vertical.noun, {})}

    def response(self, results: Results) -> Mapping[str, object]:
        """The vertical's own fields in the API response."""
        records = [
            {"url": hit.url, "title": hit.title, **hit.records.get(self.vertical.noun, {})}
            for hit in results.hits
        ]
        return {self.vertical.name: records}

    def history_view(self, points: Sequence[HistoryPoint]) -> Mapping[str, object]:
        """The variables for the template `history.html`, in addition to `points`."""
        return {}


class Vertical:
    """A vertical. Only `name`, `noun` and `extract` are required."""

    name = ""
    """The name of its page path, folder and message prefix, such as `products`."""
    noun = ""
    """The singular noun, such as `product`: names the record attribute and the value of `is:`."""
    selector = ""
    """Simple CSS selectors; `extract` can skip pages on which none matches."""
    filters: Sequence[FilterParam] = ()
    sorts: Mapping[str, SortOrder] = {}
    hidden: frozenset[str] = frozenset()
    """Filters that are never facets."""
    group_name = ""
    """The name for pages about the same item, such as `offers`; empty if they are not grouped."""
    folder = ""
    """The folder with its `templates/`, `static/` and `messages/`; set on loading."""

    def __init__(self, data_folder: str = "") -> None:
        """`data_folder` is the user's data folder, which may hold custom data."""

    @property
    def presenter(self) -> Presenter:
        """The presenter of its records."""
        return Presenter(self)

    def extract(self, page: ParsedPage) -> Record | None:
        """The record of a page; None if the page has none."""
        raise NotImplementedError

    def detect_filters(self, text: str) -> DetectedFilters:
        """Detect the filters in a query."""
        return DetectedFilters((), text)

    def queries(
        self, chips: Sequence[Chip], words: ParsedQuery, languages: Sequence[str]
    ) -> Iterator[ParsedQuery]:
        """The queries to try in turn, strictest first; the first with a hit is used."""
        yield ParsedQuery((*words.clauses, *map(chip_filter, chips), self.is_filter))

    @property
    def is_filter(self) -> Filter:
        """The filter that matches pages with a record of this vertical."""
        return Filter("is", self.noun)


def chip_filter(chip: Chip) -> Filter:
    """Convert a chip to a filter."""
    name = "_".join(tokenize(chip.attribute))
    if chip.is_numeric:
        value = chip.filter_value if chip.minimum == chip.maximum else ""
        return Filter(name, value, chip.minimum, chip.maximum)
    return Filter(name, " ".join(tokenize(chip.value)))
