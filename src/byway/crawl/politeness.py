"""When may we ask again: this host, or for this page?"""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from byway.core.model import Known, Page
from byway.core.settings.schema import CrawlSettings

DAY = 86_400.0
SOON = 5.0
"""Seconds before a second try where nobody has answered yet: a slip of the network is over then."""
LONG = 4 * SOON
"""Seconds before a third."""
BACK_OFF = 1.0
"""The least a host rests that says it is overloaded; doubled each time it says so again."""


def steady_clock() -> Callable[[], float]:
    """The time of day, as it goes on from now: setting the computer's clock does not move it."""
    start = time.time() - time.monotonic()
    return lambda: start + time.monotonic()


def rest(settings: CrawlSettings, robots_delay: float | None, troubles: int, asked: float) -> float:
    """Seconds before a host is asked again.

    `troubles`: how often in a row it did not answer well; `asked`: what its Retry-After says.
    """
    wanted = min(robots_delay or 0.0, settings.longest_delay)
    # A long delay keeps a host slow; it never makes us ignore what the host asked for.
    back_off = min(BACK_OFF * 2 ** (troubles - 1), DAY) if troubles else 0.0
    return max(settings.delay, wanted, back_off, min(asked, DAY))


def try_again_at(
    settings: CrawlSettings, tries: int, now: float, asked: float, soon: bool = False
) -> float | None:
    """When to ask for a page again that did not come; None when it was asked for often enough.

    `soon`: only hosts that never answered are left, and a person waits to hear whether any will.
    """
    if tries + 1 >= settings.tries:
        return None
    wait = min(settings.retry_after, SOON) if soon else settings.retry_after
    return now + max(wait * 4.0**tries, min(asked, DAY))


def next_interval(settings: CrawlSettings, known: Known | None, changed: bool) -> float:
    """Seconds until a page should be seen again: half as long if it changed, else half longer."""
    least, most = settings.again_least * DAY, settings.again_most * DAY
    if known is None:
        return min(4 * least, most)
    return min(max(known.interval * (0.5 if changed else 1.5), least), most)


def retry_after(page: Page, now: float) -> float:
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


MOST = 100_000
"""Addresses remembered at once; the one asked longest ago is forgotten first."""
A_MOMENT = 0.02
"""Seconds before an address that is being asked is tried again, if there is no delay."""


class Addresses:
    """One request per address at a time, and a rest in between."""

    def __init__(self, delay: float) -> None:
        # Whoever is being asked now cannot be asked again before that long.
        self._moment = max(delay, A_MOMENT)
        self._asking: set[str] = set()
        self._free_at: OrderedDict[str, float] = OrderedDict()

    def wait(self, address: str, now: float) -> float:
        """Seconds until this address may be asked; 0 if now."""
        if address in self._asking:
            return self._moment
        return max(0.0, self._free_at.get(address, 0.0) - now)

    @contextmanager
    def asking(self, address: str) -> Iterator[None]:
        """A request to this address is under way."""
        self._asking.add(address)
        try:
            yield
        finally:
            self._asking.discard(address)

    def rest(self, address: str, free_at: float) -> None:
        """Leave this address alone until then."""
        self._free_at[address] = free_at
        self._free_at.move_to_end(address)
        while len(self._free_at) > MOST:
            self._free_at.popitem(last=False)
