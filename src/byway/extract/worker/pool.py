"""Pool of worker processes that extract pages; a worker that exceeds its limits is killed.

No HTML parser is safe in the crawler process: each hangs or uses up all memory on some page. In a
worker, only that page and the worker are lost.
"""

import asyncio
import logging
import math
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from byway.core.messages import Reason
from byway.core.model import ExtractionResult, Page, ProcessState
from byway.core.settings.schema import ExtractSettings
from byway.core.verticals import VerticalLoader
from byway.extract.site_rules.load import load_rules
from byway.extract.worker.process import OUT_OF_MEMORY, START_TIMEOUT_SECONDS, Worker, WorkerLost

log = logging.getLogger(__name__)

MAX_BATCH_PAGES, MAX_BATCH_BYTES = 16, 2 * 1024 * 1024
"""Batch limits: large enough to make sending cheap, small enough to be sent again."""

PREFETCH_PAGES = 4
"""Pending pages at which a worker gets its next batch, so it never waits."""

PAGES_BEFORE_NEXT_WORKER, WAIT_BEFORE_NEXT_WORKER_SECONDS = 30, 0.5
"""Pages read per worker, or seconds a page has waited, before another worker is started: starting
one takes as long as reading that many pages. Small and slow crawls need only one."""

IDLE_CHECK_SECONDS = 1.0
"""Seconds between checks for dead idle workers."""

SCALE_CHECK_SECONDS = 0.05
"""Seconds between scaling checks while pages wait."""


@dataclass(slots=True)
class _PendingPage:
    """A page in the queue, and the future for its result."""

    page: Page
    is_retry: bool = False
    queued_at: float = field(default_factory=time.monotonic)
    result: asyncio.Future[ExtractionResult] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def settle(self, extracted: ExtractionResult) -> None:
        if not self.result.done():
            self.result.set_result(extracted)


