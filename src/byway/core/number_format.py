"""Number formats for people: sizes, durations, counts, rates, percentages and timestamps.

Timestamps are in UTC, because reports are read in other time zones.
"""

from datetime import UTC, datetime

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
    """`12 pages/s`; per minute or per hour below one."""
    amount, unit = per_second, "s"
    for longer in ("min", "h"):
        if amount >= 1:
            break
        amount, unit = amount * 60, longer
    return f"{amount:,.0f} pages/{unit}" if amount >= 99.5 else f"{amount:.2g} pages/{unit}"


def format_percent(part: int, whole: int) -> str:
    """`12 %`; only nothing is 0 %, and only everything is 100 %."""
    percent = 100 * part / whole if whole else 0.0
    if 0 < percent < 0.1:
        return "< 0.1 %"
    if 99.9 < percent < 100:
        return "> 99.9 %"
    return f"{percent:.0f} %" if percent in (0, 100) else f"{percent:.1f} %"


def format_timestamp(time: float) -> str:
    """`2026-11-15 09:30:05 UTC`."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
