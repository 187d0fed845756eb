"""Checks URLs against a robots.txt, fetched and parsed as in a crawl."""

import asyncio
from pathlib import Path

from byway.core.errors import UsageError
from byway.core.model import Url
from byway.core.model.url_state import RobotsDecision
from byway.core.settings.schema import CrawlSettings
from byway.core.url import host_of, normalize
from byway.crawl.robots import (
    MAX_ROBOTS_BYTES,
    WILDCARD_AGENT,
    RobotsRules,
    parse,
    product_token,
)


class RobotsCheck:
    """The rules of a robots.txt for one robot."""

    def __init__(self, source: Url | Path, user_agent: str, settings: CrawlSettings) -> None:
        """`source`: a robots.txt file, or any URL on the host to fetch it from.

        `user_agent`: the robot's name or full user agent, or `*` for any other robot.
        """
        name = user_agent.strip()
        self._token = WILDCARD_AGENT if name == WILDCARD_AGENT else product_token(name)
        if not self._token:
            raise UsageError("app.wrong_user_agent", user_agent=repr(user_agent))
        self._host_url = None if isinstance(source, Path) else source
        self._rules = (
            _read(source) if isinstance(source, Path) else asyncio.run(_fetch(source, settings))
        )

    @property
    def crawl_delay(self) -> float | None:
        """The Crawl-delay for this robot in seconds."""
        return self._rules.crawl_delay(self._token)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps listed in the robots.txt."""
        return tuple(self._rules.sitemaps)

    def decide(self, url: Url) -> RobotsDecision:
        """Whether the robot may fetch a URL; raises an error if another robots.txt applies."""
        if self._host_url and _origin(self._host_url) != _origin(url):
            start = normalize("/", self._host_url)
            raise UsageError("app.robots_other_host", url=url, start=start)
        return self._rules.decide(self._token, url)


def _origin(url: Url) -> tuple[str, str]:
    return url.partition(":")[0], host_of(url)


def _read(path: Path) -> RobotsRules:
    with path.open("rb") as file:
        return parse(file.read(MAX_ROBOTS_BYTES + 1))


async def _fetch(url: Url, settings: CrawlSettings) -> RobotsRules:
    from byway.crawl.http.fetcher import Fetcher, fetch_robots  # lazy: a file needs no network

    async with Fetcher(settings) as fetcher:
        return await fetch_robots(fetcher, url)
