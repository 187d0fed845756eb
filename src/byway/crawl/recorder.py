"""What is recorded, and when? Outcomes in batches: bytes first, then facts, then what follows."""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from byway.core.model import Outcome, State

if TYPE_CHECKING:  # for numpy, which ports speak of and a crawl does not need
    from byway.core.ports import DocumentStore, Frontier, PageStore

BATCH = 200
BATCH_BYTES = 32 * 1024 * 1024
BATCH_SECONDS = 1.0
"""A batch is recorded when it has this many outcomes, bytes or seconds, or nothing else is up."""
FULL = 2 * BATCH
"""Outcomes that may wait; then the crawl waits for the disk."""
TICK = 0.05

MOST_CAUSES = 200
"""Reasons that are counted apart."""

FAILED = (State.UNREACHABLE, State.MISSING, State.EXTRACT_FAILED)


@dataclass(slots=True)
class Progress:
    """How far a crawl has come. All that is counted here is safe on disk."""

    kept: int = 0
    """Pages kept in all."""
    recorded: int = 0
    """Pages that came in this run."""
    unchanged: int = 0
    """Pages seen again that were as before."""
    missing: int = 0
    """Pages that were not there this time; gone if they are not there an hour later either."""
    unseen: int = 0
    """Pages that should have been seen again and could not be."""
    gone: int = 0
    """Pages that are no more."""
    blocked: int = 0
    """URLs at private addresses that we were not told to visit."""
    failed: int = 0
    """URLs that were asked for and gave no page."""
    causes: Counter[str] = field(default_factory=Counter)
    """Why these gave none."""
    last: str = ""
    """The URL that was visited last."""
    paused: str = ""
    """Why the crawl is holding still, if it is."""
    notes: list[str] = field(default_factory=list)
    """What a person should know: traps, and seeds that led nowhere."""
    waiting: str = ""
    """What is waited for, if nothing can be done before it comes, and until when."""
    unanswered: str = ""
    """Who did not answer, if nobody has: the crawl has failed."""
    silent: str = ""
    """Who did not answer, and how many those are, if others have."""
    ended: str = ""
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
        self.progress = Progress(kept=frontier.kept())

    @property
    def waiting(self) -> int:
        """Outcomes that are not on disk yet."""
        return len(self._pending) + self._committing

    @property
    def full(self) -> bool:
        """Should nothing new be started before some of it is on disk?"""
        return len(self._pending) > FULL or self._bytes > 2 * BATCH_BYTES

    def finish(self, outcome: Outcome) -> None:
        """Take an outcome; it is recorded soon."""
        if not self._pending:
            self._since = self._clock()
        self._pending.append(outcome)
        self._bytes += len(outcome.page.body) if outcome.page else 0
        self.progress.last = outcome.visit.url

    async def run(self, idle: Callable[[], bool], recorded: Callable[[], None]) -> None:
        """Record batches for ever: when they are large or old enough, or the crawl is idle."""
        while True:
            await asyncio.sleep(TICK)
            if self._pending and (self._ready() or idle()):
                await self.flush()
                recorded()

    async def flush(self) -> None:
        """Record everything now."""
        batch, self._pending, self._bytes = self._pending, [], 0
        self._committing += len(batch)
        await asyncio.to_thread(self._commit, batch)
        self._committing -= len(batch)

    def _ready(self) -> bool:
        return (
            len(self._pending) >= BATCH
            or self._bytes >= BATCH_BYTES
            or self._clock() - self._since >= BATCH_SECONDS
        )

    def _commit(self, batch: list[Outcome]) -> None:
        with self._one_at_a_time:
            fresh = [(one.page, one.digest) for one in batch if one.page and one.digest]
            places = iter(self._pages.append(fresh))
            batch = [replace(one, place=next(places)) if one.digest else one for one in batch]
            sequences = self._frontier.finish(batch)
            told = [one for one in batch if one.place or one.gone]
            self._documents.put(
                (sequence, one.visit.id, one.document)
                for sequence, one in zip(sequences, told, strict=True)
            )
            self._count(batch)

    def _count(self, batch: list[Outcome]) -> None:
        progress = self.progress
        for one in batch:
            new = one.state is State.KEPT and one.visit.known is None
            progress.kept += new - one.gone
            progress.blocked += one.state is State.BLOCKED
            progress.recorded += one.place is not None
            progress.gone += one.gone
            if one.visit.known and one.state is State.KEPT and one.place is None:
                self._count_as_before(one)
            elif one.state in FAILED and not one.gone:
                progress.failed += 1
                self._count_cause(one.reason)

    def _count_as_before(self, one: Outcome) -> None:
        """A page stays as it was: because it is, or because nothing better is known."""
        if one.page is None:
            self.progress.unseen += 1
            self._count_cause(one.reason)
        elif one.page.status in (200, 304):
            self.progress.unchanged += 1
        else:
            self.progress.missing += 1

    def _count_cause(self, reason: str) -> None:
        causes = self.progress.causes
        known = reason in causes or len(causes) < MOST_CAUSES
        causes[reason if known else "other causes"] += 1
