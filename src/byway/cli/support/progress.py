"""What a person sees while a crawl goes on: how fast it is, what waits, what fails, how long."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.markup import escape

from byway.cli.support.output import plain, say
from byway.reports.crawl.reason_groups import folded

if TYPE_CHECKING:  # whoever crawls has loaded them, and nobody else needs them
    from byway.crawl.crawler import Crawler
    from byway.crawl.recorder import Progress

EVERY = 0.2
"""Seconds between two looks."""
QUEUES_EVERY = 2.0
"""The queues are counted on disk, which takes a moment where they are long."""
NAMED = 3
"""Queues and causes that are named."""

Queues = Sequence[tuple[str, int]]


async def show(crawler: "Crawler", update: Callable[[str], None]) -> None:
    """Show how a crawl comes along, until cancelled; what a person should know is said at once."""
    start, first, told, looked = time.monotonic(), crawler.progress.recorded, 0, 0.0
    queues: Queues = ()
    while True:
        await asyncio.sleep(EVERY)
        now = crawler.progress
        for note in now.notes[told:]:
            say(escape(plain(note)))
        told = len(now.notes)
        if time.monotonic() - looked > QUEUES_EVERY:
            queues, looked = crawler.queues(), time.monotonic()
        rate = (now.recorded - first) / max(time.monotonic() - start, 0.1)
        update(described(now, rate, queues, crawler.budget_left))


def described(now: "Progress", rate: float, queues: Queues, budget: int | None) -> str:
    """The lines that are shown."""
    waiting = sum(urls for _, urls in queues)
    left = waiting if budget is None else min(waiting, budget)
    doing = now.paused or now.waiting or f"{rate:.1f}/s{_time_left(left, rate)}  {now.last[:70]}"
    lines = [f"{now.kept:,} pages kept, {waiting:,} URLs wait, {doing}"]
    if len(queues) > 1:
        lines.append(f"  queues: {_named(queues)}")
    if now.causes:
        lines.append(f"  {now.failed:,} failed: {_named(folded(now.causes))}")
    return "\n".join(plain(line)[:200] for line in lines)


def _named(counted: Queues) -> str:
    shown = ", ".join(f"{name} {count:,}" for name, count in counted[:NAMED])
    more = len(counted) - NAMED
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
