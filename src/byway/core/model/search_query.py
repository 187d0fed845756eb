"""Search queries as typed, their options, and the attribute chips read from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, isinf
from typing import Literal

from byway.core.model.message import Message

Sort = Literal["relevance", "date", "price", "-price", "rating"]
"""The last three are for goods: the cheapest, the dearest or the best first."""


@dataclass(frozen=True, slots=True)
class Boost:
    """The factor by which a user's preferences multiply the scores of a host, and its cause."""

    factor: float
    reason: Message


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked, as it was typed."""

    text: str
    max_hits: int = 10
    offset: int = 0
    filters: tuple[str, ...] = ()
    """More of what may be typed, as `site:example.org`; of those with one name, one must hold."""
    sort: Sort = "relevance"
    count_facets: bool = False
    """Count the hits by site, language, type and year too, and goods by what they are like?"""
    include_duplicates: bool = False
    """Show pages that say the same as another, too?"""
    product_search: bool = False
    """Look for goods? Then words that name an attribute become chips."""
    group_offers: bool = False
    """Of goods: show what several pages sell once, with all their offers?"""
    boosts: Mapping[str, Boost] = field(default_factory=dict)
    """What hosts are worth to who asks; those that are worth nothing are not shown."""


@dataclass(frozen=True, slots=True)
class Chip:
    """Words of a query that were understood as one attribute."""

    attribute: str
    value: str = ""
    minimum: float = -inf
    maximum: float = inf
    """Numbers between which the attribute must be, if it is one that is measured."""
    allow_title_match: bool = False
    """Do its words in a page's title do as well?"""
    currency: str = ""
    currency_assumed: bool = False
    """Was the currency not said, but guessed from the language?"""
    typed_text: str = ""
    label: str = ""
    """What it is called in the language of the query."""
    query_without: str = ""
    """The query without it."""

    @property
    def is_numeric(self) -> bool:
        """Is it a number, or a range of them?"""
        return not (isinf(self.minimum) and isinf(self.maximum))

    @property
    def filter_value(self) -> str:
        """What it asks for, as it can be typed behind the attribute's name and a colon."""
        if not self.is_numeric:
            return self.value
        if self.minimum == self.maximum:
            return f"{self.minimum:g}"
        ends = ("" if isinf(end) else f"{end:.10g}" for end in (self.minimum, self.maximum))
        return "..".join(ends)

    @property
    def filter(self) -> str:
        """The same as an operator: `colour:"dark blue"`."""
        return f'{self.attribute}:"{self.filter_value}"'
