"""When did the pages come? Times into bars, as wide as it takes to have few enough of them."""

from collections import Counter
from collections.abc import Sequence

from byway.reports.crawl.report import Timeline

MOST_BARS = 60

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
WIDTHS = (
    *(100, 200, 500),
    *(SECOND * n for n in (1, 2, 5, 10, 15, 30)),
    *(MINUTE * n for n in (1, 2, 5, 10, 15, 30)),
    *(HOUR * n for n in (1, 2, 3, 6, 12)),
    *(DAY * n for n in (1, 2, 7, 14, 30, 90, 365)),
)
"""What people count in; in milliseconds, as floats miss the tenths of a second by a hair."""


def timeline(times: Sequence[float], total: int, most: int = MOST_BARS) -> Timeline:
    """At most `most` bars for these times, which stand for `total` pages."""
    if not times:
        return Timeline()
    first, last = int(min(times) * SECOND), int(max(times) * SECOND)
    width = _width(first, last, most)
    begin = first // width
    counted = Counter(int(time * SECOND) // width - begin for time in times)
    weight = total / len(times)
    pages = tuple(round(counted[n] * weight) for n in range(last // width - begin + 1))
    # A crawl that began late in its first bar has not been slow in it.
    busy = min(len(counted) * width, max(last - first, WIDTHS[0]))
    return Timeline(begin * width / SECOND, width / SECOND, pages, total * SECOND / busy)


def _width(first: int, last: int, most: int) -> int:
    for width in WIDTHS:
        if last // width - first // width < most:
            return width
    # Whole years, as many as it takes: somebody's clock was wrong.
    return WIDTHS[-1] * ((last - first) // (WIDTHS[-1] * (most - 1)) + 1)
