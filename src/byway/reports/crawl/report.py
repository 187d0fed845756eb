"""What does a report say? Its figures, as plain values that a terminal, JSON or HTML can show.

Every text in them is fit to be shown but not escaped: URLs and reasons are foreign.
"""

from dataclasses import dataclass

from byway.core.model import State


@dataclass(frozen=True, slots=True)
class StateFigure:
    """How many URLs are in a state, and what that means."""

    state: State
    urls: int
    meaning: str


@dataclass(frozen=True, slots=True)
class ReasonFigure:
    """Why URLs came to their state; reasons that differ in names and numbers only are one."""

    state: State
    reason: str
    urls: int
    example: str
    """A URL it happened to."""
    example_reason: str
    """The reason of that URL, word for word."""


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
    """How many pages came in each stretch of `width` seconds; the first began at `start`."""

    start: float = 0.0
    width: float = 1.0
    pages: tuple[int, ...] = ()
    per_second: float = 0.0
    """While pages came in: stretches without any do not count."""

    @property
    def peak(self) -> float:
        """Pages per second in the busiest stretch."""
        return max(self.pages, default=0) / self.width


@dataclass(frozen=True, slots=True)
class Count:
    """So many of a kind: bytes of a page, pages of a content type."""

    name: str
    number: int


@dataclass(frozen=True, slots=True)
class Sampled:
    """What the figures were made from: `read` of `total`."""

    read: int = 0
    total: int = 0

    def __bool__(self) -> bool:
        return self.read < self.total


@dataclass(frozen=True, slots=True)
class Report:
    """What the crawl did, until `made_at`."""

    made_at: float
    crawling: bool
    seeds: tuple[str, ...]
    """The first few."""
    urls: int
    pages: int
    """Pages kept; a page that was fetched twice counts once."""
    versions: int
    """Pages written down, each as often as it was fetched."""
    queued: int
    to_try_again: int
    bytes: int
    states: tuple[StateFigure, ...]
    timeline: Timeline
    reasons: tuple[ReasonFigure, ...]
    more_reasons: int
    """Reasons that are not listed, and below it the URLs they have."""
    more_reasons_urls: int
    hosts: tuple[HostFigure, ...]
    host_count: int
    more_hosts: HostFigure | None
    """All hosts that are not listed, added up."""
    largest: tuple[Count, ...]
    content_types: tuple[Count, ...]
    url_sample: Sampled
    page_sample: Sampled
    type_sample: Sampled

    def __bool__(self) -> bool:
        """Is there anything to tell?"""
        return self.urls > 0
