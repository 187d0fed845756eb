"""Outcomes of visits, and imported pages; recorded in one transaction."""

from dataclasses import dataclass

from byway.core.model.document import Document, Link
from byway.core.model.message import NO_REASON, Reason
from byway.core.model.page import Page, RecordLocation
from byway.core.model.url_state import DiscoveredUrl, Url, UrlState
from byway.core.model.visit import Visit


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
    """Seconds from its fetch until a crawl visits it."""
