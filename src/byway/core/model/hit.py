"""Hits: search results with their snippets, ranking signals and offers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import isfinite
from typing import Any, NamedTuple

from byway.core.model.document import EPOCH_ORDINAL, Heading, parse_epoch_day
from byway.core.model.message import Message
from byway.core.model.url_state import Url, UrlId


class Signal(NamedTuple):
    """One ranking signal of a hit: its value for this page and its weight."""

    name: str
    value: float
    weight: float
    explanation: Message = Message()
    """Explains this value, if the description of the signal varies."""

    @property
    def message(self) -> Message:
        """The description of the signal."""
        return self.explanation or Message(f"signals.{self.name}")

    @property
    def score(self) -> float:
        """Its contribution to the score of the page."""
        return self.value * self.weight


def score_shares(signals: Sequence[Signal]) -> list[float]:
    """The share of each signal in the score, from -1 to 1; 0 if not finite."""
    scores = [signal.score if isfinite(signal.score) else 0.0 for signal in signals]
    total = sum(map(abs, scores)) or 1.0
    return [score / total for score in scores]


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result with its ranking signals."""

    url: Url
    id: UrlId
    title: str
    score: float
    snippet: tuple[tuple[str, bool], ...] = ()
    """Pieces of text in order; True marks query words."""
    content_type: str = "text/html"
    language: str = ""
    published: str = ""
    signals: tuple[Signal, ...] = ()
    more_from_host: int = 0
    """Number of hits from the same host that were demoted for diversity."""
    headings: tuple[Heading, ...] = ()
    """Headings that contain query words and have an anchor."""
    match_counts: tuple[tuple[str, int], ...] = ()
    """Number of matches in each part of the page: `title`, `headings`, `text` …"""
    match_positions: tuple[float, ...] = ()
    """Positions of the matches in the text, from 0 to 1."""
    duplicate_of: Url | None = None
    """The higher-ranked near duplicate, if duplicates are shown."""
    records: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The records of verticals, by noun, as plain values."""
    group: tuple[Mapping[str, Any], ...] = ()
    """All pages about the same item, if there are several and they are grouped: the filters and
    the `url` of each, in the vertical's first sort order."""
    modified: str = ""

    @property
    def iso_date(self) -> str:
        """Publication date, or else modification date, such as 2024-05-31; empty if unknown."""
        day = parse_epoch_day(self.published) or parse_epoch_day(self.modified)
        return date.fromordinal(EPOCH_ORDINAL + day).isoformat() if day else ""
