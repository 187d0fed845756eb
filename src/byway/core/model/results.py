"""Search results: hits with their snippets and signals, their total, facets and diagnoses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import isfinite
from typing import Any, NamedTuple

from byway.core.messages import Diagnosis, Message
from byway.core.model.document import EPOCH_ORDINAL, Heading, parse_epoch_day
from byway.core.model.search_query import Chip, Query
from byway.core.model.url_state import Url, UrlId


class Signal(NamedTuple):
    """One ranking signal of a hit: its value for this page and its weight."""

    name: str
    value: float
    weight: float
    explanation: Message = Message()
    """The description for this hit, if the signal has no fixed description."""

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


Facets = Mapping[str, tuple[tuple[str, int], ...]]
"""The values of each facet with their page counts, most frequent first."""


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a query: the best hits, their total, facets, timings and diagnoses."""

    query: Query
    hits: tuple[Hit, ...]
    total: int
    seconds: float = 0.0
    did_you_mean: str = ""
    """A likelier spelling of the query; empty if there is none."""
    facets: Facets = field(default_factory=dict)
    """Hits by site, language, type and year, most frequent value first."""
    stage_seconds: Mapping[str, float] = field(default_factory=dict)
    """Seconds spent in each stage of the search."""
    chips: tuple[Chip, ...] = ()
    """Filters detected in the query, if it searches a vertical."""
    partial_match: bool = False
    """True if no page matches the whole query, so that the hits match only part of it."""
    sort_groups: tuple[str, ...] = ()
    """The groups, such as currencies, in display order, if hits are sorted within groups."""
    blocked_sites: int = 0
    """Number of sites with hits that the user has blocked."""
    related_searches: tuple[str, ...] = ()
    """Related searches, likeliest first."""
    no_results_reasons: tuple[Diagnosis, ...] = ()
    """Why there are no hits; empty if there are hits or no reason is known."""
    split_words: tuple[Diagnosis, ...] = ()
    """Unknown compound words that were searched for by their parts."""
    total_is_estimate: bool = False
    """True if the total may include duplicates because only some candidates were compared, or lacks
    the pages of shards that cannot be read."""
    did_you_mean_total: int = 0
    """Number of pages that `did_you_mean` finds, including duplicates; 0 if not counted."""
    shards: int = 1
    """Number of index shards."""
    missing_shards: int = 0
    """Number of index shards that cannot be read; hits in them are missing."""
    query_warnings: tuple[Diagnosis, ...] = ()
    """Mistyped operators and invalid dates in the query."""

    @property
    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """All diagnoses of the query, in display order."""
        partial: tuple[Diagnosis, ...] = ()
        if self.partial_match and self.hits and not self.query.vertical:
            partial = (Diagnosis("partial_match"),)
        return (
            *self.shard_warnings,
            *self.query_warnings,
            *self.split_words,
            *partial,
            *self.no_results_reasons,
        )

    @property
    def shard_warnings(self) -> tuple[Diagnosis, ...]:
        """The diagnosis that index shards cannot be read."""
        if not self.missing_shards:
            return ()
        return (Diagnosis("missing_shards", count=self.missing_shards, shards=self.shards),)


@dataclass(frozen=True, slots=True)
class ResultPosition:
    """The position of a page in the results of a query."""

    position: int
    """From 1; 0 if it is not among the first thousand hits."""
    total: int
    duplicate_of: Url | None
    """The near duplicate shown in its place."""
