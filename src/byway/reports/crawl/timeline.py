"""Timeline of a crawl: fetch times in buckets of a round width."""

from collections import Counter
from collections.abc import Sequence

from byway.core.model.crawl_report import Timeline

MAX_BARS = 60

SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS = 1000, 60_000, 3_600_000, 86_400_000
BAR_WIDTHS_MS = (
    *(100, 200, 500),
    *(SECOND_MS * n for n in (1, 2, 5, 10, 15, 30)),
    *(MINUTE_MS * n for n in (1, 2, 5, 10, 15, 30)),
    *(HOUR_MS * n for n in (1, 2, 3, 6, 12)),
    *(DAY_MS * n for n in (1, 2, 7, 14, 30, 90, 365)),
)
"""Round bucket widths, in milliseconds: tenths of a second are not exact as floats."""


def timeline(times: Sequence[float], total: int, max_bars: int = MAX_BARS) -> Timeline:
    """A timeline of at most `max_bars` bars; the times are a sample of `total` pages."""
    if not times:
        return Timeline()
    first, last = int(min(times) * SECOND_MS), int(max(times) * SECOND_MS)
    width = _bar_width(first, last, max_bars)
    first_bucket = first // width
    counts = Counter(int(time * SECOND_MS) // width - first_bucket for time in times)
    weight = total / len(times)
    pages = tuple(round(counts[n] * weight) for n in range(last // width - first_bucket + 1))
    # A crawl that began late in its first bar was not slow there.
    busy = min(len(counts) * width, max(last - first, BAR_WIDTHS_MS[0]))
    return Timeline(
        first_bucket * width / SECOND_MS, width / SECOND_MS, pages, total * SECOND_MS / busy
    )


def _bar_width(first: int, last: int, most: int) -> int:
    for width in BAR_WIDTHS_MS:
        if last // width - first // width < most:
            return width
    # Multiples of a year: a clock was wrong.
    return BAR_WIDTHS_MS[-1] * ((last - first) // (BAR_WIDTHS_MS[-1] * (most - 1)) + 1)
