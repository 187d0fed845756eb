"""What would a crawl of this site meet? Its robots.txt and sitemaps, and a guess at the time."""

import asyncio
import time
from dataclasses import dataclass

from byway.core.errors import FetchError
from byway.core.model import Url
from byway.core.settings.schema import CrawlSettings
from byway.core.url import host_of, normalise
from byway.crawl.http.fetcher import Fetcher, fetch_robots
from byway.crawl.http.ssrf_guard import Guard
from byway.crawl.robots.parser import product_token
from byway.crawl.sitemap.fetch import listed

SECONDS = 15.0
"""After this long we say what we know."""
SHOWN = 20
"""Lines of robots.txt's answer and sitemaps that are shown."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What is known of a site before it is crawled."""

    url: Url
    host: str
    allowed: bool
    why: str
    """The rule of robots.txt that decides, or why it could not be read."""
    delay: float
    """Seconds between two requests."""
    sitemaps: tuple[str, ...] = ()
    listed: int = 0
    """Pages that the sitemaps list."""
    complete: bool = True
    """Whether all sitemaps were read in the time we take."""

    @property
    def seconds(self) -> float:
        """How long it takes to fetch what is listed, at least."""
        return self.listed * max(self.delay, 0.05)


async def preview(url: Url, settings: CrawlSettings) -> Preview:
    """Ask the site for its robots.txt and sitemaps; nothing is stored."""
    robot = product_token(settings.user_agent)
    async with Fetcher(settings, Guard(settings.allow_private), time.time) as fetcher:
        try:
            async with asyncio.timeout(SECONDS):  # wait_for may lose a Ctrl-C
                robots = await fetch_robots(fetcher, url)
        except FetchError as error:
            return Preview(url, host_of(url), False, str(error), settings.delay)
        except TimeoutError:
            return Preview(url, host_of(url), False, "robots.txt is slow to come", settings.delay)
        decision = robots.decide(robot, url)
        asked = min(robots.crawl_delay(robot) or 0.0, settings.longest_delay)
        sitemaps = robots.sitemaps or (str(normalise("/sitemap.xml", url)),)
        pages, complete = await _count(fetcher, url, sitemaps)
    why = decision.rule or "no rule speaks of it"
    return Preview(
        url,
        host_of(url),
        decision.allowed,
        f"line {decision.line}: {why}" if decision.line else why,
        max(settings.delay, asked),
        tuple(robots.sitemaps[:SHOWN]),
        pages,
        complete,
    )


async def _count(fetcher: Fetcher, url: Url, sitemaps: tuple[str, ...]) -> tuple[int, bool]:
    """How many pages the sitemaps list, and whether that is all of them."""
    pages = 0
    try:
        async with asyncio.timeout(SECONDS):
            async for found in listed(fetcher, url, sitemaps, lambda _: True):
                pages += len(found)
    except TimeoutError:
        return pages, False
    return pages, True
