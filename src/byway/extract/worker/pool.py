"""Readers that can be killed: pages are read in processes of their own, within limits.

No HTML parser is safe in the process that crawls: each hangs, or eats all memory, on some page.
Here such a page costs itself and its reader, and nothing else.
"""

import asyncio
import logging
import math
import os
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from byway.core.model import ExtractionResult, Page
from byway.core.model.message import Reason
from byway.core.settings.schema import ExtractSettings
from byway.extract.site_rules.load import load_rules
from byway.extract.worker.process import START_TIMEOUT_SECONDS, Worker, WorkerLost
from byway.extract.worker.protocol import OUT_OF_MEMORY
from byway.products.vocabulary.lookup import ProductVocabulary, default_vocabulary

log = logging.getLogger(__name__)

MAX_BATCH_PAGES, MAX_BATCH_BYTES = 16, 2 * 1024 * 1024
"""The most that one batch holds: enough to make the way there cheap, little to do over again."""

PREFETCH_PAGES = 4
"""With this few pages left, a reader gets its next batch, so that it never waits for us."""

PAGES_BEFORE_NEXT_WORKER, WAIT_BEFORE_NEXT_WORKER_SECONDS = 30, 0.5
"""Pages that each reader must have read, or seconds that one has waited, before another is started:
that takes as long as reading so many. Small crawls and slow ones are well served by one."""

SCALE_CHECK_SECONDS = 0.05
"""Seconds between two looks at whether another is needed, while pages wait."""


@dataclass(slots=True)
class _PendingPage:
    """A page that somebody waits for."""

    page: Page
    queued_at: float = field(default_factory=time.monotonic)
    result: asyncio.Future[ExtractionResult] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def settle(self, extracted: ExtractionResult) -> None:
        if not self.result.done():
            self.result.set_result(extracted)


class WorkerPool:
    """Reads pages in other processes: as many as were asked for, or as there is work for.

    async with Readers(settings.extract, settings.crawl.max_bytes) as readers:
        extracted = await readers.read(page)
    """

    def __init__(
        self,
        settings: ExtractSettings,
        max_bytes: int,
        rules_folder: Path | None = None,
        vocabulary: ProductVocabulary | None = None,
    ) -> None:
        self._settings = settings
        self._start = (
            settings,
            max_bytes,
            load_rules(rules_folder),
            vocabulary or default_vocabulary(),
        )
        self._count = settings.workers or os.cpu_count() or 1
        self._waiting: deque[_PendingPage] = deque()
        self._more = asyncio.Event()
        self._joining = asyncio.Lock()
        self._answered = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._readers: list[Worker] = []

    async def __aenter__(self) -> "WorkerPool":
        self._readers = [Worker(self._start) for _ in range(self._count)]
        first = self._readers[: self._settings.workers or 1]
        try:
            await asyncio.gather(*(reader.start() for reader in first))
        except BaseException:
            await self._stop()
            raise
        self._tasks = [asyncio.create_task(self._serve(reader)) for reader in self._readers]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stop()

    async def extract(self, page: Page) -> ExtractionResult:
        """What a page says, or why it could not be read."""
        job = _PendingPage(page)
        self._waiting.append(job)
        self._more.set()
        return await job.result

    @property
    def pids(self) -> list[int]:
        """The processes that read now."""
        return [reader.pid for reader in self._readers if reader.pid]

    async def _stop(self) -> None:
        await asyncio.gather(*(reader.stop() for reader in self._readers))
        for job in self._waiting:
            job.result.cancel()
        self._waiting.clear()

    async def _serve(self, reader: Worker) -> None:
        """Keep one reader at work for as long as we are open."""
        under_way: deque[_PendingPage] = deque()
        try:
            if not reader.pid:
                await self._join(reader)
            while True:
                try:
                    await self._read_one(reader, under_way)
                except WorkerLost as lost:
                    job = under_way.popleft()
                    log.warning("reader lost url=%s reason=%s", job.page.url, lost.reason)
                    job.settle(ExtractionResult(failure=lost.reason))
                except Exception:
                    log.exception("reading a batch failed; its pages are given up")
                    await reader.stop(wait=0)
                    while under_way:
                        under_way.popleft().settle(
                            ExtractionResult(failure=Reason("extract_failed"))
                        )
        finally:
            for job in under_way:
                job.result.cancel()

    async def _join(self, reader: Worker) -> None:
        """Start a reader that is not yet, once it is needed: one after the other."""
        async with self._joining:
            while not reader.pid:
                await self._some_waiting()
                if not self._is_another_worth_it():
                    await asyncio.sleep(SCALE_CHECK_SECONDS)
                    continue
                try:
                    await reader.start()
                except WorkerLost as lost:
                    log.warning("no other reader started reason=%s", lost.reason)
                    await asyncio.sleep(START_TIMEOUT_SECONDS)

    def _is_another_worth_it(self) -> bool:
        """Are all at work that were started, and was there much to read, or something slow?"""
        started = [reader for reader in self._readers if reader.pid]
        if not all(reader.pending_pages for reader in started):
            return False
        waited = time.monotonic() - self._waiting[0].queued_at
        return (
            self._answered >= PAGES_BEFORE_NEXT_WORKER * len(started)
            or waited > WAIT_BEFORE_NEXT_WORKER_SECONDS
        )

    async def _read_one(self, reader: Worker, under_way: deque[_PendingPage]) -> None:
        """Have one page read. A lost reader costs the page it had; its successor gets the rest."""
        if not reader.pending_pages:
            if not under_way:
                await self._some_waiting()
                under_way.extend(self._batch())
            await reader.send([job.page for job in under_way])
        elif reader.pending_pages <= PREFETCH_PAGES and self._waiting and not reader.needs_restart:
            batch = self._batch()
            under_way.extend(batch)
            reader.send_ahead([job.page for job in batch])
        extracted = await reader.receive_result(self._settings.timeout)
        self._answered += 1
        under_way.popleft().settle(extracted)
        if extracted.failure == OUT_OF_MEMORY:
            await reader.stop()

    async def _some_waiting(self) -> None:
        while not self._waiting:
            self._more.clear()
            await self._more.wait()

    def _batch(self) -> deque[_PendingPage]:
        """What is waiting: an even share of it, and not more than a batch may hold."""
        share = min(MAX_BATCH_PAGES, math.ceil(len(self._waiting) / self._count))
        batch = deque([self._waiting.popleft()])
        size = len(batch[0].page.body)
        while self._waiting and len(batch) < share:
            size += len(self._waiting[0].page.body)
            if size > MAX_BATCH_BYTES:
                break
            batch.append(self._waiting.popleft())
        return batch
