"""Which day does a text name? 2024-05-31, Fri, 31 May 2024, 31 мая 2024, 2024年5月31日 ..."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache

from byway.core.languages import all_languages

EARLIEST_DATE = date(1990, 1, 1)
"""There were no web pages before."""

MAX_DATE_CHARS = 200
"""Characters looked at."""

ISO_DATE_PATTERN = re.compile(r"\b(\d{4})-?(\d\d)-?(\d\d)(?!\d)")
#: Year first, as in China, Japan, Korea and Hungary; a month may have a name.
YEAR_FIRST_PATTERN = re.compile(
    r"(?<!\d)(\d{4})[年년./,\s]\s*([^\W\d_]+|\d{1,2})[月월./\s]+(\d{1,2})(?!\d)"
)
DAY_FIRST_PATTERN = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|\.|º|ª)?[\s,./-]+(?:de\s+|of\s+)?"
    r"([^\W\d_]+|\d{1,2})[.,/\s-]+(?:de[l]?\s+)?(\d{4})(?!\d)"
)
MONTH_FIRST_PATTERN = re.compile(r"([^\W\d_]{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)")


def plausible_date(text: str, fetched_at: float) -> str:
    """The day a text names, as 2024-05-31; nothing if it is none, or after the page was fetched."""
    day = parse_date(text)
    if day is None or day < EARLIEST_DATE:
        return ""
    # Clocks and time zones differ by a day. A page without a time of its own may say anything.
    if fetched_at and day > datetime.fromtimestamp(fetched_at, UTC).date() + timedelta(days=1):
        return ""
    return day.isoformat()


def parse_date(text: str) -> date | None:
    """The first day that a text names, in any of the ways we know."""
    text = text[:MAX_DATE_CHARS]
    if not text:
        return None
    return _iso_day(text) or _mail_day(text) or next(_written(text), None)


def _iso_day(text: str) -> date | None:
    found = ISO_DATE_PATTERN.search(text)
    return _day(*found.groups()) if found else None


def _mail_day(text: str) -> date | None:
    """HTTP writes dates as mail does: Tue, 15 Nov 1994 12:45:26 GMT."""
    try:
        return parsedate_to_datetime(text).date()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _written(text: str) -> Iterator[date]:
    """Days as people write them. 05/06/2024 is two days, depending on where, and so none."""
    for year, month, day in YEAR_FIRST_PATTERN.findall(text):
        if found := _day(year, month, day):
            yield found
    for day, month, year in DAY_FIRST_PATTERN.findall(text):
        if f"{day}/{month}/{year}" in text and int(day) < 13 and month.isdigit():
            continue
        if found := _day(year, month, day):
            yield found
    for month, day, year in MONTH_FIRST_PATTERN.findall(text):
        if found := _day(year, month, day):
            yield found


def _day(year: str, month: str, day: str) -> date | None:
    number = int(month) if month.isdigit() else _months().get(month.casefold())
    try:
        return date(int(year), number, int(day)) if number else None
    except ValueError:
        return None


@cache
def _months() -> dict[str, int]:
    """The number of each month by its names in every language."""
    return {
        name.casefold(): number
        for language in all_languages().values()
        for number, names in enumerate(language.months, 1)
        for name in names.split()
    }
