"""Hits: one search result each, with its snippet, ranking signals and offers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import isfinite
from typing import NamedTuple

from byway.core.model.document import EPOCH_ORDINAL, Heading, parse_epoch_day
from byway.core.model.message import Message
from byway.core.model.url_state import Url, UrlId


class Signal(NamedTuple):
    """One ranking signal of a hit: its value for this page and its weight."""

    name: str
    value: float
    weight: float
    explanation: Message = Message()
    """The cause of this value, for a signal that does not always have the same text."""

    @property
    def message(self) -> Message:
        """The description of the signal."""
        return self.explanation or Message(f"signals.{self.name}")

    @property
    def score(self) -> float:
        """What it adds to the score of the page."""
        return self.value * self.weight


def score_shares(signals: Sequence[Signal]) -> list[float]:
    """The part of the score that each signal is, from -1 to 1; 0 where it is no finite number."""
    scores = [signal.score if isfinite(signal.score) else 0.0 for signal in signals]
    whole = sum(map(abs, scores)) or 1.0
    return [score / whole for score in scores]


@dataclass(frozen=True, slots=True)
class Offer:
    """A page that sells the same as a hit, itself among them."""

    url: Url
    price: float | None = None
    currency: str = ""
    availability: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer, and why it is one."""

    url: Url
    id: UrlId
    title: str
    score: float
    snippet: tuple[tuple[str, bool], ...] = ()
    """Pieces of text in order; True marks the words that were asked for."""
    content_type: str = "text/html"
    language: str = ""
    published: str = ""
    signals: tuple[Signal, ...] = ()
    more_from_host: int = 0
    """How many hits of the same host would have stood here, and were put off for others."""
    headings: tuple[Heading, ...] = ()
    """Headings of the page that have words which were asked for, and an anchor."""
    match_counts: tuple[tuple[str, int], ...] = ()
    """How often the words occur in each part of the page: `title`, `headings`, `text` ..."""
    match_positions: tuple[float, ...] = ()
    """Where in the text they occur, from 0, its beginning, to 1."""
    duplicate_of: Url | None = None
    """The better hit that says nearly the same, where duplicates are asked for."""
    product: Mapping[str, object] = field(default_factory=dict)
    """What is for sale there, as its document keeps it."""
    offers: tuple[Offer, ...] = ()
    """Who sells it, where several do and that is asked for; the cheapest of a currency first."""
    modified: str = ""

    @property
    def iso_date(self) -> str:
        """When it was published, or else changed, as 2024-05-31; empty when nobody knows."""
        counted = parse_epoch_day(self.published) or parse_epoch_day(self.modified)
        return date.fromordinal(EPOCH_ORDINAL + counted).isoformat() if counted else ""
