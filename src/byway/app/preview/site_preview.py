"""Preview of a site before a crawl: its robots.txt, its sitemaps, and an estimate of the time."""

import asyncio
from dataclasses import dataclass

from byway.core.errors import FetchError
from byway.core.messages import Reason
from byway.core.model import Url
from byway.core.settings.schema import CrawlSettings
from byway.core.url import host_of, normalize
from byway.crawl.http.fetcher import Fetcher, fetch_robots
from byway.crawl.robots import product_token
from byway.crawl.sitemap import fetch_sitemap_entries

PREVIEW_TIMEOUT_SECONDS = 15.0
"""Time limit; a preview that exceeds it is incomplete."""
MAX_SITEMAPS_SHOWN = 20
"""Maximum number of sitemaps that are listed."""


@dataclass(frozen=True, slots=True)
class SitePreview:
    """The robots.txt decision, crawl delay and sitemaps of a site not yet crawled."""

    url: Url
    host: str
    allowed: bool
    robots_reason: Reason
    """The rule of robots.txt that decides, or why it could not be read."""
    delay: float
    """Seconds between two requests."""
    sitemaps: tuple[str, ...] = ()
    sitemap_pages: int = 0
    """Number of pages in the sitemaps."""
    complete: bool = True
    """Whether all sitemaps were read within the time limit."""

    @property
    def estimated_seconds(self) -> float:
        """Minimum time to fetch all listed pages."""
        return self.sitemap_pages * max(self.delay, 0.05)


async def preview_site(url: Url, settings: CrawlSettings) -> SitePreview:
    """Fetch the robots.txt and sitemaps of a site; store nothing."""
    robot = product_token(settings.user_agent)
    async with Fetcher(settings) as fetcher:
        try:
            async with asyncio.timeout(PREVIEW_TIMEOUT_SECONDS):  # wait_for may lose a Ctrl-C
                robots = await fetch_robots(fetcher, url)
        except FetchError as error:
            return SitePreview(url, host_of(url), False, error.reason, settings.delay)
        except TimeoutError:
            return SitePreview(url, host_of(url), False, Reason("robots_slow"), settings.delay)
        decision = robots.decide(robot, url)
        crawl_delay = min(robots.crawl_delay(robot) or 0.0, settings.max_delay)
        sitemaps = robots.sitemaps or (str(normalize("/sitemap.xml", url)),)
        pages, complete = await _count_sitemap_pages(fetcher, url, sitemaps)
    return SitePreview(
        url,
        host_of(url),
        decision.allowed,
        decision.reason,
        max(settings.delay, crawl_delay),
        tuple(robots.sitemaps[:MAX_SITEMAPS_SHOWN]),
        pages,
        complete,
    )


async def _count_sitemap_pages(
    fetcher: Fetcher, url: Url, sitemaps: tuple[str, ...]
) -> tuple[int, bool]:
    """The number of pages in the sitemaps, and whether all sitemaps were read."""
    pages = 0
    try:
        async with asyncio.timeout(PREVIEW_TIMEOUT_SECONDS):
            async for found in fetch_sitemap_entries(fetcher, url, sitemaps, lambda _: True):
                pages += len(found)
    except TimeoutError:
        return pages, False
    return pages, True
