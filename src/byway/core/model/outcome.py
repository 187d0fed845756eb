"""Outcomes: the result of a visit, recorded in one transaction."""

from dataclasses import dataclass

from byway.core.model.document import Link
from byway.core.model.message import NO_REASON, Reason
from byway.core.model.page import Page, RecordLocation
from byway.core.model.url_state import DiscoveredUrl, Url, UrlState
from byway.core.model.visit import Visit


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a visit ended and everything it taught us; it is recorded whole or not at all."""

    visit: Visit
    state: UrlState
    reason: Reason = NO_REASON
    page: Page | None = None
    location: RecordLocation | None = None
    document: bytes = b""
    """Packed; nothing when there is none, or none that may be found."""
    links: tuple[Link, ...] = ()
    discovered_urls: tuple[DiscoveredUrl, ...] = ()
    retry_at: float | None = None
    """When to try again, if it did not come."""
    digest: bytes = b""
    revisit_interval: float = 0.0
    """Seconds until the page should be seen again."""
    is_gone: bool = False
    """The page was kept before and is no more: forget its document."""
    host_delay: float = 0.0
    """Seconds its host is left alone; remembered, so that starting again makes no burst."""
    redirect_target: Url | None = None
    """Where it redirects."""
