"""Records outcomes in batches: page bytes first, then database rows, then documents."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from byway.core.messages import Reason
from byway.core.model import Outcome, UrlState
from byway.core.model.crawl_progress import CrawlProgress

if TYPE_CHECKING:  # ports import numpy, which a crawl does not need
    from byway.core.ports import DocumentStore, Frontier, PageStore

MAX_BATCH_OUTCOMES = 200
MAX_BATCH_BYTES = 32 * 1024 * 1024
MAX_BATCH_SECONDS = 1.0
"""Limits of a batch in outcomes, bytes and seconds; an idle crawl records it at once."""
MAX_PENDING_OUTCOMES = 2 * MAX_BATCH_OUTCOMES
"""Maximum pending outcomes; beyond that the crawl waits for the disk (back-pressure)."""
POLL_SECONDS = 0.05

MAX_FAILURE_REASONS = 200
"""Maximum distinct reasons counted; the rest count as `other`."""

FAILED_STATES = (UrlState.UNREACHABLE, UrlState.MISSING, UrlState.EXTRACT_FAILED)


class Recorder:
    """Queues outcomes and writes them to the stores in batches."""

    def __init__(
        self,
        frontier: "Frontier",
        pages: "PageStore",
        documents: "DocumentStore",
        clock: Callable[[], float],
    ) -> None:
        self._frontier = frontier
        self._pages = pages
        self._documents = documents
        self._clock = clock
        self._pending: list[Outcome] = []
        self._bytes = 0
        self._batch_started_at = 0.0
        self._committing = 0
        self._commit_lock = threading.Lock()
        self.progress = CrawlProgress(kept=frontier.count_kept())

    @property
    def pending_count(self) -> int:
        """Outcomes not on disk yet."""
        return len(self._pending) + self._committing

    @property
    def is_full(self) -> bool:
        """Whether too many outcomes are pending to start a new visit."""
        return len(self._pending) > MAX_PENDING_OUTCOMES or self._bytes > 2 * MAX_BATCH_BYTES

    def enqueue(self, outcome: Outcome) -> None:
        """Add an outcome to the current batch."""
        if not self._pending:
            self._batch_started_at = self._clock()
        self._pending.append(outcome)
        self._bytes += len(outcome.page.body) if outcome.page else 0
        self.progress.last_url = outcome.visit.url

    async def run(self, is_idle: Callable[[], bool], on_recorded: Callable[[], None]) -> None:
        """Record each batch once it is large or old enough, or the crawl is idle."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            if self._pending and (self._is_batch_due() or is_idle()):
                await self.flush()
                on_recorded()

    async def flush(self) -> None:
        """Record all pending outcomes now."""
        batch, self._pending, self._bytes = self._pending, [], 0
        self._committing += len(batch)
        await asyncio.to_thread(self._commit, batch)
        self._committing -= len(batch)

    def _is_batch_due(self) -> bool:
        return (
            len(self._pending) >= MAX_BATCH_OUTCOMES
            or self._bytes >= MAX_BATCH_BYTES
            or self._clock() - self._batch_started_at >= MAX_BATCH_SECONDS
        )

    def _commit(self, batch: list[Outcome]) -> None:
        with self._commit_lock:
            pages = [(one.page, one.digest) for one in batch if one.page and one.digest]
            locations = iter(self._pages.append(pages))
            batch = [replace(one, location=next(locations)) if one.digest else one for one in batch]
            sequences = self._frontier.finish(batch)
            versions = [one for one in batch if one.location or one.is_gone]
            self._documents.put(
                (sequence, one.visit.id, one.document)
                for sequence, one in zip(sequences, versions, strict=True)
            )
            self._count(batch)

    def _count(self, batch: list[Outcome]) -> None:
        progress = self.progress
        for one in batch:
            new = one.state is UrlState.KEPT and one.visit.previous_fetch is None
            progress.kept += new - one.is_gone
            progress.blocked += one.state is UrlState.BLOCKED
            progress.recorded += one.location is not None
            progress.gone += one.is_gone
            if one.visit.previous_fetch and one.state is UrlState.KEPT and one.location is None:
                self._count_revisit(one)
            elif one.state in FAILED_STATES and not one.is_gone:
                progress.failed += 1
                self._count_reason(one.reason)

    def _count_revisit(self, one: Outcome) -> None:
        """Count a revisit that stored no new version: unchanged, failed, or missing once."""
        if one.page is None:
            self.progress.failed_revisits += 1
            self._count_reason(one.reason)
        elif one.page.status in (200, 304):
            self.progress.unchanged += 1
        else:
            self.progress.missing += 1

    def _count_reason(self, reason: Reason) -> None:
        causes = self.progress.failure_reasons
        known = reason in causes or len(causes) < MAX_FAILURE_REASONS
        causes[reason if known else Reason("other")] += 1
