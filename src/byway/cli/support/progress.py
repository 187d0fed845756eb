"""What a person sees while a crawl goes on: how fast it is, what waits, what fails, how long."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.markup import escape

from byway.cli.support.output import print_notice, sanitize
from byway.core.messages import text
from byway.reports.crawl.reason_groups import group_reasons

if TYPE_CHECKING:  # whoever crawls has loaded them, and nobody else needs them
    from byway.crawl.crawler import Crawler
    from byway.crawl.recorder import CrawlProgress

REFRESH_SECONDS = 0.2
"""Seconds between two looks."""
QUEUE_REFRESH_SECONDS = 2.0
"""The queues are counted on disk, which takes a moment where they are long."""
MAX_SHOWN_ENTRIES = 3
"""Queues and causes that are named."""

QueueSizes = Sequence[tuple[str, int]]


async def show_progress(crawler: "Crawler", update: Callable[[str], None]) -> None:
    """Show how a crawl comes along, until cancelled; what a person should know is said at once."""
    start, first, told, looked = time.monotonic(), crawler.progress.recorded, 0, 0.0
    queues: QueueSizes = ()
    while True:
        await asyncio.sleep(REFRESH_SECONDS)
        now = crawler.progress
        for note in now.notes[told:]:
            print_notice(escape(sanitize(text(note))))
        told = len(now.notes)
        if time.monotonic() - looked > QUEUE_REFRESH_SECONDS:
            queues, looked = crawler.queues(), time.monotonic()
        rate = (now.recorded - first) / max(time.monotonic() - start, 0.1)
        update(progress_text(now, rate, queues, crawler.budget_left))


def progress_text(
    progress: "CrawlProgress", rate: float, queues: QueueSizes, page_budget: int | None
) -> str:
    """The lines that are shown."""
    waiting = sum(urls for _, urls in queues)
    left = waiting if page_budget is None else min(waiting, page_budget)
    doing = (
        text(progress.pause_reason)
        or text(progress.wait_reason)
        or f"{rate:.1f}/s{_time_left(left, rate)}  {progress.last_url[:70]}"
    )
    lines = [f"{progress.kept:,} pages kept, {waiting:,} URLs wait, {doing}"]
    if len(queues) > 1:
        lines.append(f"  queues: {_named(queues)}")
    if progress.failure_reasons:
        causes = [(text(one), count) for one, count in group_reasons(progress.failure_reasons)]
        lines.append(f"  {progress.failed:,} failed: {_named(causes)}")
    return "\n".join(sanitize(line)[:200] for line in lines)


def _named(counted: QueueSizes) -> str:
    shown = ", ".join(f"{name} {count:,}" for name, count in counted[:MAX_SHOWN_ENTRIES])
    more = len(counted) - MAX_SHOWN_ENTRIES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _time_left(urls: int, rate: float) -> str:
    """How long it takes at this rate; more may be found on the way."""
    if not urls or rate < 0.01:
        return ""
    seconds = urls / rate
    for size, unit in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f", {seconds / size:.0f} {unit} left"
    return f", {seconds:.0f} s left"
