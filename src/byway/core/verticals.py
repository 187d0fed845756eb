"""Vertical: one kind of thing that pages describe (products, recipes), filled in by one package.

A vertical says what to extract from a page, which words of a query are filters, and how results
are sorted, counted and shown. `extract`, `search`, `web` and `cli` know only this interface.

What it finds on a page is a record of plain values. Its `filters` can be searched and counted:

    {"name": "Borscht", "filters": {"ingredient": ["beet", "cabbage"], "minutes": 90}}

Filters that have a meaning of their own: `same` holds identity keys (pages that share one are about
the same thing), `lacks` names attributes that are not stated.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from byway.core.messages import has_text, t
from byway.core.model import Chip, Hit, Query, Results, Url
from byway.core.model.query import Filter, ParsedQuery
from byway.core.structured_data import StructuredData
from byway.core.text import tokenize

Record = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A parsed page, as a vertical gets it."""

    url: Url
    tree: Any
    """The DOM (turbohtml): `select(css)` and `select_one(css)` give elements with `.text`, their
    own `select`, and `attr(name)`."""
    data: StructuredData
    """JSON-LD, microdata, RDFa and OpenGraph."""
    rule_fields: Mapping[str, object]
    """The values that the site rule found."""
    rule_title: str = ""
    title: str = ""
    description: str = ""
    breadcrumbs: Sequence[str] = ()
    has_markup: bool = True
    """Whether an element matches the vertical's `selector`."""


class FilterParam(NamedTuple):
    """A filter with a URL parameter of its own; other attributes are `attribute=heel:wedge`."""

    name: str
    attribute: str = ""
    """The filter of the record, or `site`; empty if it has the same name."""
    kind: Literal["any", "one", "minimum", "maximum"] = "any"
    """`any` can be repeated, and is a facet; of a repeated one any value must match."""
    pattern: str = ""
    """Of valid values in the API."""
    example: str = ""

    @property
    def operator(self) -> str:
        """The query operator."""
        return self.attribute or self.name


class SortOrder(NamedTuple):
    """Sorting by a numeric attribute; records without it come last."""

    attribute: str
    descending: bool = False
    within: str = ""
    """Another filter: numbers are compared only where its value is the same (a currency)."""


VerticalLoader = Callable[[], "Sequence[Vertical]"]
"""Loads the verticals; can be pickled, so that worker processes load them, too."""


class DetectedFilters(NamedTuple):
    """The filters detected in the words of a query, and the remaining text."""

    chips: tuple[Chip, ...]
    remaining_text: str


class HistoryPoint(NamedTuple):
    """The record of a page at one fetch (Unix time)."""

    at: float
    record: Record


class Presenter:
    """How records look: labels, the data of templates, and JSON."""

    unit_name = "unit"
    """What the unit of a detected number is called in the API: `currency`."""
    response_fields: Mapping[str, Any] = {}
    """The types of the fields that `response` adds to the API's response."""
    history_fields: Mapping[str, Any] = {}
    """Fields of the record, and their types, of which a history is shown; empty for no history."""

    def __init__(self, vertical: "Vertical") -> None:
        self.vertical = vertical

    def label(self, attribute: str, value: str = "") -> str:
        """The label of an attribute, or of one of its values."""
        key = f"{self.vertical.name}.facet.{attribute}"
        return value or (t(key) if has_text(key) else attribute.replace("_", " "))

    def text(self, key: str, count: int | None = None, **params: object) -> str:
        """A text of the vertical, or the one of all verticals."""
        own = f"{self.vertical.name}.{key}"
        return t(own if has_text(own) else f"web.vertical.{key}", count, **params)

    def summary(self, record: Record, short: bool = False) -> str:
        """A line about a record, for the terminal; `short`: a few characters, for a result."""
        return ""

    def view(self, hit: Hit, show_images: bool) -> Mapping[str, object]:
        """The values of the template `hit.html`, besides `hit`."""
        return {"record": hit.records.get(self.vertical.noun, {})}

    def response(self, results: Results) -> Mapping[str, object]:
        """The vertical's own fields of the API's response."""
        records = [
            {"url": hit.url, "title": hit.title, **hit.records.get(self.vertical.noun, {})}
            for hit in results.hits
        ]
        return {self.vertical.name: records}

    def history_view(self, points: Sequence[HistoryPoint]) -> Mapping[str, object]:
        """The values of the template `history.html`, besides `points`."""
        return {}


class Vertical:
    """One vertical. Only `name`, `noun` and `extract` are needed."""

    name = ""
    """The path of its page, its folder and the prefix of its texts: `products`."""
    noun = ""
    """One of them: the attribute that holds the record, and the value of `is:`."""
    selector = ""
    """Simple CSS selectors of elements without which `extract` need not look at the page."""
    filters: Sequence[FilterParam] = ()
    sorts: Mapping[str, SortOrder] = {}
    hidden: frozenset[str] = frozenset()
    """Filters that are never facets."""
    group_name = ""
    """What pages about the same thing are called: `offers`; empty for no grouping by `same`."""
    folder = ""
    """The folder with its `templates/`, `static/` and `messages/`; set when it is loaded."""

    def __init__(self, data_folder: str = "") -> None:
        """`data_folder` is the user's, for data of their own."""

    @property
    def presenter(self) -> Presenter:
        """How its records look."""
        return Presenter(self)

    def extract(self, page: ParsedPage) -> Record | None:
        """The record of a page; None if the page is not about one."""
        raise NotImplementedError

    def detect_filters(self, text: str) -> DetectedFilters:
        """The words of a query that are filters."""
        return DetectedFilters((), text)

    def queries(
        self, chips: Sequence[Chip], words: ParsedQuery, languages: Sequence[str]
    ) -> Iterator[ParsedQuery]:
        """The queries to try in turn, the strictest first; the first with a hit is used."""
        yield ParsedQuery((*words.clauses, *map(chip_filter, chips), self.is_filter))

    @property
    def is_filter(self) -> Filter:
        """The filter of pages with a record."""
        return Filter("is", self.noun)


def find_vertical(verticals: Iterable[Vertical], query: Query) -> Vertical | None:
    """The vertical that a query names, or whose sort order it has."""
    return next(
        (
            vertical
            for vertical in verticals
            if query.vertical == vertical.name
            or (not query.vertical and query.sort in vertical.sorts)
        ),
        None,
    )


def chip_filter(chip: Chip) -> Filter:
    """The filter of a chip."""
    name = "_".join(tokenize(chip.attribute))
    if chip.is_numeric:
        value = chip.filter_value if chip.minimum == chip.maximum else ""
        return Filter(name, value, chip.minimum, chip.maximum)
    return Filter(name, " ".join(tokenize(chip.value)))
