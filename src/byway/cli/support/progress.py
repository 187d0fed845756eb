"""Progress lines of crawling and indexing: totals, rate, queue lengths, failures and time left."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from byway.app.processes.crawl_progress import CrawlSnapshot
from byway.cli.support.output import print_notice, sanitize
from byway.core.messages import decimal, group_reasons, grouped, t, text

if TYPE_CHECKING:  # a crawl needs no indexing code
    from byway.app.index import IndexingProgress

MAX_SHOWN_ENTRIES = 3
"""Maximum number of queues and failure reasons shown."""
MAX_LINE_CHARS = 200
MAX_URL_CHARS = 70

QueueSizes = Sequence[tuple[str, int]]


def show_progress(snapshot: CrawlSnapshot, update: Callable[[str], None]) -> None:
    """Update the progress line, and print the new notes of the crawl."""
    for note in snapshot.notes:
        print_notice(sanitize(text(note)))
    update(progress_text(snapshot))


def progress_text(snapshot: CrawlSnapshot) -> str:
    """The lines of the progress display."""
    progress, rate, queues = snapshot.progress, snapshot.rate, snapshot.queues
    queued = snapshot.other_urls + sum(urls for _, urls in queues)
    budget = snapshot.page_budget
    left = queued if budget is None else min(queued, budget)
    activity = (
        text(progress.pause_reason)
        or text(progress.wait_reason)
        or f"{t('cli.progress.rate', rate=decimal(rate, '.1f'))}{_time_left(left, rate)}"
        f"  {progress.last_url[:MAX_URL_CHARS]}"
    )
    lines = [t("cli.progress.line", kept=progress.kept, queued=queued, activity=activity)]
    if len(queues) > 1:
        lines.append("  " + t("cli.progress.queues", queues=_largest(queues, snapshot.other_hosts)))
    if progress.failure_reasons:
        groups = [(text(one), count) for one, count in group_reasons(progress.failure_reasons)]
        failures = t("cli.progress.failed", failed=progress.failed, reasons=_largest(groups))
        lines.append(f"  {failures}")
    return "\n".join(sanitize(line)[:MAX_LINE_CHARS] for line in lines)


def indexing_text(progress: "IndexingProgress", seconds: float) -> str:
    """The progress of indexing after so many seconds: total, rate and time left."""
    rate = progress.done / max(seconds, 0.001)
    shown_rate = t("cli.progress.rate", rate=decimal(rate, ".0f"))
    counts = {"documents": progress.done, "total": max(progress.done, progress.total)}
    shown = t(f"cli.index.{progress.stage}_progress", **counts, rate=shown_rate)
    return shown + _time_left(max(0, progress.total - progress.done), rate)


def _largest(counts: QueueSizes, others: int = 0) -> str:
    """The largest entries and the number of others; `others` counts those not in `counts`."""
    names = ", ".join(f"{name} {grouped(count)}" for name, count in counts[:MAX_SHOWN_ENTRIES])
    more = len(counts) - MAX_SHOWN_ENTRIES + others
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
