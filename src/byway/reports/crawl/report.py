"""What does a report say? Its figures, as plain values that a terminal, JSON or HTML can show.

Every text in them is fit to be shown but not escaped: URLs and reasons are foreign.
"""

from dataclasses import dataclass

from byway.core.model import UrlState
from byway.core.model.message import Message, Reason


@dataclass(frozen=True, slots=True)
class StateFigure:
    """How many URLs are in a state, and what that means."""

    state: UrlState
    urls: int
    meaning: Message


@dataclass(frozen=True, slots=True)
class ReasonFigure:
    """Why URLs came to their state; reasons that differ in names and numbers only are one."""

    state: UrlState
    reason: Reason
    urls: int
    example: str
    """A URL it happened to."""
    example_reason: Reason
    """The reason of that URL, with all its parameters."""


@dataclass(frozen=True, slots=True)
class HostFigure:
    """What became of a host's URLs."""

    host: str
    kept: int = 0
    queued: int = 0
    failed: int = 0
    forbidden: int = 0
    other: int = 0
    bytes: int = 0

    @property
    def urls(self) -> int:
        """All of them."""
        return self.kept + self.queued + self.failed + self.forbidden + self.other


@dataclass(frozen=True, slots=True)
class Timeline:
    """How many pages came in each stretch of `bucket_seconds` seconds; the first began at
    `started_at`.
    """

    started_at: float = 0.0
    bucket_seconds: float = 1.0
    pages: tuple[int, ...] = ()
    per_second: float = 0.0
    """While pages came in: stretches without any do not count."""

    @property
    def peak(self) -> float:
        """Pages per second in the busiest stretch."""
        return max(self.pages, default=0) / self.bucket_seconds


@dataclass(frozen=True, slots=True)
class NamedCount:
    """So many of a kind: bytes of a page, pages of a content type."""

    name: str
    number: int


@dataclass(frozen=True, slots=True)
class SampleSize:
    """What the figures were made from: `sampled` of `total`."""

    sampled: int = 0
    total: int = 0

    def __bool__(self) -> bool:
        return self.sampled < self.total


@dataclass(frozen=True, slots=True)
class Report:
    """What the crawl did, until `created_at`."""

    created_at: float
    crawling: bool
    seeds: tuple[str, ...]
    """The first few."""
    urls: int
    pages: int
    """Pages kept; a page that was fetched twice counts once."""
    versions: int
    """Pages written down, each as often as it was fetched."""
    queued: int
    retry_count: int
    bytes: int
    states: tuple[StateFigure, ...]
    timeline: Timeline
    reasons: tuple[ReasonFigure, ...]
    other_reason_count: int
    """Reasons that are not listed, and below it the URLs they have."""
    other_reason_urls: int
    hosts: tuple[HostFigure, ...]
    host_count: int
    other_hosts: HostFigure | None
    """All hosts that are not listed, added up."""
    largest: tuple[NamedCount, ...]
    content_types: tuple[NamedCount, ...]
    url_sample: SampleSize
    page_sample: SampleSize
    type_sample: SampleSize

    def __bool__(self) -> bool:
        """Is there anything to tell?"""
        return self.urls > 0
