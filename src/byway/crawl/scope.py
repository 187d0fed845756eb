"""Crawl scope: limits the URLs of a crawl by seeds, patterns and depth."""

import re
from collections.abc import Iterable

from byway.core.model import Url
from byway.core.model.message import NO_REASON, Reason
from byway.core.settings.schema import CrawlSettings
from byway.core.url import host_of, path_of, site_of


class Scope:
    """The scope of one job; seeds can be added but not removed."""

    def __init__(self, settings: CrawlSettings, seeds: Iterable[Url] = ()) -> None:
        self._settings = settings
        self.keep_pattern = settings.keep_pattern
        self._host = re.compile(settings.host_pattern) if settings.host_pattern else None
        self._path = re.compile(settings.path_pattern) if settings.path_pattern else None
        self._keep = re.compile(settings.keep_pattern) if settings.keep_pattern else None
        self._hosts: set[str] = set()
        self._sites: set[str] = set()
        for seed in seeds:
            self.add(seed)

    def add(self, seed: Url) -> None:
        """Add the seed's host and site."""
        self._hosts.add(host_of(seed))
        self._sites.add(site_of(seed))

    def refusal(self, url: Url, depth: int = 0, source: Url | None = None) -> Reason:
        """The reason this URL, linked from `source`, is out of scope; empty if it is in scope."""
        settings = self._settings
        if depth > settings.max_depth:
            return Reason("too_deep", depth=depth, max_depth=settings.max_depth)
        if source and settings.firewall and site_of(url) != site_of(source):
            return Reason("other_site", site=site_of(source))
        if self._path and not self._path.search(path_of(url)):
            return Reason("path_mismatch", pattern=settings.path_pattern)
        return self._host_refusal(url)

    def keeps(self, url: Url) -> bool:
        """Whether the page itself is kept, not just its links."""
        return not self._keep or bool(self._keep.search(path_of(url)))

    def _host_refusal(self, url: Url) -> Reason:
        host, width = host_of(url), self._settings.scope
        if self._host:
            matches = self._host.search(host)
            pattern = self._settings.host_pattern
            return NO_REASON if matches else Reason("host_mismatch", host=host, pattern=pattern)
        if width == "host" and host not in self._hosts:
            return Reason("not_seed_host", host=host)
        if width == "site" and site_of(url) not in self._sites:
            return Reason("not_seed_site", site=site_of(url))
        return NO_REASON
