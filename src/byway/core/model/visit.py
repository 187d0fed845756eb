"""Visits: URLs handed out for fetching, and the jobs they belong to."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from byway.core.model.message import NO_REASON, Reason
from byway.core.model.url_state import NO_ID, Url, UrlId


@dataclass(frozen=True, slots=True)
class Visit:
    """A URL the frontier has handed out, to be finished exactly once."""

    url: Url
    id: UrlId = NO_ID
    depth: int = 0
    redirect_hops: int = 0
    attempts: int = 0
    seed: bool = False
    previous_fetch: "PreviousFetch | None" = None
    """What we have of it from an earlier visit."""
    job: str = ""


@dataclass(frozen=True, slots=True)
class PreviousFetch:
    """A page we have kept before: enough to ask whether it has changed since."""

    digest: bytes
    etag: str = ""
    last_modified: str = ""
    """Its Last-Modified header, as it came."""
    revisit_interval: float = 0.0
    """Seconds between our visits; shorter for pages that change often."""
    missing_count: int = 0
    """How often in a row it was not there."""
    reason: Reason = NO_REASON
    """What else there is to say of it."""
    checked_at: float = 0.0
    """When it was last seen, or, while it is missing, when it was missed first."""


@dataclass(frozen=True, slots=True)
class Job:
    """One of several crawls that share a folder: a name, and how far it goes."""

    name: str = ""
    overrides: Mapping[str, object] = field(default_factory=dict)
    """The crawl settings that are its own; for all others it has the folder's."""
    seeds: tuple[Url, ...] = ()
    kept_pages: int = 0
    queued_urls: int = 0
