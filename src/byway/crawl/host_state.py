"""In-memory state of each host: robots.txt, feeds, politeness and failures."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from byway.core.model import Url
from byway.crawl.robots.parser import RobotsRules

ROBOTS_MAX_AGE_SECONDS = 24 * 3600.0
"""Seconds a robots.txt is cached; RFC 9309 allows at most a day."""
ROBOTS_RETRY_SECONDS = 600.0
"""Seconds until an unavailable robots.txt is refetched; until then the host is off limits."""
MAX_FEEDS_PER_HOST = 10
"""Maximum feeds read per host."""


@dataclass(slots=True)
class HostState:
    """The crawl's knowledge of one host."""

    robots: RobotsRules | None = None
    robots_expire_at: float = 0.0
    free_at: float = 0.0
    """Time of the next allowed request."""
    delay: float = 0.0
    """Seconds between the last request and `free_at`."""
    consecutive_failures: int = 0
    """Failed requests in a row: no response, 429 or 5xx."""
    has_answered: bool = False
    """Whether the host sent any response in this run."""
    retry_soon: bool = False
    """Retry with short delays: only hosts that never answered are left."""
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
