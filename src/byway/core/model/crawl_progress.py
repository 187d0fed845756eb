"""Progress of a crawl: counters, notes and end reason."""

from collections import Counter
from dataclasses import dataclass, field

from byway.core.messages import NO_REASON, Reason


@dataclass(slots=True)
class CrawlProgress:
    """Progress of a crawl. Counts only results that are already on disk."""

    kept: int = 0
    """Pages in the store, from all runs."""
    recorded: int = 0
    """Pages stored in this run."""
    unchanged: int = 0
    """Revisited pages that had not changed."""
    missing: int = 0
    """Stored pages that were missing once; removed if still missing an hour later."""
    failed_revisits: int = 0
    """Stored pages that could not be revisited."""
    gone: int = 0
    """Stored pages that were removed."""
    blocked: int = 0
    """URLs at private addresses that the settings forbid."""
    failed: int = 0
    """URLs that were requested but returned no page."""
    failure_reasons: Counter[Reason] = field(default_factory=Counter)
    """Why URLs failed or were not revisited."""
    last_url: str = ""
    """The URL visited last."""
    pause_reason: Reason = NO_REASON
    """Why the crawl is paused, if it is."""
    notes: list[Reason] = field(default_factory=list)
    """Notes for the user: traps, waits and failed seeds."""
    wait_reason: Reason = NO_REASON
    """Why and until when the crawl is idle, if it is."""
    silent_hosts: Reason = NO_REASON
    """The hosts that never answered, and why; the parameter `total` is their count."""
    nobody_answered: bool = False
    """Whether no host answered at all, so that the crawl has failed."""
    end_reason: Reason = NO_REASON
    """Why the crawl ended."""
