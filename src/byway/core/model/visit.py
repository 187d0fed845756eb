"""Visits: URLs leased for fetching, their jobs, and their outcomes."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from byway.core.messages import NO_REASON, Reason
from byway.core.model.document import Document, Link
from byway.core.model.page import Page, RecordLocation
from byway.core.model.url_state import NO_ID, DiscoveredUrl, Url, UrlId, UrlState


@dataclass(frozen=True, slots=True)
class Visit:
    """A URL leased by the frontier, to be finished exactly once."""

    url: Url
    id: UrlId = NO_ID
    depth: int = 0
    redirect_hops: int = 0
    attempts: int = 0
    seed: bool = False
    previous_fetch: "PreviousFetch | None" = None
    """The stored version from an earlier visit."""
    job: str = ""


@dataclass(frozen=True, slots=True)
class PreviousFetch:
    """The stored version of a page, for a conditional request."""

    digest: bytes
    etag: str = ""
    last_modified: str = ""
    """Its Last-Modified header as received."""
    revisit_interval: float = 0.0
    """Seconds between visits; shorter for pages that change often."""
    missing_count: int = 0
    """How many consecutive times it was missing."""
    reason: Reason = NO_REASON
    """The reason for its state."""
    checked_at: float = 0.0
    """Time of the last successful visit or, while it is missing, of the first failed one."""


@dataclass(frozen=True, slots=True)
class Job:
    """A named crawl in a data folder with its own scope and limits."""

    name: str = ""
    overrides: Mapping[str, object] = field(default_factory=dict)
    """Its own crawl settings; all others come from the data folder."""
    seeds: tuple[Url, ...] = ()
    kept_pages: int = 0
    queued_urls: int = 0


@dataclass(frozen=True, slots=True)
class FrontierOptions:
    """Options for how a crawl queues URLs."""

    delay: float = 0.0
    """Seconds that a resumed crawl waits before its first request to any host."""
    max_urls_per_host: int = 0
    """Maximum number of URLs ever queued per host; 0 means no limit."""
    prioritize_by_inlinks: bool = False
    """Whether each link to a queued URL moves it up in its host's queue."""
    max_hosts_in_memory: int = 50_000
    """Maximum number of host queues in memory, if others can stay on disk."""
    clock: Callable[[], float] = time.time


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a visit and everything it found; recorded in one transaction."""

    visit: Visit
    state: UrlState
    reason: Reason = NO_REASON
    page: Page | None = None
    location: RecordLocation | None = None
    document: bytes = b""
    """The packed document; empty if there is none or it must not be indexed."""
    links: tuple[Link, ...] = ()
    discovered_urls: tuple[DiscoveredUrl, ...] = ()
    retry_at: float | None = None
    """When to retry a failed visit."""
    digest: bytes = b""
    revisit_interval: float = 0.0
    """Seconds until the next visit."""
    is_gone: bool = False
    """Whether a kept page is gone, so its document is deleted."""
    host_delay: float = 0.0
    """Delay of the host in seconds, stored so that a restart sends no burst of requests."""
    redirect_target: Url | None = None
    """The target of its redirect."""


@dataclass(frozen=True, slots=True)
class ImportedPage:
    """A page that we did not fetch, and the data extracted from it."""

    page: Page
    document: Document | None = None
    """None if it must not be indexed. Its id is set when it is stored."""
    links: tuple[Link, ...] = ()
    discovered_urls: tuple[DiscoveredUrl, ...] = ()
    """The link targets to remember, each with its state."""
    revisit_interval: float = 0.0
    """Seconds from its fetch until a crawl revisits it."""
