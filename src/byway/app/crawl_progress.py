"""Progress of a crawl: a run that signals stop, and snapshots of it that can travel as JSON."""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self, TypeVar

import uvloop

from byway.core.model.crawl_progress import CrawlProgress
from byway.core.model.message import Reason, group_reasons

if TYPE_CHECKING:  # only what crawls loads it
    from byway.crawl.crawler import Crawler

T = TypeVar("T")
StartedCallback = Callable[["Crawler"], None]

SNAPSHOT_INTERVAL_SECONDS = 0.2
QUEUE_INTERVAL_SECONDS = 2.0
"""Queues are counted on disk, which takes a moment when they are long."""


@dataclass(frozen=True, slots=True)
class CrawlSnapshot:
    """The progress of a crawl at one time."""

    progress: CrawlProgress
    rate: float
    """Pages stored in a second, since the start."""
    queues: Sequence[tuple[str, int]]
    """Queued URLs per host, longest queue first."""
    page_budget: int | None
    """Pages that may still be kept; None without a limit."""
    notes: Sequence[Reason] = ()
    """Notes that are new since the last snapshot."""

    def to_plain(self) -> dict[str, Any]:
        """The snapshot as plain values, for JSON."""
        return {
            "progress": progress_to_plain(self.progress),
            "rate": self.rate,
            "queues": list(self.queues),
            "page_budget": self.page_budget,
            "notes": [note.to_plain() for note in self.notes],
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Self:
        """The snapshot of these values."""
        return cls(
            progress_from_plain(plain["progress"]),
            plain["rate"],
            [(host, count) for host, count in plain["queues"]],
            plain["page_budget"],
            [Reason.from_plain(**note) for note in plain["notes"]],
        )


def progress_to_plain(progress: CrawlProgress) -> dict[str, Any]:
    """The progress as plain values, without its notes; failures are counted by kind."""
    plain: dict[str, Any] = {}
    for item in fields(progress):
        value = getattr(progress, item.name)
        plain[item.name] = value.to_plain() if isinstance(value, Reason) else value
    failures = group_reasons(progress.failure_reasons)
    plain["failure_reasons"] = [[reason.to_plain(), count] for reason, count in failures]
    del plain["notes"]
    return plain


def progress_from_plain(plain: Mapping[str, Any]) -> CrawlProgress:
    """The progress of these values."""
    values: dict[str, Any] = {
        name: Reason.from_plain(**value) if isinstance(value, Mapping) else value
        for name, value in plain.items()
    }
    failures = {Reason.from_plain(**one): count for one, count in plain["failure_reasons"]}
    return CrawlProgress(**values | {"failure_reasons": Counter(failures)})


def run_until_signal(
    work: Callable[[StartedCallback], Coroutine[Any, Any, T]],
    on_snapshot: Callable[[CrawlSnapshot], None],
    on_stop: Callable[[], None] = lambda: None,
) -> tuple[T, int]:
    """Run a crawl until its end or a signal; returns the signal's number, or 0.

    `work(started)` crawls and calls `started(crawler)` once. SIGUSR1 must be blocked by now.
    """
    signal_number = 0
    crawlers: list[Crawler] = []

    def stop(number: int) -> None:
        nonlocal signal_number
        signal_number = number
        on_stop()
        for crawler in crawlers:
            crawler.stop()

    async def watch() -> T:
        loop = asyncio.get_running_loop()
        tasks: list[asyncio.Task[None]] = []  # a task without a reference may be collected
        snapshots: list[Iterator[CrawlSnapshot]] = []
        loop.add_signal_handler(signal.SIGUSR1, stop, int(signal.SIGUSR1))
        # One that arrived before is delivered now.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})

        def started(crawler: "Crawler") -> None:
            crawlers.append(crawler)
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, stop, int(number))
            if signal_number:
                crawler.stop()
            snapshots.append(_snapshots(crawler))
            tasks.append(loop.create_task(report(snapshots[0])))

        async def report(snapshots: Iterator[CrawlSnapshot]) -> None:
            while True:
                on_snapshot(next(snapshots))
                await asyncio.sleep(SNAPSHOT_INTERVAL_SECONDS)

        result = await work(started)
        for last in snapshots:
            on_snapshot(next(last))
        return result

    return uvloop.run(watch()), signal_number


def _snapshots(crawler: "Crawler") -> Iterator[CrawlSnapshot]:
    """A snapshot of the crawl as it is now, each time one is asked for."""
    start, first, note_count, counted_at = time.monotonic(), crawler.progress.recorded, 0, 0.0
    queues: Sequence[tuple[str, int]] = ()
    while True:
        progress = crawler.progress
        if time.monotonic() - counted_at > QUEUE_INTERVAL_SECONDS:
            queues, counted_at = crawler.queues(), time.monotonic()
        rate = (progress.recorded - first) / max(time.monotonic() - start, 0.1)
        notes = progress.notes[note_count:]
        note_count += len(notes)
        yield CrawlSnapshot(progress, rate, queues, crawler.budget_left, notes)
