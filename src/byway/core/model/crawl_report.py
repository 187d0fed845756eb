"""Rows that a crawl report counts, and its figures, as values for the terminal, JSON or HTML.

All texts are printable but not escaped; URLs and reasons are untrusted.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from byway.core.messages import Message, Reason
from byway.core.model.url_state import UrlState


class UrlOutcome(NamedTuple):
    """The state of one URL and its reason."""

    host: str
    state: UrlState
    reason: Reason
    url: str


class PageFetch(NamedTuple):
    """A stored fetch: host, time, and bytes in the store."""

    host: str
    fetched_at: float
    stored_bytes: int


@dataclass(frozen=True, slots=True)
class StateFigure:
    """The number of URLs in a state, and the meaning of the state."""

    state: UrlState
    urls: int
    meaning: Message


@dataclass(frozen=True, slots=True)
class ReasonFigure:
    """A kind of reason with its URL count; names and numbers are generalized."""

    state: UrlState
    reason: Reason
    urls: int
    example: str
    """A URL with this reason."""
    example_reason: Reason
    """The full reason for the example URL, with all parameters."""


@dataclass(frozen=True, slots=True)
class HostFigure:
    """URL counts of a host by group of states, and its bytes."""

    host: str
    kept: int = 0
    queued: int = 0
    failed: int = 0
    forbidden: int = 0
    other: int = 0
    bytes: int = 0

    @property
    def urls(self) -> int:
        """Number of URLs in all states."""
        return self.kept + self.queued + self.failed + self.forbidden + self.other


@dataclass(frozen=True, slots=True)
class Timeline:
    """Number of pages in each bucket of `bucket_seconds`, starting at `started_at`."""

    started_at: float = 0.0
    bucket_seconds: float = 1.0
    pages: tuple[int, ...] = ()
    per_second: float = 0.0
    """Pages per second, not counting empty buckets."""

    @property
    def peak(self) -> float:
        """Pages per second in the busiest bucket."""
        return max(self.pages, default=0) / self.bucket_seconds

    def labels(self) -> list[str]:
        """The start time of each bar, just precise enough to tell bars apart."""
        # Rounded, because an inexact tenth would be truncated to the previous one.
        starts = [
            round(self.started_at + n * self.bucket_seconds, 3) for n in range(len(self.pages))
        ]
        form = "%H:%M:%S" if self.bucket_seconds < 60 else "%H:%M"
        if self.bucket_seconds >= 86400:
            form = "%Y-%m-%d"
        elif starts and _date(starts[0]).date() != _date(starts[-1]).date():
            form = f"%m-%d {form}"
        tenths = self.bucket_seconds < 1
        return [
            _date(at).strftime(form) + (f".{at % 1 * 10:.0f}" if tenths else "") for at in starts
        ]


@dataclass(frozen=True, slots=True)
class NamedCount:
    """A name with a count: bytes of a page, pages of a content type."""

    name: str
    number: int


@dataclass(frozen=True, slots=True)
class SampleSize:
    """Sample size of a figure: `sampled` of `total`; truthy if not everything was read."""

    sampled: int = 0
    total: int = 0

    def __bool__(self) -> bool:
        return self.sampled < self.total


@dataclass(frozen=True, slots=True)
class Report:
    """The report on a crawl as of `created_at`."""

    created_at: float
    crawling: bool
    seeds: tuple[str, ...]
    """The first few seeds."""
    urls: int
    pages: int
    """Pages kept; a page fetched twice counts once."""
    versions: int
    """Page versions stored; a page counts once per fetch."""
    queued: int
    retry_count: int
    bytes: int
    states: tuple[StateFigure, ...]
    timeline: Timeline
    reasons: tuple[ReasonFigure, ...]
    other_reason_count: int
    """Number of reasons that are not listed; `other_reason_urls` counts their URLs."""
    other_reason_urls: int
    hosts: tuple[HostFigure, ...]
    host_count: int
    other_hosts: HostFigure | None
    """Totals of the hosts that are not listed."""
    largest: tuple[NamedCount, ...]
    content_types: tuple[NamedCount, ...]
    url_sample: SampleSize
    page_sample: SampleSize
    type_sample: SampleSize

    def __bool__(self) -> bool:
        """Whether there are any URLs."""
        return self.urls > 0


def _date(time: float) -> datetime:
    return datetime.fromtimestamp(time, UTC)
