"""Status of a data folder: page counts, a running crawl, an index rebuild."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from byway.core.model.message import Reason
from byway.core.model.url_state import UrlState


@dataclass(frozen=True, slots=True)
class RebuildProgress:
    """An index that is built beside the one that is asked, and will take its place."""

    progress: float
    """How much of it is done, from 0 to 1."""
    is_running: bool
    """False: it was interrupted, and the next `byway index` goes on with it."""


@dataclass(frozen=True, slots=True)
class CrawlWait:
    """A crawl that can do nothing for now: only hosts that did not answer are left."""

    reason: Reason
    """The host that is tried next, and what failed there."""
    seconds: float
    """How long it is until then."""


@dataclass(frozen=True, slots=True)
class Status:
    """How things stand."""

    pages: int = 0
    """Pages kept."""
    queued: int = 0
    """URLs that wait for their visit."""
    indexed: int = 0
    """Documents that can be found."""
    crawling: bool = False
    seeds: tuple[str, ...] = ()
    states: Mapping[UrlState, int] = field(default_factory=dict)
    paused: bool = False
    has_products: bool = False
    """Is something for sale on some page?"""
    rebuild: RebuildProgress | None = None
    """The index that is being built anew, if one is."""
    crawl_wait: CrawlWait | None = None
    """What the crawl waits for, if it can do nothing before."""
