"""When did the pages come? Times into bars, as wide as it takes to have few enough of them."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from byway.reports.crawl.report import Timeline

MAX_BARS = 60

SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS = 1000, 60_000, 3_600_000, 86_400_000
BAR_WIDTHS_MS = (
    *(100, 200, 500),
    *(SECOND_MS * n for n in (1, 2, 5, 10, 15, 30)),
    *(MINUTE_MS * n for n in (1, 2, 5, 10, 15, 30)),
    *(HOUR_MS * n for n in (1, 2, 3, 6, 12)),
    *(DAY_MS * n for n in (1, 2, 7, 14, 30, 90, 365)),
)
"""What people count in; in milliseconds, as floats miss the tenths of a second by a hair."""


def timeline(times: Sequence[float], total: int, max_bars: int = MAX_BARS) -> Timeline:
    """At most `max_bars` bars for these times, which stand for `total` pages."""
    if not times:
        return Timeline()
    first, last = int(min(times) * SECOND_MS), int(max(times) * SECOND_MS)
    width = _width(first, last, max_bars)
    begin = first // width
    counted = Counter(int(time * SECOND_MS) // width - begin for time in times)
    weight = total / len(times)
    pages = tuple(round(counted[n] * weight) for n in range(last // width - begin + 1))
    # A crawl that began late in its first bar has not been slow in it.
    busy = min(len(counted) * width, max(last - first, BAR_WIDTHS_MS[0]))
    return Timeline(begin * width / SECOND_MS, width / SECOND_MS, pages, total * SECOND_MS / busy)


def _width(first: int, last: int, most: int) -> int:
    for width in BAR_WIDTHS_MS:
        if last // width - first // width < most:
            return width
    # Whole years, as many as it takes: somebody's clock was wrong.
    return BAR_WIDTHS_MS[-1] * ((last - first) // (BAR_WIDTHS_MS[-1] * (most - 1)) + 1)


def timeline_labels(timeline: Timeline) -> list[str]:
    """The start of each bar, with no more of date and time than is needed to tell bars apart."""
    # Rounded: a tenth that a float misses by a hair would show as the one before.
    starts = [
        round(timeline.started_at + n * timeline.bucket_seconds, 3)
        for n in range(len(timeline.pages))
    ]
    form = "%H:%M:%S" if timeline.bucket_seconds < 60 else "%H:%M"
    if timeline.bucket_seconds >= 86400:
        form = "%Y-%m-%d"
    elif starts and _date(starts[0]).date() != _date(starts[-1]).date():
        form = f"%m-%d {form}"
    tenths = timeline.bucket_seconds < 1
    return [_date(at).strftime(form) + (f".{at % 1 * 10:.0f}" if tenths else "") for at in starts]


def _date(time: float) -> datetime:
    return datetime.fromtimestamp(time, UTC)
