"""Politeness: delays between requests, retries, revisits and Retry-After."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from byway.core.model import Page, PreviousFetch
from byway.core.settings.schema import CrawlSettings

DAY_SECONDS = 86_400.0
QUICK_RETRY_SECONDS = 5.0
"""Seconds before the second try of a host that never answered; most glitches are over by then."""
MAX_QUICK_RETRY_SECONDS = 4 * QUICK_RETRY_SECONDS
"""Seconds before the third try."""
MIN_BACK_OFF_SECONDS = 1.0
"""Back-off after a first failure; doubled for each further failure in a row."""


def steady_clock() -> Callable[[], float]:
    """A wall clock that ignores changes to the system clock."""
    start = time.time() - time.monotonic()
    return lambda: start + time.monotonic()


def request_delay(
    settings: CrawlSettings,
    robots_delay: float | None,
    consecutive_failures: int,
    retry_after_seconds: float,
) -> float:
    """Seconds until the next request to a host.

    `robots_delay` is its Crawl-delay, `retry_after_seconds` its Retry-After.
    """
    crawl_delay = min(robots_delay or 0.0, settings.max_delay)
    # `max_delay` caps Crawl-delay only; back-off and Retry-After may be longer.
    back_off = (
        min(MIN_BACK_OFF_SECONDS * 2 ** (consecutive_failures - 1), DAY_SECONDS)
        if consecutive_failures
        else 0.0
    )
    return max(settings.delay, crawl_delay, back_off, min(retry_after_seconds, DAY_SECONDS))


def next_retry_at(
    settings: CrawlSettings,
    attempts: int,
    now: float,
    retry_after_seconds: float,
    retry_soon: bool = False,
) -> float | None:
    """The time to retry a failed request; None after `max_retries`.

    `retry_soon`: only hosts that never answered are left, and a user is waiting for the result.
    """
    if attempts >= settings.max_retries:
        return None
    wait = min(settings.retry_delay, QUICK_RETRY_SECONDS) if retry_soon else settings.retry_delay
    return now + max(wait * 4.0**attempts, min(retry_after_seconds, DAY_SECONDS))


def next_revisit_interval(
    settings: CrawlSettings, known: PreviousFetch | None, changed: bool
) -> float:
    """Seconds until the next revisit: half the last interval if the page changed, else 1.5x."""
    shortest = settings.min_revisit_days * DAY_SECONDS
    longest = settings.max_revisit_days * DAY_SECONDS
    if known is None:
        return min(4 * shortest, longest)
    return min(max(known.revisit_interval * (0.5 if changed else 1.5), shortest), longest)


def parse_retry_after(page: Page, now: float) -> float:
    """Seconds to wait according to Retry-After (seconds or a date); 0 without the header."""
    value = page.header("retry-after").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.fromtimestamp(now, UTC)).total_seconds())


MAX_REMEMBERED_ADDRESSES = 100_000
"""Maximum addresses remembered; the least recently used is dropped first."""
MIN_ADDRESS_WAIT_SECONDS = 0.02
"""Seconds until a busy address is tried again, if the delay is shorter."""


class AddressPoliteness:
    """One request at a time per IP address, with a delay in between.

    Hosts that share an address share its limit.
    """

    def __init__(self, delay: float) -> None:
        self._busy_wait = max(delay, MIN_ADDRESS_WAIT_SECONDS)
        self._busy: set[str] = set()
        self._free_at: OrderedDict[str, float] = OrderedDict()

    def wait_seconds(self, address: str, now: float) -> float:
        """Seconds until this address is free; 0 if it is free now."""
        if address in self._busy:
            return self._busy_wait
        return max(0.0, self._free_at.get(address, 0.0) - now)

    @contextmanager
    def request_in_flight(self, address: str) -> Iterator[None]:
        """Mark this address as busy."""
        self._busy.add(address)
        try:
            yield
        finally:
            self._busy.discard(address)

    def delay_until(self, address: str, free_at: float) -> None:
        """Send no request to this address before `free_at`."""
        self._free_at[address] = free_at
        self._free_at.move_to_end(address)
        while len(self._free_at) > MAX_REMEMBERED_ADDRESSES:
            self._free_at.popitem(last=False)
