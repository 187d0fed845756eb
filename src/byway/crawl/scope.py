"""Is this URL part of the crawl? A crawl stays where its seeds are, unless it is told to roam."""

from collections.abc import Iterable
from typing import Literal

from byway.model import Url
from byway.url import host_of, site_of

Width = Literal["host", "site", "any"]


class Scope:
    """Where a crawl may go: grows when a seed is added, never shrinks."""

    def __init__(self, width: Width, max_depth: int, seeds: Iterable[Url] = ()) -> None:
        self._width = width
        self._max_depth = max_depth
        self._hosts: set[str] = set()
        self._sites: set[str] = set()
        for seed in seeds:
            self.add(seed)

    def add(self, seed: Url) -> None:
        """Take the seed's host and site in."""
        self._hosts.add(host_of(seed))
        self._sites.add(site_of(seed))

    def refusal(self, url: Url, depth: int = 0) -> str:
        """Why this URL is not visited; nothing if it is."""
        if depth > self._max_depth:
            return f"{depth} links away from the seeds; crawl.max_depth is {self._max_depth}"
        if self._width == "host" and host_of(url) not in self._hosts:
            return f'{host_of(url)} is not a seed\'s host; crawl.scope is "host"'
        if self._width == "site" and site_of(url) not in self._sites:
            return f'{site_of(url)} is not a seed\'s site; crawl.scope is "site"'
        return ""
