"""Status of a data folder: page counts, index shards, disk space, a crawl, an index rebuild."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from byway.core.messages import Reason
from byway.core.model.process import ProcessState
from byway.core.model.url_state import UrlState


@dataclass(frozen=True, slots=True)
class RebuildProgress:
    """Progress of an index rebuild alongside the live index."""

    progress: float
    """The completed share, from 0 to 1."""
    is_running: bool
    """False if it was interrupted; the next `byway index` continues it."""


@dataclass(frozen=True, slots=True)
class ShardStatus:
    """One shard of the live index."""

    pages: int
    """Number of pages in it; 0 if it cannot be read."""
    bytes: int
    """Its size on disk."""
    is_readable: bool = True
    """False if its files are missing or damaged; searches then leave it out."""


@dataclass(frozen=True, slots=True)
class CrawlWait:
    """The wait of a crawl that has only hosts left that did not answer."""

    reason: Reason
    """The next host to retry, and its failure."""
    seconds: float
    """Seconds until the retry."""


@dataclass(frozen=True, slots=True)
class Status:
    """The status of a data folder."""

    pages: int = 0
    """Number of kept pages."""
    queued: int = 0
    """Number of queued URLs."""
    indexed: int = 0
    """Number of indexed documents."""
    crawling: bool = False
    seeds: tuple[str, ...] = ()
    states: Mapping[UrlState, int] = field(default_factory=dict)
    paused: bool = False
    verticals: tuple[str, ...] = ()
    """The verticals that have records."""
    rebuild: RebuildProgress | None = None
    """The running or interrupted index rebuild."""
    crawl_wait: CrawlWait | None = None
    """Why the crawl is waiting, and for how much longer; None if it is not waiting."""
    processes: tuple[ProcessState, ...] = ()
    """The processes of `byway up` or `byway serve`, and the extraction workers of a crawl."""
    shards: tuple[ShardStatus, ...] = ()
    """The shards of the index, in order."""


class DiskSpace(NamedTuple):
    """Bytes on the disk that holds the data."""

    free: int
    total: int
