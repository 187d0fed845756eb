"""The crawl loop: lease visits, make them, record their outcomes.

The loop is async because it waits for many hosts at once. A host is free for its next visit as
soon as its response has arrived; the page is extracted and recorded in the background.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from byway.core.messages import NO_REASON, Reason
from byway.core.model import UrlState, Visit
from byway.core.model.crawl_progress import CrawlProgress
from byway.core.settings.schema import CrawlSettings
from byway.crawl.politeness import MAX_QUICK_RETRY_SECONDS
from byway.crawl.recorder import Recorder
from byway.crawl.unreachable_hosts import UnreachableHosts, WaitListener
from byway.crawl.visitor import Visitor

if TYPE_CHECKING:  # ports import numpy, which a crawl does not need
    from byway.core.ports import Frontier

log = logging.getLogger(__name__)

SHUTDOWN_GRACE_SECONDS = 5.0
"""Seconds that in-flight requests have to finish when the crawl is stopped."""
PAUSE_CHECK_SECONDS = 0.25
"""Seconds between checks for a pause."""

PauseCheck = Callable[[], Reason]
"""Returns the reason to pause the crawl; `NO_REASON` if it may go on."""


class Crawler:
    """Visits all queued URLs, as many at a time as the settings allow."""

    def __init__(
        self,
        settings: CrawlSettings,
        frontier: "Frontier",
        visitor: Visitor,
        recorder: Recorder,
        clock: Callable[[], float],
        pause_reason: PauseCheck = lambda: NO_REASON,
        paused_jobs: Callable[[], Collection[str]] = frozenset,
        on_wait: WaitListener = lambda reason, until: None,
    ) -> None:
        """`paused_jobs` returns the names of the jobs a user has paused.

        `on_wait(reason, until)` reports that the crawl is idle until that time.
        """
        self._settings = settings
        self._frontier = frontier
        self._visitor = visitor
        self._recorder = recorder
        self._clock = clock
        self._check_pause = pause_reason
        self._list_paused_jobs = paused_jobs
        self._paused_jobs: Collection[str] = ()
        self._pause_checked_at = 0.0
        self._recorded_at_requeue = -1
        self._traps_saved = len(visitor.traps.paused_patterns())
        self._visits: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._unreachable = UnreachableHosts(recorder.progress, clock, frontier, visitor, on_wait)
        self._stopping = False
        self._ended = False
        self._error: BaseException | None = None

    @property
    def progress(self) -> CrawlProgress:
        """Counters and notes for this crawl."""
        return self._recorder.progress

    @property
    def budget_left(self) -> int | None:
        """Pages left in the budget; None if there is no limit."""
        limit = self._settings.max_pages
        return max(0, limit - self.progress.kept) if limit else None

    def queues(self) -> list[tuple[str, int]]:
        """Queued URLs per host, longest queue first; empty once the crawl has ended."""
        return [] if self._ended else self._frontier.queue_lengths()

    async def run(self) -> CrawlProgress:
        """Crawl until the frontier is empty, the budget is used up, or `stop` is called."""
        recording = asyncio.create_task(
            self._recorder.run(lambda: not self._visits, self._changed.set)
        )
        try:
            while not self._is_over():
                if recording.done():
                    recording.result()
                if self._is_paused() or not self._start_visits():
                    await self._wait()
            if self._visits:
                await asyncio.wait(self._visits, timeout=SHUTDOWN_GRACE_SECONDS)
        finally:
            recording.cancel()
            for visit in self._visits:
                visit.cancel()
            with suppress(asyncio.CancelledError):
                await recording
            await self._recorder.flush()
            await self._save_traps()
            self._unreachable.clear_wait()
            self._ended = True
        if self._error:
            raise self._error
        if not self._stopping:
            self.progress.silent_hosts = self._unreachable.summary()
            silent = bool(self.progress.silent_hosts)
            self.progress.nobody_answered = silent and not self._visitor.any_host_answered
        self.progress.end_reason = self._end_reason()
        return self.progress

    def stop(self) -> None:
        """Start no new visits; `run` returns once visits in flight are recorded."""
        self._stopping = True
        self._changed.set()

    def _start_visits(self) -> int:
        self._update_paused_jobs()
        slots = self._free_slots()
        visits = self._frontier.lease(slots, self._clock()) if slots > 0 else []
        if visits:
            self._unreachable.clear_wait()
        for visit in self._within_budget(visits):
            task = asyncio.create_task(self._visit(visit))
            self._visits.add(task)
            task.add_done_callback(self._on_visit_done)
        return len(visits)

    def _within_budget(self, visits: list[Visit]) -> Iterator[Visit]:
        """The visits whose job is below its page limit; the others are requeued."""
        jobs = self._visitor.jobs
        for visit in visits:
            if jobs.reserve_page(visit):
                yield visit
            else:
                self._update_paused_jobs()
                self._frontier.requeue_visit(visit, self._clock())

    def _free_slots(self) -> int:
        """Number of visits that may be started now."""
        if self._recorder.is_full:
            return 0
        slots = self._settings.concurrency - len(self._visits)
        if self._settings.max_pages and not self._is_budget_used():
            slots = min(slots, self._settings.max_pages - self._expected_pages())
        return slots

    def _is_budget_used(self) -> bool:
        """Whether the page limit is reached. Stored pages may still be revisited."""
        return 0 < self._settings.max_pages <= self._expected_pages()

    async def _visit(self, visit: Visit) -> None:
        outcome = None
        try:
            outcome = await self._visitor.visit(visit)
        finally:
            self._visitor.jobs.release_page(visit, outcome)
            self._update_paused_jobs()
        if outcome is None:
            return
        for found in outcome.discovered_urls:
            if found.seed:
                self._visitor.jobs[visit.job].add(found.url)
        self._recorder.enqueue(replace(outcome, host_delay=self._visitor.host_delay(visit)))
        self._unreachable.record(visit, outcome)
        if len(self._visitor.traps.paused_patterns()) != self._traps_saved:
            await self._save_traps()
        log.debug("visited url=%s state=%s reason=%s", visit.url, outcome.state, outcome.reason)

    def _on_visit_done(self, task: asyncio.Task[None]) -> None:
        self._visits.discard(task)
        self._changed.set()
        if not task.cancelled() and (error := task.exception()):
            # This is our bug, not the page's: record the rest, stop and raise it.
            self._error = error
            self.stop()

    def _expected_pages(self) -> int:
        """Pages kept, plus visits in flight that may still add one."""
        return self.progress.kept + len(self._visits) + self._recorder.pending_count

    def _is_over(self) -> bool:
        if self._stopping:
            return True
        if not self._is_idle():
            return False
        if self._frontier.next_lease_at() is not None or self._paused_jobs_have_work():
            return False
        return self._is_budget_used() or not self._requeue_seeds()

    def _requeue_seeds(self) -> bool:
        """Requeue seeds that redirect to a new URL each time; return whether there were any."""
        # Without a page limit the crawl ends when the queue is empty.
        if not self._settings.max_pages or self.progress.recorded == self._recorded_at_requeue:
            return False
        self._recorded_at_requeue = self.progress.recorded
        return bool(self._frontier.requeue_redirecting_seeds())

    def _is_paused(self) -> bool:
        """Whether the crawl is paused, by a user or for lack of disk space."""
        if self._clock() - self._pause_checked_at > PAUSE_CHECK_SECONDS:
            self._pause_checked_at = self._clock()
            self.progress.pause_reason = self._check_pause()
            self._paused_jobs = self._list_paused_jobs()
            self._update_paused_jobs()
        return bool(self.progress.pause_reason)

    def _update_paused_jobs(self) -> None:
        jobs = self._visitor.jobs
        full = jobs.job_names() if self._is_budget_used() else jobs.jobs_at_limit()
        self._frontier.set_paused_jobs(jobs.inactive_jobs(self._paused_jobs), full)

    def _paused_jobs_have_work(self) -> bool:
        """Whether a paused job has queued URLs."""
        paused = self._visitor.jobs.paused_jobs(self._paused_jobs)
        return bool(paused) and any(
            job.queued_urls for job in self._frontier.jobs() if job.name in paused
        )

    async def _wait(self) -> None:
        """Wait until something changes or the next host is free."""
        wait = PAUSE_CHECK_SECONDS if self.progress.pause_reason else 1.0
        # Without a free slot, only the end of a visit changes anything.
        if self._free_slots() > 0 and not self.progress.pause_reason:
            next_at = self._next_lease_at()
            if next_at is not None:
                if self._is_idle():
                    self._unreachable.report_wait(next_at)
                wait = min(max(next_at - self._clock(), 0.001), wait)
        self._changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await self._changed.wait()

    def _next_lease_at(self) -> float | None:
        """The time of the next possible lease; may bring retries of silent hosts forward."""
        next_at = self._frontier.next_lease_at()
        is_far = next_at is not None and next_at - self._clock() > MAX_QUICK_RETRY_SECONDS
        if is_far and self._is_idle() and self._unreachable.retry_soon():
            return self._frontier.next_lease_at()
        return next_at

    def _is_idle(self) -> bool:
        return not self._visits and not self._recorder.pending_count

    async def _save_traps(self) -> None:
        traps = self._visitor.traps
        self._traps_saved = len(traps.paused_patterns())
        await asyncio.to_thread(self._frontier.save_traps, list(traps.rows()))

    def _end_reason(self) -> Reason:
        queued = self._frontier.state_counts().get(UrlState.QUEUED, 0)
        waiting = Reason("end.waiting", count=queued) if queued else NO_REASON
        if self._stopping:
            return Reason("end.stopped", waiting=waiting)
        if self.progress.nobody_answered:
            return Reason("end.nobody_answered", waiting=waiting)
        if 0 < self._settings.max_pages <= self.progress.kept:
            return Reason("end.page_limit", pages=self._settings.max_pages, waiting=waiting)
        jobs = self._visitor.jobs
        if full := [name for name in jobs.jobs_at_limit() if name not in jobs.inactive_jobs(())]:
            return Reason("end.job_limit", jobs=tuple(full), waiting=waiting)
        return Reason("end.done")
