"""Progress of a crawl: counters, notes, and how it ended."""

from collections import Counter
from dataclasses import dataclass, field

from byway.core.model.message import NO_REASON, Reason


@dataclass(slots=True)
class CrawlProgress:
    """Progress of a crawl. Everything counted here is on disk."""

    kept: int = 0
    """Pages in the store, from all runs."""
    recorded: int = 0
    """Pages stored in this run."""
    unchanged: int = 0
    """Revisited pages that had not changed."""
    missing: int = 0
    """Stored pages that were missing once; they are removed if still missing an hour later."""
    failed_revisits: int = 0
    """Stored pages that could not be revisited."""
    gone: int = 0
    """Stored pages that were removed."""
    blocked: int = 0
    """URLs at private addresses that the settings do not allow."""
    failed: int = 0
    """URLs that were requested and gave no page."""
    failure_reasons: Counter[Reason] = field(default_factory=Counter)
    """Why URLs failed or were not revisited."""
    last_url: str = ""
    """The URL visited last."""
    pause_reason: Reason = NO_REASON
    """Why the crawl is paused, if it is."""
    notes: list[Reason] = field(default_factory=list)
    """Notes for the user: traps, waits and failed seeds."""
    wait_reason: Reason = NO_REASON
    """Why the crawl is idle and until when, if it is."""
    silent_hosts: Reason = NO_REASON
    """The hosts that never answered, and why; its parameter `total` is their number."""
    nobody_answered: bool = False
    """No host answered at all: the crawl has failed."""
    end_reason: Reason = NO_REASON
    """Why the crawl ended."""
