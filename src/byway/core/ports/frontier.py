"""Frontier port: the queue of URLs, host politeness and the outcome of visits."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from byway.core.model import (
    DiscoveredUrl,
    Job,
    Outcome,
    RobotsFile,
    UnreadablePage,
    Url,
    UrlRecord,
    UrlState,
    Visit,
)


class Frontier(Protocol):
    """The URLs we know of, and when each host may next be asked."""

    def add(self, urls: Iterable[DiscoveredUrl]) -> int:
        """Remember these URLs; return how many were new."""

    def lease(self, limit: int, now: float) -> list[Visit]:
        """Hand out URLs that are due, at most one for each host that is free."""

    def release(self, visit: Visit, free_at: float) -> None:
        """The request is over: its host may be asked again at `free_at`."""

    def requeue_visit(self, visit: Visit, free_at: float) -> None:
        """The visit was not made: hand it out again, not before `free_at`."""

    def finish(self, outcomes: Sequence[Outcome]) -> list[int]:
        """Record these outcomes, all or none; return the sequence numbers of the pages in them.

        A page has one if it came (it has a place) or is gone. When this returns, a power cut
        loses nothing of it.
        """

    def count_kept(self) -> int:
        """How many pages we have, those among them that are queued to be seen again."""

    def requeue_unreachable(self) -> int:
        """Give what could not be had, or was at a blocked address, another chance; how many?"""

    def queue_revisits(self, now: float, job: str = "") -> int:
        """Queue the kept pages, of one job or of all, that are due by now; return how many."""

    def requeue_unreadable(self, pages: Sequence[UnreadablePage]) -> int:
        """Queue pages that cannot be read any more as if they had never been kept; how many?"""

    def requeue_redirecting_seeds(self) -> int:
        """Queue the seeds that lead somewhere else each time they are asked; return how many."""

    def traps(self) -> list[tuple[object, ...]]:
        """What `save_traps` was last given."""

    def save_traps(self, rows: Iterable[tuple[object, ...]]) -> None:
        """Keep what is known of traps, in place of what was kept before."""

    def robots(self, host: str) -> RobotsFile | None:
        """What `save_robots` was last given for this host."""

    def save_robots(self, host: str, file: RobotsFile) -> None:
        """Keep a robots.txt; it may be lost if nothing is finished after it."""

    def urls_with_digest(self, digest: bytes) -> list[Url]:
        """Some of the URLs at which this very content was kept."""

    def next_lease_at(self) -> float | None:
        """When to try `lease` again, perhaps too early; None when nothing is left to do."""

    def next_retry(self, by: float) -> UrlRecord | None:
        """A URL that failed before and is tried again by then, or waits for its host; if any."""

    def hosts_awaiting_retry(self) -> list[str]:
        """The hosts of URLs that failed and are tried again, each once."""

    def advance_retries(self, latest: float) -> None:
        """Try what was put off by then at the latest."""

    def jobs(self) -> list[Job]:
        """The crawls that share this frontier, each with its seeds and how far it has come.

        The main one, which has no name, comes first and is always there.
        """

    def save_job(self, job: Job) -> None:
        """Remember a job's name and reach."""

    def set_paused_jobs(self, jobs: Collection[str], full_jobs: Collection[str] = ()) -> None:
        """Hand out no URLs of these jobs, and of the `full_jobs` ones only pages that we have."""

    def seeds(self) -> list[Url]:
        """The URLs people named, and where those redirected to."""

    def find_url(self, url: Url) -> UrlRecord | None:
        """What became of this URL; None if we never heard of it."""

    def queue_lengths(self) -> list[tuple[str, int]]:
        """The hosts of which URLs wait, and how many, the longest queue first."""

    def state_counts(self) -> Mapping[UrlState, int]:
        """How many URLs are in each state."""
