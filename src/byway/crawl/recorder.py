"""What is recorded, and when? Outcomes in batches: bytes first, then facts, then what follows."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from byway.core.model import Outcome, UrlState
from byway.core.model.message import NO_REASON, Reason

if TYPE_CHECKING:  # for numpy, which ports speak of and a crawl does not need
    from byway.core.ports import DocumentStore, Frontier, PageStore

MAX_BATCH_OUTCOMES = 200
MAX_BATCH_BYTES = 32 * 1024 * 1024
MAX_BATCH_SECONDS = 1.0
"""A batch is recorded when it has this many outcomes, bytes or seconds, or nothing else is up."""
MAX_PENDING_OUTCOMES = 2 * MAX_BATCH_OUTCOMES
"""Outcomes that may wait; then the crawl waits for the disk."""
POLL_SECONDS = 0.05

MAX_FAILURE_REASONS = 200
"""Reasons that are counted apart."""

FAILED_STATES = (UrlState.UNREACHABLE, UrlState.MISSING, UrlState.EXTRACT_FAILED)


@dataclass(slots=True)
class CrawlProgress:
    """How far a crawl has come. All that is counted here is safe on disk."""

    kept: int = 0
    """Pages kept in all."""
    recorded: int = 0
    """Pages that came in this run."""
    unchanged: int = 0
    """Pages seen again that were as before."""
    missing: int = 0
    """Pages that were not there this time; gone if they are not there an hour later either."""
    failed_revisits: int = 0
    """Pages that should have been seen again and could not be."""
    gone: int = 0
    """Pages that are no more."""
    blocked: int = 0
    """URLs at private addresses that we were not told to visit."""
    failed: int = 0
    """URLs that were asked for and gave no page."""
    failure_reasons: Counter[Reason] = field(default_factory=Counter)
    """Why these gave none."""
    last_url: str = ""
    """The URL that was visited last."""
    pause_reason: Reason = NO_REASON
    """Why the crawl is holding still, if it is."""
    notes: list[Reason] = field(default_factory=list)
    """What a person should know: traps, and seeds that led nowhere."""
    wait_reason: Reason = NO_REASON
    """What is waited for, if nothing can be done before it comes, and until when."""
    silent_hosts: Reason = NO_REASON
    """The hosts that did not answer, and why; its parameter `total` says how many."""
    nobody_answered: bool = False
    """No host answered at all: the crawl has failed."""
    end_reason: Reason = NO_REASON
    """Why the crawl is over."""


class Recorder:
    """Takes outcomes one by one and makes them durable together."""

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
        self._since = 0.0
        self._committing = 0
        self._one_at_a_time = threading.Lock()
        self.progress = CrawlProgress(kept=frontier.count_kept())

    @property
    def pending_count(self) -> int:
        """Outcomes that are not on disk yet."""
        return len(self._pending) + self._committing

    @property
    def is_full(self) -> bool:
        """Should nothing new be started before some of it is on disk?"""
        return len(self._pending) > MAX_PENDING_OUTCOMES or self._bytes > 2 * MAX_BATCH_BYTES

    def enqueue(self, outcome: Outcome) -> None:
        """Take an outcome; it is recorded soon."""
        if not self._pending:
            self._since = self._clock()
        self._pending.append(outcome)
        self._bytes += len(outcome.page.body) if outcome.page else 0
        self.progress.last_url = outcome.visit.url

    async def run(self, is_idle: Callable[[], bool], on_recorded: Callable[[], None]) -> None:
        """Record batches for ever: when they are large or old enough, or the crawl is idle."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            if self._pending and (self._ready() or is_idle()):
                await self.flush()
                on_recorded()

    async def flush(self) -> None:
        """Record everything now."""
        batch, self._pending, self._bytes = self._pending, [], 0
        self._committing += len(batch)
        await asyncio.to_thread(self._commit, batch)
        self._committing -= len(batch)

    def _ready(self) -> bool:
        return (
            len(self._pending) >= MAX_BATCH_OUTCOMES
            or self._bytes >= MAX_BATCH_BYTES
            or self._clock() - self._since >= MAX_BATCH_SECONDS
        )

    def _commit(self, batch: list[Outcome]) -> None:
        with self._one_at_a_time:
            fresh = [(one.page, one.digest) for one in batch if one.page and one.digest]
            places = iter(self._pages.append(fresh))
            batch = [replace(one, location=next(places)) if one.digest else one for one in batch]
            sequences = self._frontier.finish(batch)
            told = [one for one in batch if one.location or one.is_gone]
            self._documents.put(
                (sequence, one.visit.id, one.document)
                for sequence, one in zip(sequences, told, strict=True)
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
                self._count_as_before(one)
            elif one.state in FAILED_STATES and not one.is_gone:
                progress.failed += 1
                self._count_cause(one.reason)

    def _count_as_before(self, one: Outcome) -> None:
        """A page stays as it was: because it is, or because nothing better is known."""
        if one.page is None:
            self.progress.failed_revisits += 1
            self._count_cause(one.reason)
        elif one.page.status in (200, 304):
            self.progress.unchanged += 1
        else:
            self.progress.missing += 1

    def _count_cause(self, reason: Reason) -> None:
        causes = self.progress.failure_reasons
        known = reason in causes or len(causes) < MAX_FAILURE_REASONS
        causes[reason if known else Reason("other")] += 1