class WorkerPool:
    """Extracts pages in up to `extract.workers` processes, started when there is work for them.

    async with WorkerPool(settings.extract, settings.crawl.max_bytes) as pool:
        extracted = await pool.extract(page)
    """

    def __init__(
        self,
        settings: ExtractSettings,
        max_bytes: int,
        rules_folder: Path | None = None,
        load_verticals: VerticalLoader = tuple,
        on_change: Callable[[Sequence[ProcessState]], None] = lambda states: None,
    ) -> None:
        """`load_verticals` is called in each worker and must be picklable.

        `on_change` receives the worker states when a worker is started or lost.
        """
        self._on_change = on_change
        self._settings = settings
        self._start_message = settings, max_bytes, load_rules(rules_folder), load_verticals
        self._max_workers = settings.workers or os.cpu_count() or 1
        self._waiting: deque[_PendingPage] = deque()
        self._page_added = asyncio.Event()
        self._start_lock = asyncio.Lock()
        self._result_count = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._workers: list[Worker] = []

    async def __aenter__(self) -> "WorkerPool":
        self._workers = [Worker(self._start_message) for _ in range(self._max_workers)]
        first = self._workers[: self._settings.workers or 1]
        try:
            await asyncio.gather(*(worker.start() for worker in first))
        except BaseException:
            await self._stop()
            raise
        self._report_states()
        self._tasks = [asyncio.create_task(self._serve(worker)) for worker in self._workers]
        return self

    async def __aexit__(self, *error: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stop()

    async def extract(self, page: Page) -> ExtractionResult:
        """The document and links of a page, or the reason it cannot be read."""
        job = _PendingPage(page)
        self._waiting.append(job)
        self._page_added.set()
        return await job.result

    @property
    def pids(self) -> list[int]:
        """The process ids of the started workers."""
        return [worker.pid for worker in self._workers if worker.pid]

    def states(self) -> list[ProcessState]:
        """The states of the started workers."""
        numbered = enumerate(self._workers, 1)
        states = (worker.state(f"extraction-{number}") for number, worker in numbered)
        return [state for state in states if state.running_since]

    def _report_states(self) -> None:
        self._on_change(self.states())

    async def _stop(self) -> None:
        await asyncio.gather(*(worker.stop() for worker in self._workers))
        for job in self._waiting:
            job.result.cancel()
        self._waiting.clear()

    async def _serve(self, worker: Worker) -> None:
        """Keep one worker busy while the pool is open."""
        pending: deque[_PendingPage] = deque()
        try:
            if not worker.pid:
                await self._start_when_needed(worker)
            while True:
                try:
                    await self._extract_one(worker, pending)
                except WorkerLost as lost:
                    self._report_states()
                    _retry_or_reject(pending, lost)
                except Exception:
                    log.exception("batch failed")
                    await worker.stop(wait=0)
                    while pending:
                        pending.popleft().settle(ExtractionResult(failure=Reason("extract_failed")))
        finally:
            for job in pending:
                job.result.cancel()

    async def _start_when_needed(self, worker: Worker) -> None:
        """Start this worker once it is needed; only one starts at a time."""
        async with self._start_lock:
            while not worker.pid:
                await self._wait_for_page()
                if not self._needs_another_worker():
                    await asyncio.sleep(SCALE_CHECK_SECONDS)
                    continue
                try:
                    await worker.start()
                    self._report_states()
                except WorkerLost as lost:
                    log.warning("worker not started reason=%s", lost.reason)
                    await asyncio.sleep(START_TIMEOUT_SECONDS)

    def _needs_another_worker(self) -> bool:
        """Whether all workers are busy, and many pages were read or one has waited too long."""
        started = [worker for worker in self._workers if worker.pid]
        if not all(worker.pending_pages for worker in started):
            return False
        waited = time.monotonic() - self._waiting[0].queued_at
        return (
            self._result_count >= PAGES_BEFORE_NEXT_WORKER * len(started)
            or waited > WAIT_BEFORE_NEXT_WORKER_SECONDS
        )

    async def _extract_one(self, worker: Worker, pending: deque[_PendingPage]) -> None:
        """Extract one page. A lost worker loses its page; a new worker gets the other pages."""
        if not worker.pending_pages:
            if not pending:
                await self._wait_for_page(worker)
                pending.extend(self._next_batch())
            pid = worker.pid
            await worker.send([job.page for job in pending])
            if worker.pid != pid:
                self._report_states()
        elif worker.pending_pages <= PREFETCH_PAGES and self._waiting and not worker.needs_restart:
            batch = self._next_batch()
            pending.extend(batch)
            worker.send_ahead([job.page for job in batch])
        extracted = await worker.receive_result(self._settings.timeout)
        self._result_count += 1
        pending.popleft().settle(extracted)
        if extracted.failure == OUT_OF_MEMORY:
            await worker.stop()

    async def _wait_for_page(self, worker: Worker | None = None) -> None:
        """Wait for a page; replace the worker if it dies meanwhile."""
        while not self._waiting:
            self._page_added.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._page_added.wait(), IDLE_CHECK_SECONDS)
            if worker and worker.has_died and not self._waiting:
                log.warning("worker died while idle pid=%d", worker.pid)
                await worker.stop()
                with suppress(WorkerLost):  # the next page tries again
                    await worker.start()
                self._report_states()

    def _next_batch(self) -> deque[_PendingPage]:
        """The next batch: an even share of the waiting pages, within the batch limits."""
        share = min(MAX_BATCH_PAGES, math.ceil(len(self._waiting) / self._max_workers))
        batch = deque([self._waiting.popleft()])
        size = len(batch[0].page.body)
        while self._waiting and len(batch) < share:
            size += len(self._waiting[0].page.body)
            if size > MAX_BATCH_BYTES:
                break
            batch.append(self._waiting.popleft())
        return batch


def _retry_or_reject(pending: deque[_PendingPage], lost: WorkerLost) -> None:
    """Keep the current page of a lost worker for another try, or report it as failed."""
    job = pending[0]
    log.warning("worker lost url=%s reason=%s", job.page.url, lost.reason)
    if job.is_retry or not _may_be_innocent(lost):
        pending.popleft().settle(ExtractionResult(failure=lost.reason))
    job.is_retry = True


def _may_be_innocent(lost: WorkerLost) -> bool:
    """Whether something else may have caused the loss: a kill, or a failure during startup."""
    return lost.code == "worker_not_started" or lost.params.get("signal") == signal.SIGKILL
