"""Politeness: delays between requests, retries, revisits and Retry-After; state of each host."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from byway.core.model import Page, PreviousFetch, Url, Visit
from byway.core.settings.schema import CrawlSettings
from byway.crawl.http.fetcher import Fetcher
from byway.crawl.robots import RobotsRules

DAY_SECONDS = 86_400.0
QUICK_RETRY_SECONDS = 5.0
"""Seconds before the second try of a host that never answered; most glitches are shorter."""
MAX_QUICK_RETRY_SECONDS = 4 * QUICK_RETRY_SECONDS
"""Seconds before the third try."""
MIN_BACK_OFF_SECONDS = 1.0
"""Back-off after a first failure; doubled after each further consecutive failure."""
MAX_REMEMBERED_ADDRESSES = 100_000
"""Maximum addresses remembered; the least recently used is dropped first."""
MIN_ADDRESS_WAIT_SECONDS = 0.02
"""Minimum wait in seconds before a busy address is tried again."""
ROBOTS_MAX_AGE_SECONDS = 24 * 3600.0
"""Seconds a robots.txt is cached; RFC 9309 allows at most a day."""
ROBOTS_RETRY_SECONDS = 600.0
"""Seconds until an unavailable robots.txt is refetched; until then the host is off limits."""
MAX_FEEDS_PER_HOST = 10
"""Maximum feeds read per host."""


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

    `retry_soon` shortens the wait if only hosts that never answered are left: a user is waiting.
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


class AddressPoliteness:
    """Limits each IP address to one request at a time, with a delay in between.

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


@dataclass(slots=True)
class HostState:
    """The state of one host during a crawl."""

    robots: RobotsRules | None = None
    robots_expire_at: float = 0.0
    free_at: float = 0.0
    """Time of the next allowed request."""
    delay: float = 0.0
    """Seconds between the last request and `free_at`."""
    consecutive_failures: int = 0
    """Number of consecutive failed requests: no response, 429 or 5xx."""
    has_answered: bool = False
    """Whether the host sent any response in this run."""
    retry_soon: bool = False
    """Whether to retry after short delays, because only hosts that never answered are left."""
    sitemaps_read: bool = False
    pending_feeds: list[Url] = field(default_factory=list)
    """Unread feeds that its pages link to."""
    soft_404_probed: bool = False
    """Whether the host was probed for soft 404s with a URL that cannot exist."""
    known_feeds: set[Url] = field(default_factory=set)

    def add_feeds(self, feeds: Iterable[Url]) -> None:
        """Queue feeds that a page of this host links to; they list new pages."""
        for feed in feeds:
            if feed not in self.known_feeds and len(self.known_feeds) < MAX_FEEDS_PER_HOST:
                self.known_feeds.add(feed)
                self.pending_feeds.append(feed)

    def has_fresh_robots(self, now: float) -> bool:
        """Whether its robots.txt is known and has not expired."""
        return self.robots is not None and now < self.robots_expire_at


@dataclass(slots=True)
class HostStateCache:
    """LRU cache of host states, with at most `max_hosts` entries."""

    max_hosts: int
    _hosts: OrderedDict[str, HostState] = field(default_factory=OrderedDict)

    def __getitem__(self, name: str) -> HostState:
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = HostState()
            if len(self._hosts) > self.max_hosts:
                self._hosts.popitem(last=False)
        self._hosts.move_to_end(name)
        return host


class PoliteFetcher:
    """A fetcher that waits until the host and its address are free."""

    def __init__(
        self,
        fetcher: Fetcher,
        addresses: AddressPoliteness,
        host: HostState,
        delay: Callable[[], float],
        clock: Callable[[], float],
    ) -> None:
        self._fetcher = fetcher
        self._addresses = addresses
        self._host = host
        self._delay = delay
        self._clock = clock

    async def fetch(self, target: Visit, *, any_type: bool = False, truncate_at: int = 0) -> Page:
        """The response to one GET, sent once the host and its address are free."""
        await asyncio.sleep(max(0.0, self._host.free_at - self._clock()))
        address = await self._fetcher.resolve_address(target.url)
        await self._wait_until_free(address)
        with self._addresses.request_in_flight(address):
            try:
                return await self._fetcher.fetch(target, any_type=any_type, truncate_at=truncate_at)
            finally:
                self._host.free_at = self._clock() + self._delay()
                self._addresses.delay_until(address, self._clock() + self._delay())

    async def _wait_until_free(self, address: str) -> None:
        # Another request may take the address while we sleep.
        while True:
            wait = self._addresses.wait_seconds(address, self._clock())
            if not wait:
                return
            await asyncio.sleep(wait)
