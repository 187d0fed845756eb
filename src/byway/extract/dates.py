"""Date parser: 2024-05-31, Fri, 31 May 2024, 31 мая 2024, 2024年5月31日 ..."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache

from byway.core.languages import all_languages

EARLIEST_DATE = date(1990, 1, 1)
"""Start of the web; earlier dates are mistakes."""

MAX_DATE_CHARS = 200
"""Maximum characters searched for a date."""

ISO_DATE_PATTERN = re.compile(r"\b(\d{4})-?(\d\d)-?(\d\d)(?!\d)")
#: Year first, as in China, Japan, Korea and Hungary; the month may be a name.
YEAR_FIRST_PATTERN = re.compile(
    r"(?<!\d)(\d{4})[年년./,\s]\s*([^\W\d_]+|\d{1,2})[月월./\s]+(\d{1,2})(?!\d)"
)
DAY_FIRST_PATTERN = re.compile(
    r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|\.|º|ª)?[\s,./-]+(?:de\s+|of\s+)?"
    r"([^\W\d_]+|\d{1,2})[.,/\s-]+(?:de[l]?\s+)?(\d{4})(?!\d)"
)
MONTH_FIRST_PATTERN = re.compile(r"([^\W\d_]{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)")


def plausible_date(text: str, fetched_at: float) -> str:
    """The date in a text, as 2024-05-31; empty if there is none or it is after the fetch."""
    day = parse_date(text)
    if day is None or day < EARLIEST_DATE:
        return ""
    # Clocks and time zones may differ by a day. Without a fetch time, any later date is accepted.
    if fetched_at and day > datetime.fromtimestamp(fetched_at, UTC).date() + timedelta(days=1):
        return ""
    return day.isoformat()


def parse_date(text: str) -> date | None:
    """The first date in a text, in any known notation."""
    text = text[:MAX_DATE_CHARS]
    if not text:
        return None
    return _iso_date(text) or _header_date(text) or next(_written_dates(text), None)


def _iso_date(text: str) -> date | None:
    match = ISO_DATE_PATTERN.search(text)
    return _valid_date(*match.groups()) if match else None


def _header_date(text: str) -> date | None:
    """A date in HTTP or mail header format: Tue, 15 Nov 1994 12:45:26 GMT."""
    try:
        return parsedate_to_datetime(text).date()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _written_dates(text: str) -> Iterator[date]:
    """Dates in prose; 05/06/2024 is ambiguous and skipped."""
    for year, month, day in YEAR_FIRST_PATTERN.findall(text):
        if valid := _valid_date(year, month, day):
            yield valid
    for day, month, year in DAY_FIRST_PATTERN.findall(text):
        if f"{day}/{month}/{year}" in text and int(day) < 13 and month.isdigit():
            continue
        if valid := _valid_date(year, month, day):
            yield valid
    for month, day, year in MONTH_FIRST_PATTERN.findall(text):
        if valid := _valid_date(year, month, day):
            yield valid


def _valid_date(year: str, month: str, day: str) -> date | None:
    number = int(month) if month.isdigit() else _months().get(month.casefold())
    try:
        return date(int(year), number, int(day)) if number else None
    except ValueError:
        return None


@cache
def _months() -> dict[str, int]:
    """Month numbers by name, in every language."""
    return {
        name.casefold(): number
        for language in all_languages().values()
        for number, names in enumerate(language.months, 1)
        for name in names.split()
    }
