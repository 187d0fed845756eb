"""What has this host asked of us? Its robots.txt, its sitemaps and how it is doing, remembered."""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from byway.core.model import Url
from byway.crawl.robots.parser import Robots

KEPT_FOR = 24 * 3600.0
"""Seconds a robots.txt holds; RFC 9309 says a day at most."""
KEPT_FOR_IN_TROUBLE = 600.0
"""A robots.txt that could not be had closes the host; it is asked for again this much later."""
MOST_FEEDS = 10
"""Feeds of one host that are looked at."""


@dataclass(slots=True)
class Host:
    """One host's manners with us, and ours with it."""

    robots: Robots | None = None
    expires: float = 0.0
    free_at: float = 0.0
    """When it may be asked again."""
    rest: float = 0.0
    """Seconds it was last left alone."""
    troubles: int = 0
    """How often in a row it did not answer well."""
    answered: bool = False
    """Has it answered in this run, whatever it was?"""
    hurried: bool = False
    """Is only it, and others that never answered, waited for?"""
    sitemaps_read: bool = False
    feeds: list[Url] = field(default_factory=list)
    """Feeds its pages name, not looked at yet."""
    probed: bool = False
    """Do we know what it says when there is no such page?"""
    known_feeds: set[Url] = field(default_factory=set)

    def note_feeds(self, feeds: Iterable[Url]) -> None:
        """Remember feeds of its own that a page names; they list what is new there."""
        for feed in feeds:
            if feed not in self.known_feeds and len(self.known_feeds) < MOST_FEEDS:
                self.known_feeds.add(feed)
                self.feeds.append(feed)

    def knows_rules(self, now: float) -> bool:
        """Is its robots.txt known and fresh?"""
        return self.robots is not None and now < self.expires


@dataclass(slots=True)
class Hosts:
    """The hosts we have dealt with lately; of more than `most`, the first are forgotten."""

    most: int
    _hosts: OrderedDict[str, Host] = field(default_factory=OrderedDict)

    def __getitem__(self, name: str) -> Host:
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = Host()
            if len(self._hosts) > self.most:
                self._hosts.popitem(last=False)
        self._hosts.move_to_end(name)
        return host
