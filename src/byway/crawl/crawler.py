"""The crawl loop: lease visits, make them, record how they ended.

The loop is async because it waits for many hosts at once. A host is free for its next visit as
soon as its answer is in; reading the page and recording it go on behind that.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from byway.core.model import UrlState, Visit
from byway.core.model.message import NO_REASON, Reason
from byway.core.settings.schema import CrawlSettings
from byway.crawl.politeness import MAX_QUICK_RETRY_SECONDS
from byway.crawl.recorder import CrawlProgress, Recorder
from byway.crawl.unreachable_hosts import UnreachableHosts, WaitListener
from byway.crawl.visitor import Visitor

if TYPE_CHECKING:  # for numpy, which ports speak of and a crawl does not need
    from byway.core.ports import Frontier

log = logging.getLogger(__name__)

SHUTDOWN_GRACE_SECONDS = 5.0
"""Seconds that requests under way are given when the crawl is stopped."""
PAUSE_CHECK_SECONDS = 0.25
"""Seconds between two looks at whether the crawl should hold still."""

PauseCheck = Callable[[], Reason]
"""Why the crawl should hold still for now; nothing when it may go on."""


class Crawler:
    """Makes all visits there are, as many at a time as the settings allow."""

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
        """`paused_jobs`: names the jobs that somebody wants to hold still.

        `on_wait` is told why nothing can be done until when.
        """
        self._settings = settings
        self._frontier = frontier
        self._visitor = visitor
        self._recorder = recorder
        self._clock = clock
        self._hold = pause_reason
        self._paused = paused_jobs
        self._paused_jobs: Collection[str] = ()
        self._looked_at = 0.0
        self._recorded_when_dry = -1
        self._traps_saved = len(visitor.traps.paused_patterns())
        self._visits: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        self._trouble = UnreachableHosts(recorder.progress, clock, frontier, visitor, on_wait)
        self._stopping = False
        self._ended = False
        self._fault: BaseException | None = None

    @property
    def progress(self) -> CrawlProgress:
        """How far it has come."""
        return self._recorder.progress

    @property
    def budget_left(self) -> int | None:
        """How many pages may yet be kept; None when there is no limit."""
        most = self._settings.max_pages
        return max(0, most - self.progress.kept) if most else None

    def queues(self) -> list[tuple[str, int]]:
        """How many URLs of each host wait, the longest queue first; none once it is over."""
        return [] if self._ended else self._frontier.queue_lengths()

    async def run(self) -> CrawlProgress:
        """Crawl until nothing is left to do, the budget is used up, or `stop` is called."""
        recording = asyncio.create_task(
            self._recorder.run(lambda: not self._visits, self._changed.set)
        )
        try:
            while not self._over():
                if recording.done():
                    recording.result()
                if self._held() or not self._start_visits():
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
            self._trouble.clear_wait()
            self._ended = True
        if self._fault:
            raise self._fault
        if not self._stopping:
            self.progress.silent_hosts = self._trouble.summary()
            silent = bool(self.progress.silent_hosts)
            self.progress.nobody_answered = silent and not self._visitor.any_host_answered
        self.progress.end_reason = self._why_over()
        return self.progress

    def stop(self) -> None:
        """Start nothing new; `run` returns once what is under way is done and recorded."""
        self._stopping = True
        self._changed.set()

    def _start_visits(self) -> int:
        self._hold_jobs()
        room = self._room()
        visits = self._frontier.lease(room, self._clock()) if room > 0 else []
        if visits:
            self._trouble.clear_wait()
        for visit in self._within_budget(visits):
            task = asyncio.create_task(self._visit(visit))
            self._visits.add(task)
            task.add_done_callback(self._visited)
        return len(visits)

    def _within_budget(self, visits: list[Visit]) -> Iterator[Visit]:
        """Those whose job has a place left; the others wait until one is given back."""
        jobs = self._visitor.jobs
        for visit in visits:
            if jobs.reserve_page(visit):
                yield visit
            else:
                self._hold_jobs()
                self._frontier.requeue_visit(visit, self._clock())

    def _room(self) -> int:
        """How many more visits may be started now."""
        if self._recorder.is_full:
            return 0
        room = self._settings.concurrency - len(self._visits)
        if self._settings.max_pages and not self._budget_used():
            room = min(room, self._settings.max_pages - self._expected())
        return room

    def _budget_used(self) -> bool:
        """May no new page be kept? Those that we have can be seen again."""
        return 0 < self._settings.max_pages <= self._expected()

    async def _visit(self, visit: Visit) -> None:
        outcome = None
        try:
            outcome = await self._visitor.visit(visit)
        finally:
            self._visitor.jobs.release_page(visit, outcome)
            self._hold_jobs()
        if outcome is None:
            return
        for found in outcome.discovered_urls:
            if found.seed:
                self._visitor.jobs[visit.job].add(found.url)
        self._recorder.enqueue(replace(outcome, host_delay=self._visitor.host_delay(visit)))
        self._trouble.record(visit, outcome)
        if len(self._visitor.traps.paused_patterns()) != self._traps_saved:
            await self._save_traps()
        log.debug("visited url=%s state=%s reason=%s", visit.url, outcome.state, outcome.reason)

    def _visited(self, task: asyncio.Task[None]) -> None:
        self._visits.discard(task)
        self._changed.set()
        if not task.cancelled() and (error := task.exception()):
            # A fault of ours, not of the page: stop, so that it is seen, with all else recorded.
            self._fault = error
            self.stop()

    def _expected(self) -> int:
        """Pages kept, or perhaps about to be."""
        return self.progress.kept + len(self._visits) + self._recorder.pending_count

    def _over(self) -> bool:
        if self._stopping:
            return True
        if not self._is_idle():
            return False
        if self._frontier.next_lease_at() is not None or self._somebody_holds_work():
            return False
        return self._budget_used() or not self._ask_entries()

    def _ask_entries(self) -> bool:
        """The queue is dry: does a seed that redirects anew each time lead to something fresh?"""
        # Without a number of pages to reach, one time through is what was asked for.
        if not self._settings.max_pages or self.progress.recorded == self._recorded_when_dry:
            return False
        self._recorded_when_dry = self.progress.recorded
        return bool(self._frontier.requeue_redirecting_seeds())

    def _held(self) -> bool:
        """Should nothing new be started, because somebody or the disk says so?"""
        if self._clock() - self._looked_at > PAUSE_CHECK_SECONDS:
            self._looked_at = self._clock()
            self.progress.pause_reason = self._hold()
            self._paused_jobs = self._paused()
            self._hold_jobs()
        return bool(self.progress.pause_reason)

    def _hold_jobs(self) -> None:
        jobs = self._visitor.jobs
        full = jobs.job_names() if self._budget_used() else jobs.jobs_at_limit()
        self._frontier.set_paused_jobs(jobs.inactive_jobs(self._paused_jobs), full)

    def _somebody_holds_work(self) -> bool:
        """Is something left to do for a job that is paused?"""
        paused = self._visitor.jobs.paused_jobs(self._paused_jobs)
        return bool(paused) and any(
            job.queued_urls for job in self._frontier.jobs() if job.name in paused
        )

    async def _wait(self) -> None:
        """Wait until something changes or the next host is free."""
        wait = PAUSE_CHECK_SECONDS if self.progress.pause_reason else 1.0
        # With no room for another visit, only the end of one changes anything.
        if self._room() > 0 and not self.progress.pause_reason:
            next_at = self._next_at()
            if next_at is not None:
                if self._is_idle():
                    self._trouble.report_wait(next_at)
                wait = min(max(next_at - self._clock(), 0.001), wait)
        self._changed.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await self._changed.wait()

    def _next_at(self) -> float | None:
        """When something can be done."""
        next_at = self._frontier.next_lease_at()
        far = next_at is not None and next_at - self._clock() > MAX_QUICK_RETRY_SECONDS
        if far and self._is_idle() and self._trouble.retry_soon():
            return self._frontier.next_lease_at()
        return next_at

    def _is_idle(self) -> bool:
        return not self._visits and not self._recorder.pending_count

    async def _save_traps(self) -> None:
        traps = self._visitor.traps
        self._traps_saved = len(traps.paused_patterns())
        await asyncio.to_thread(self._frontier.save_traps, list(traps.rows()))

    def _why_over(self) -> Reason:
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
