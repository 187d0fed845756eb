"""URLs, the states they go through, and the records a store keeps of them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple, NewType

from byway.core.model.message import NO_REASON, Reason

Url = NewType("Url", str)
"""A URL in its one spelling; `url.normalize` makes them, and nothing else does."""

UrlId = NewType("UrlId", int)
"""The number a store gives a URL: dense, from 1 up, never reused. 0 means not stored."""

NO_ID = UrlId(0)
"""The number of a URL that is not stored."""


class UrlState(StrEnum):
    """The state of a URL. A `Reason` says why."""

    QUEUED = "queued"
    KEPT = "kept"
    LINKS_ONLY = "links_only"
    REDIRECTED = "redirected"
    OUT_OF_SCOPE = "out_of_scope"
    FORBIDDEN = "forbidden"
    BLOCKED = "blocked"
    UNREACHABLE = "unreachable"
    MISSING = "missing"
    REJECTED = "rejected"
    PAUSED = "paused"
    EXTRACT_FAILED = "extract_failed"
    REMOVED = "removed"


class DiscoveredUrl(NamedTuple):
    """A URL we have come to know of, and what is to become of it."""

    url: Url
    depth: int = 0
    state: UrlState = UrlState.QUEUED
    reason: Reason = NO_REASON
    redirect_hops: int = 0
    """How many redirects in a row led here."""
    priority: int = 0
    """Where in its host's queue: the lowest first."""
    seed: bool = False
    """Was it named by a person? Seeds make the scope of a crawl."""
    job: str = ""
    """Which of the crawls in this folder found it; the main one has no name."""
    changed_at: float = 0.0
    """When its site says that it last changed; 0 if it does not say."""


@dataclass(frozen=True, slots=True)
class UrlRecord:
    """What the store knows of one URL."""

    url: Url
    id: UrlId
    depth: int
    state: UrlState
    reason: Reason = NO_REASON
    seed: bool = False
    attempts: int = 0
    retry_at: float | None = None
    fetched_at: float | None = None
    redirect_target: Url | None = None
    """Where it redirects; None in any other state."""
    removed_site: str | None = None
    """The site it was removed with; empty: it was removed alone; None: it is not removed."""


@dataclass(frozen=True, slots=True)
class HostRecord:
    """What the store knows of one host: how its URLs stand."""

    name: str
    delay: float
    """Seconds that it was last left alone between two requests; 0: it never was."""
    queued: int
    kept: int
    failed: int
    paused: int

    @property
    def status(self) -> Literal["waiting", "paused", "failing", "done", "known"]:
        """How it stands, in a word."""
        if self.queued:
            return "waiting"
        if self.paused:
            return "paused"
        if self.failed > self.kept:
            return "failing"
        return "done" if self.kept else "known"
