"""Search queries as typed, their options, and the chips detected in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, isinf

from byway.core.messages import Message
from byway.core.model.query import Filter

Sort = str
"""`relevance`, `date`, or a sort order of a vertical."""


@dataclass(frozen=True, slots=True)
class Boost:
    """A factor for the scores of a host from a user's preferences, and its reason."""

    factor: float
    reason: Message


@dataclass(frozen=True, slots=True)
class Query:
    """A search query as typed, with its options."""

    text: str
    max_hits: int = 10
    offset: int = 0
    filters: tuple[Filter, ...] = ()
    """Additional filters; if a filter has several values, any of them may match."""
    sort: Sort = "relevance"
    count_facets: bool = False
    """Whether to count hits by site, language, type and year, and records by attribute."""
    include_duplicates: bool = False
    """Whether to show duplicates."""
    vertical: str = ""
    """The vertical to search; words that it detects as filters become chips."""
    group_records: bool = False
    """Whether to group pages about the same item into one hit."""
    boosts: Mapping[str, Boost] = field(default_factory=dict)
    """Personal boosts by host; hosts with factor 0 are not shown."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter detected in the words of a query."""

    attribute: str
    value: str = ""
    minimum: float = -inf
    maximum: float = inf
    """The range of a numeric attribute."""
    allow_title_match: bool = False
    """Whether its words also match in page titles."""
    unit: str = ""
    """The unit of the numbers, such as a currency."""
    unit_assumed: bool = False
    """Whether the unit was inferred from the language instead of typed."""
    typed_text: str = ""
    label: str = ""
    """Its label in the language of the query."""
    query_without: str = ""
    """The query without this chip."""

    @property
    def is_numeric(self) -> bool:
        """Whether it is a number or a range of numbers."""
        return not (isinf(self.minimum) and isinf(self.maximum))

    @property
    def filter_value(self) -> str:
        """Its value as typed after the name of the attribute and a colon."""
        if not self.is_numeric:
            return self.value
        if self.minimum == self.maximum:
            return f"{self.minimum:g}"
        ends = ("" if isinf(end) else f"{end:.10g}" for end in (self.minimum, self.maximum))
        return "..".join(ends)

    @property
    def filter(self) -> str:
        """The chip as an operator: `colour:"dark blue"`."""
        return f'{self.attribute}:"{self.filter_value}"'
