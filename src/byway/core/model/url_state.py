"""URLs and hosts: their ids, states and stored records, robots.txt decisions, paused patterns."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple, NewType

from byway.core.messages import NO_REASON, Reason

Url = NewType("Url", str)
"""A normalized URL, as returned by `url.normalize`."""

UrlId = NewType("UrlId", int)
"""The id of a URL in a store: dense, from 1, never reused. 0 means not stored."""

NO_ID = UrlId(0)
"""The id of a URL that is not stored."""


class UrlState(StrEnum):
    """The state of a URL; a `Reason` explains it."""

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
    """A newly discovered URL and its initial state."""

    url: Url
    depth: int = 0
    state: UrlState = UrlState.QUEUED
    reason: Reason = NO_REASON
    redirect_hops: int = 0
    """Number of consecutive redirects that led here."""
    priority: int = 0
    """Position in the queue of its host, lowest first."""
    seed: bool = False
    """Whether a user added it. Seeds define the scope of a crawl."""
    job: str = ""
    """The job that found it; the main job has no name."""
    changed_at: float = 0.0
    """Last modification according to its sitemap or feed; 0 if unknown."""


@dataclass(frozen=True, slots=True)
class UrlRecord:
    """The stored record of a URL."""

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
    """The target of its redirect; None in any other state."""
    removed_site: str | None = None
    """The site it was removed with; empty if removed on its own, None if not removed."""


@dataclass(frozen=True, slots=True)
class HostRecord:
    """The stored record of a host: its delay and the states of its URLs."""

    name: str
    delay: float
    """Last delay between two requests, in seconds; 0 if there was none."""
    queued: int
    kept: int
    failed: int
    paused: int

    @property
    def status(self) -> Literal["waiting", "paused", "failing", "done", "known"]:
        """The status derived from its URL states."""
        if self.queued:
            return "waiting"
        if self.paused:
            return "paused"
        if self.failed > self.kept:
            return "failing"
        return "done" if self.kept else "known"


class RobotsDecision(NamedTuple):
    """Whether a URL is allowed, with the deciding rule and its line; line 0 if there is none."""

    allowed: bool
    rule: str = ""
    line: int = 0
    no_rule_reason: Reason = Reason("robots_no_rule")
    """The reason if no rule matches."""

    @property
    def reason(self) -> Reason:
        """The reason for the decision."""
        if self.line:
            return Reason("robots_rule", line=self.line, rule=self.rule)
        return self.no_rule_reason


@dataclass(frozen=True, slots=True)
class PausedPattern:
    """A paused URL pattern of a host, and why it is paused."""

    host: str
    pattern: str
    urls: int
    """Number of URLs visited."""
    redundant_share: float
    """Share of redundant pages among recent ones."""
    reason: Reason

    @property
    def message(self) -> Reason:
        """The message for users."""
        return Reason(
            "trap.paused",
            pattern=self.pattern,
            count=self.urls,
            share=self.redundant_share,
            cause=self.reason,
        )
