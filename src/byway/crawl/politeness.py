"""When may we ask again: this host, or for this page?"""

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
"""Seconds before a second try where nobody has answered yet: a slip of the network is over then."""
MAX_QUICK_RETRY_SECONDS = 4 * QUICK_RETRY_SECONDS
"""Seconds before a third."""
MIN_BACK_OFF_SECONDS = 1.0
"""The least a host rests that says it is overloaded; doubled each time it says so again."""


def steady_clock() -> Callable[[], float]:
    """The time of day, as it goes on from now: setting the computer's clock does not move it."""
    start = time.time() - time.monotonic()
    return lambda: start + time.monotonic()


def request_delay(
    settings: CrawlSettings,
    robots_delay: float | None,
    consecutive_failures: int,
    retry_after_seconds: float,
) -> float:
    """Seconds before a host is asked again.

    `consecutive_failures`: how often in a row it did not answer well; `retry_after_seconds`: what
    its Retry-After says.
    """
    wanted = min(robots_delay or 0.0, settings.max_delay)
    # A long delay keeps a host slow; it never makes us ignore what the host asked for.
    back_off = (
        min(MIN_BACK_OFF_SECONDS * 2 ** (consecutive_failures - 1), DAY_SECONDS)
        if consecutive_failures
        else 0.0
    )
    return max(settings.delay, wanted, back_off, min(retry_after_seconds, DAY_SECONDS))


def next_retry_at(
    settings: CrawlSettings,
    attempts: int,
    now: float,
    retry_after_seconds: float,
    retry_soon: bool = False,
) -> float | None:
    """When to ask for a page again that did not come; None when it was asked for often enough.

    `retry_soon`: only hosts that never answered are left, and a person waits to hear whether any
    will.
    """
    if attempts >= settings.max_retries:
        return None
    wait = min(settings.retry_delay, QUICK_RETRY_SECONDS) if retry_soon else settings.retry_delay
    return now + max(wait * 4.0**attempts, min(retry_after_seconds, DAY_SECONDS))


def next_revisit_interval(
    settings: CrawlSettings, known: PreviousFetch | None, changed: bool
) -> float:
    """Seconds until a page should be seen again: half as long if it changed, else half longer."""
    least, most = settings.min_revisit_days * DAY_SECONDS, settings.max_revisit_days * DAY_SECONDS
    if known is None:
        return min(4 * least, most)
    return min(max(known.revisit_interval * (0.5 if changed else 1.5), least), most)


def parse_retry_after(page: Page, now: float) -> float:
    """The seconds that a Retry-After header asks for: it may give them, or a date."""
    value = page.header("retry-after").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.fromtimestamp(now, UTC)).total_seconds())


# Who else lives there? Hosts that share an address share its patience too.


MAX_REMEMBERED_ADDRESSES = 100_000
"""Addresses remembered at once; the one asked longest ago is forgotten first."""
MIN_ADDRESS_WAIT_SECONDS = 0.02
"""Seconds before an address that is being asked is tried again, if there is no delay."""


class AddressPoliteness:
    """One request per address at a time, and a rest in between."""

    def __init__(self, delay: float) -> None:
        # Whoever is being asked now cannot be asked again before that long.
        self._moment = max(delay, MIN_ADDRESS_WAIT_SECONDS)
        self._asking: set[str] = set()
        self._free_at: OrderedDict[str, float] = OrderedDict()

    def wait_seconds(self, address: str, now: float) -> float:
        """Seconds until this address may be asked; 0 if now."""
        if address in self._asking:
            return self._moment
        return max(0.0, self._free_at.get(address, 0.0) - now)

    @contextmanager
    def request_in_flight(self, address: str) -> Iterator[None]:
        """A request to this address is under way."""
        self._asking.add(address)
        try:
            yield
        finally:
            self._asking.discard(address)

    def delay_until(self, address: str, free_at: float) -> None:
        """Leave this address alone until then."""
        self._free_at[address] = free_at
        self._free_at.move_to_end(address)
        while len(self._free_at) > MAX_REMEMBERED_ADDRESSES:
            self._free_at.popitem(last=False)
