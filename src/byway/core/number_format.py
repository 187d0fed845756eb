"""How are figures said? Sizes, stretches of time, moments and shares, as people read them.

Moments are in UTC: a report is read by others, elsewhere.
"""

from datetime import UTC, datetime

from byway.reports.crawl.report import Timeline

TIME_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"))


def format_size(byte_count: int) -> str:
    """`1.2 MB`."""
    amount, unit = float(byte_count), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if amount < 999.5:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:.3g} {unit}"


def format_duration(seconds: float) -> str:
    """`5 minutes`, in the largest unit that gives a whole number."""
    for length, name in TIME_UNITS:
        if seconds >= length and seconds % length == 0:
            return format_count(int(seconds // length), name)
    return "1 second" if seconds == 1 else f"{seconds:g} seconds"


def format_count(count: int, noun: str) -> str:
    """`1 page`, `2,000 pages`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def format_rate(per_second: float) -> str:
    """`12 pages/s`; by the minute or the hour when it is slow."""
    amount, unit = per_second, "s"
    for longer in ("min", "h"):
        if amount >= 1:
            break
        amount, unit = amount * 60, longer
    return f"{amount:,.0f} pages/{unit}" if amount >= 99.5 else f"{amount:.2g} pages/{unit}"


def format_percent(part: int, whole: int) -> str:
    """`12 %`; what is there is never 0 %, and what is not all is never 100 %."""
    percent = 100 * part / whole if whole else 0.0
    if 0 < percent < 0.1:
        return "< 0.1 %"
    if 99.9 < percent < 100:
        return "> 99.9 %"
    return f"{percent:.0f} %" if percent in (0, 100) else f"{percent:.1f} %"


def format_timestamp(time: float) -> str:
    """`2026-11-15 09:30:05 UTC`."""
    return _date(time).strftime("%Y-%m-%d %H:%M:%S UTC")


def timeline_labels(timeline: Timeline) -> list[str]:
    """When each bar of a timeline begins: no more of date and time than tells them apart."""
    # Rounded, or a tenth that floats miss by a hair would be told as the one before.
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
