"""Which pages does a host list? Its sitemaps fetched one after the other, and those they name."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

from byway import body
from byway.crawl.fetch import Fetcher
from byway.crawl.sitemap import MOST_BYTES, parse
from byway.errors import FetchError, UrlError
from byway.model import Url, Visit
from byway.url import normalise

log = logging.getLogger(__name__)

MOST = 100
"""Sitemaps of one host that are read; each may list 50,000 pages."""


async def listed(
    fetcher: Fetcher, url: Url, sitemaps: Iterable[str], between: Callable[[], Awaitable[None]]
) -> AsyncIterator[list[Url]]:
    """The pages in a host's sitemaps, file by file; `between` is awaited before each request."""
    waiting = [made for text in sitemaps if (made := _url(text, url))]
    seen: set[Url] = set()
    while waiting and len(seen) < MOST:
        sitemap = waiting.pop(0)
        if sitemap in seen:
            continue
        seen.add(sitemap)
        await between()
        try:
            page = await fetcher.fetch(Visit(sitemap), any_type=True, first=MOST_BYTES)
            if page.status != 200:
                log.info("sitemap skipped url=%s status=%d", sitemap, page.status)
                continue
            content = body.decoded(page.body, page.header("content-encoding"), MOST_BYTES)
            # The worst of 50 MB took 2.4 s, and other hosts are waiting.
            read = await asyncio.to_thread(parse, content, sitemap)
        except FetchError as error:
            log.info("sitemap skipped url=%s reason=%s", sitemap, error)
            continue
        waiting += read.sitemaps
        yield [entry.url for entry in read.pages]


def _url(text: str, base: Url) -> Url | None:
    try:
        return normalise(text, base)
    except UrlError:
        return None
