"""Progress line of a running crawl: rate, queue lengths, failures and time left."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from byway.cli.support.output import print_notice, sanitize
from byway.core.messages import decimal, grouped, t, text
from byway.reports.crawl.reason_groups import group_reasons

if TYPE_CHECKING:  # only commands that crawl load these
    from byway.crawl.crawler import Crawler
    from byway.crawl.recorder import CrawlProgress

REFRESH_SECONDS = 0.2
QUEUE_REFRESH_SECONDS = 2.0
"""Queues are counted on disk, which takes a moment when they are long."""
MAX_SHOWN_ENTRIES = 3
"""Queues and failure reasons shown."""
MAX_LINE_CHARS = 200
MAX_URL_CHARS = 70

QueueSizes = Sequence[tuple[str, int]]


async def show_progress(crawler: "Crawler", update: Callable[[str], None]) -> None:
    """Update the progress line until cancelled; print the crawl's notes as they arrive."""
    start, first, note_count, counted_at = time.monotonic(), crawler.progress.recorded, 0, 0.0
    queues: QueueSizes = ()
    while True:
        await asyncio.sleep(REFRESH_SECONDS)
        now = crawler.progress
        for note in now.notes[note_count:]:
            print_notice(sanitize(text(note)))
        note_count = len(now.notes)
        if time.monotonic() - counted_at > QUEUE_REFRESH_SECONDS:
            queues, counted_at = crawler.queues(), time.monotonic()
        rate = (now.recorded - first) / max(time.monotonic() - start, 0.1)
        update(progress_text(now, rate, queues, crawler.budget_left))


def progress_text(
    progress: "CrawlProgress", rate: float, queues: QueueSizes, page_budget: int | None
) -> str:
    """The lines of the progress display."""
    queued = sum(urls for _, urls in queues)
    left = queued if page_budget is None else min(queued, page_budget)
    activity = (
        text(progress.pause_reason)
        or text(progress.wait_reason)
        or f"{t('cli.progress.rate', rate=decimal(rate, '.1f'))}{_time_left(left, rate)}"
        f"  {progress.last_url[:MAX_URL_CHARS]}"
    )
    lines = [t("cli.progress.line", kept=progress.kept, queued=queued, activity=activity)]
    if len(queues) > 1:
        lines.append("  " + t("cli.progress.queues", queues=_largest(queues)))
    if progress.failure_reasons:
        groups = [(text(one), count) for one, count in group_reasons(progress.failure_reasons)]
        failures = t("cli.progress.failed", failed=progress.failed, reasons=_largest(groups))
        lines.append(f"  {failures}")
    return "\n".join(sanitize(line)[:MAX_LINE_CHARS] for line in lines)


def _largest(counts: QueueSizes) -> str:
    names = ", ".join(f"{name} {grouped(count)}" for name, count in counts[:MAX_SHOWN_ENTRIES])
    more = len(counts) - MAX_SHOWN_ENTRIES
    return t("cli.progress.and_more", names=names, more=more) if more > 0 else names


def _time_left(urls: int, rate: float) -> str:
    """Estimated time left at this rate; the crawl may discover more URLs."""
    if not urls or rate < 0.01:
        return ""
    seconds = urls / rate
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return t(f"cli.progress.{unit}_left", number=f"{seconds / size:.0f}")
    return t("cli.progress.seconds_left", number=f"{seconds:.0f}")
