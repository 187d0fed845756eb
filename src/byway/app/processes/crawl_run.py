"""Runs a crawl that signals can stop and that reports its progress in snapshots."""

import asyncio
import signal
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import uvloop

from byway.app.processes.crawl_progress import CrawlSnapshot

if TYPE_CHECKING:  # loaded only by processes that crawl
    from byway.crawl.crawler import Crawler

T = TypeVar("T")
StartedCallback = Callable[["Crawler"], None]

SNAPSHOT_INTERVAL_SECONDS = 0.2
QUEUE_INTERVAL_SECONDS = 2.0
"""Seconds between two queue counts; counting long queues on disk takes a moment."""
MAX_QUEUES = 10
"""Queues in a snapshot; there can be one for each of a million hosts."""


def run_until_signal(
    work: Callable[[StartedCallback], Coroutine[Any, Any, T]],
    on_snapshot: Callable[[CrawlSnapshot], None],
    on_stop: Callable[[], None] = lambda: None,
) -> tuple[T, int]:
    """Run a crawl until its end or a signal; returns the signal's number, or 0.

    `work(started)` crawls and calls `started(crawler)` once. SIGUSR1 must already be blocked.
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
        tasks: list[asyncio.Task[None]] = []  # a task without a reference may be garbage-collected
        snapshots: list[Iterator[CrawlSnapshot]] = []
        loop.add_signal_handler(signal.SIGUSR1, stop, int(signal.SIGUSR1))
        # A signal that arrived earlier is delivered now.
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
    """Yield the current snapshot of the crawl each time one is requested."""
    start, first, note_count, counted_at = time.monotonic(), crawler.progress.recorded, 0, 0.0
    queues: Sequence[tuple[str, int]] = ()
    others: Sequence[tuple[str, int]] = ()
    while True:
        progress = crawler.progress
        if time.monotonic() - counted_at > QUEUE_INTERVAL_SECONDS:
            queues, counted_at = crawler.queues(), time.monotonic()
            others = queues[MAX_QUEUES:]
        rate = (progress.recorded - first) / max(time.monotonic() - start, 0.1)
        notes = progress.notes[note_count:]
        note_count += len(notes)
        yield CrawlSnapshot(
            progress,
            rate,
            queues[:MAX_QUEUES],
            crawler.budget_left,
            notes,
            len(others),
            sum(urls for _, urls in others),
        )
