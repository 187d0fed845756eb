"""Formats rates, percentages and timestamps in the language of the terminal or page.

Separators and units are in the message catalogue under `[units]`. Timestamps are in UTC, because
readers may be in other time zones.
"""

from datetime import UTC, datetime

from byway.core.messages import decimal, t

RATE_UNITS = ("pages_per_second", "pages_per_minute", "pages_per_hour")


def format_rate(per_second: float) -> str:
    """A rate such as `12 pages/s`; per minute or per hour if below one."""
    amount, place = per_second, 0
    while amount < 1 and place + 1 < len(RATE_UNITS):
        amount, place = amount * 60, place + 1
    number = decimal(amount, ",.0f" if amount >= 99.5 else ".2g")
    return t(f"units.{RATE_UNITS[place]}", number=number)


def format_percent(part: int, whole: int) -> str:
    """A percentage such as `12.3%`; 0% and 100% are shown only if exact."""
    percent = 100 * part / whole if whole else 0.0
    sign = t("units.percent")
    if 0 < percent < 0.1:
        return f"< {decimal(0.1, '.1f')}{sign}"
    if 99.9 < percent < 100:
        return f"> {decimal(99.9, '.1f')}{sign}"
    return f"{decimal(percent, '.0f' if percent in (0, 100) else '.1f')}{sign}"


def format_timestamp(time: float) -> str:
    """A timestamp such as `2026-11-15 09:30:05 UTC`."""
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
