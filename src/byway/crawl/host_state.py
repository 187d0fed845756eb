"""What has this host asked of us? Its robots.txt, its sitemaps and how it is doing, remembered."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from byway.core.model import Url
from byway.crawl.robots.parser import RobotsRules

ROBOTS_MAX_AGE_SECONDS = 24 * 3600.0
"""Seconds a robots.txt holds; RFC 9309 says a day at most."""
ROBOTS_RETRY_SECONDS = 600.0
"""A robots.txt that could not be had closes the host; it is asked for again this much later."""
MAX_FEEDS_PER_HOST = 10
"""Feeds of one host that are looked at."""


@dataclass(slots=True)
class HostState:
    """One host's manners with us, and ours with it."""

    robots: RobotsRules | None = None
    robots_expire_at: float = 0.0
    free_at: float = 0.0
    """When it may be asked again."""
    delay: float = 0.0
    """Seconds it was last left alone."""
    consecutive_failures: int = 0
    """How often in a row it did not answer well."""
    has_answered: bool = False
    """Has it answered in this run, whatever it was?"""
    retry_soon: bool = False
    """Is only it, and others that never answered, waited for?"""
    sitemaps_read: bool = False
    pending_feeds: list[Url] = field(default_factory=list)
    """Feeds its pages name, not looked at yet."""
    soft_404_probed: bool = False
    """Do we know what it says when there is no such page?"""
    known_feeds: set[Url] = field(default_factory=set)

    def add_feeds(self, feeds: Iterable[Url]) -> None:
        """Remember feeds of its own that a page names; they list what is new there."""
        for feed in feeds:
            if feed not in self.known_feeds and len(self.known_feeds) < MAX_FEEDS_PER_HOST:
                self.known_feeds.add(feed)
                self.pending_feeds.append(feed)

    def has_fresh_robots(self, now: float) -> bool:
        """Is its robots.txt known and fresh?"""
        return self.robots is not None and now < self.robots_expire_at


@dataclass(slots=True)
class HostStateCache:
    """The hosts we have dealt with lately; of more than `max_hosts`, the first are forgotten."""

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
