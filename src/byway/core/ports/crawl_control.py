"""Crawl control port: write locks, pause flags and crawl waits."""

from contextlib import AbstractContextManager
from typing import Protocol

from byway.core.messages import Reason


class CrawlControl(Protocol):
    """Coordinates the processes of one collection. The resources are "crawl" and "index"."""

    def write_lock(self, resource: str) -> AbstractContextManager[None]:
        """Hold the write lock of `resource`; a second writer gets a `DataLockedError`."""

    def is_locked(self, resource: str) -> bool:
        """Whether a process is writing `resource` now."""

    def require_unlocked(self, *resources: str) -> None:
        """Raise `DataLockedError` if another process is writing one of these resources."""

    def writer_pid(self, resource: str) -> int | None:
        """The id of the process that is writing `resource`; None if there is none."""

    def crawler_pid(self) -> int | None:
        """The id of the crawling process; an index rebuild holds both locks but does not crawl."""

    def require_no_crawl(self) -> None:
        """Raise `DataLockedError`, which says what to do, if a crawl is running."""

    def set_paused(self, paused: bool, job: str = "") -> None:
        """Pause or resume the whole crawl, or one of its jobs."""

    def is_paused(self, job: str = "") -> bool:
        """Whether the crawl, or this job, is paused."""

    def paused_jobs(self) -> frozenset[str]:
        """The names of paused jobs."""

    def set_crawl_wait(self, reason: Reason, until: float) -> None:
        """Publish why and until when the crawl is idle; an empty reason means that it is not."""

    def crawl_wait(self) -> tuple[Reason, float] | None:
        """Why the running crawl is idle, and until when; None if it is not idle."""
