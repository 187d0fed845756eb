"""Frontier port: URL queues, host politeness and visit outcomes."""

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from byway.core.model import (
    DiscoveredUrl,
    Job,
    Outcome,
    RobotsFile,
    UnreadablePage,
    Url,
    UrlRecord,
    Visit,
)
from byway.core.ports.url_catalog import UrlCatalog


class Frontier(UrlCatalog, Protocol):
    """All known URLs, and the queue and next request time of each host."""

    def add(self, urls: Iterable[DiscoveredUrl]) -> int:
        """Add these URLs; return how many were new."""

    def lease(self, limit: int, now: float) -> list[Visit]:
        """Lease URLs that are due, at most one per free host."""

    def release(self, visit: Visit, free_at: float) -> None:
        """End a request; the next one to its host may start at `free_at`."""

    def requeue_visit(self, visit: Visit, free_at: float) -> None:
        """Return an unused visit to the queue, to be leased again no earlier than `free_at`."""

    def finish(self, outcomes: Sequence[Outcome]) -> list[int]:
        """Record these outcomes in one transaction; return the sequence numbers of their pages.

        A page has one if it was stored (has a location) or is gone. The outcomes are durable when
        this returns.
        """

    def claim(self, urls: Sequence[Url]) -> list[Visit]:
        """Return visits for these URLs without leasing them from the queue; add unknown URLs.

        Used for imported pages. Removed URLs are left out. An unfinished visit stays queued.
        """

    def count_kept(self) -> int:
        """The number of kept pages, including those queued for a revisit."""

    def requeue_unreachable(self) -> int:
        """Queue unreachable and blocked URLs again; return how many."""

    def queue_revisits(self, now: float, job: str = "") -> int:
        """Queue the kept pages of one job, or of all, that are now due; return how many."""

    def requeue_unreadable(self, pages: Sequence[UnreadablePage]) -> int:
        """Queue unreadable pages as if they had never been kept; return how many."""

    def requeue_redirecting_seeds(self) -> int:
        """Queue redirecting seeds again, as their targets may change; return how many."""

    def requeue_paused(self, host: str) -> int:
        """Queue the paused URLs of a host again; return how many."""

    def remove(self, urls: Sequence[Url], site: str, undo: bool, now: float) -> None:
        """Permanently remove URLs or a whole site, or undo a removal."""

    def unfinished_seeds(self, job: str = "") -> list[Url]:
        """The seeds of one job, or of all, whose hosts have queued URLs."""

    def save_traps(self, rows: Iterable[tuple[object, ...]]) -> None:
        """Replace the stored trap detection state."""

    def robots(self, host: str) -> RobotsFile | None:
        """The robots.txt last stored for this host by `save_robots`."""

    def save_robots(self, host: str, file: RobotsFile) -> None:
        """Store a robots.txt; it becomes durable with the next `finish`."""

    def urls_with_digest(self, digest: bytes) -> list[Url]:
        """Some of the URLs that were kept with this content."""

    def next_lease_at(self) -> float | None:
        """The earliest time at which `lease` may return a visit; None if the queue is empty."""

    def next_retry(self, by: float) -> UrlRecord | None:
        """A failed URL that is due by this time or waiting for its host; None if there is none."""

    def hosts_awaiting_retry(self) -> list[str]:
        """The distinct hosts of failed URLs that will be retried."""

    def advance_retries(self, latest: float) -> None:
        """Bring all later retries forward to this time."""

    def save_job(self, job: Job) -> None:
        """Store the name and overrides of a job."""

    def set_paused_jobs(self, jobs: Collection[str], full_jobs: Collection[str] = ()) -> None:
        """Stop leasing URLs of these jobs; of the `full_jobs`, lease only revisits."""
