"""Sitemap fetcher: reads a host's sitemaps and sitemap indexes one after another."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable

from byway.core import content_encoding
from byway.core.errors import FetchError, UrlError
from byway.core.model import Url, Visit
from byway.core.url import host_of, normalize
from byway.crawl.http.fetcher import PageFetcher
from byway.crawl.sitemap.parser import MAX_SITEMAP_BYTES, SitemapEntry, parse

log = logging.getLogger(__name__)

MAX_SITEMAPS = 100
"""Maximum sitemaps read per host; each may list 50,000 pages."""


async def fetch_sitemap_entries(
    fetcher: PageFetcher, url: Url, sitemaps: Iterable[str], allowed: Callable[[Url], bool]
) -> AsyncIterator[tuple[SitemapEntry, ...]]:
    """The entries of a host's sitemaps, file by file; sitemaps on other hosts are skipped."""
    queue = [sitemap for text in sitemaps if (sitemap := _resolve(text, url))]
    seen: set[Url] = set()
    while queue and len(seen) < MAX_SITEMAPS:
        sitemap = queue.pop(0)
        if sitemap in seen or host_of(sitemap) != host_of(url) or not allowed(sitemap):
            continue
        seen.add(sitemap)
        try:
            page = await fetcher.fetch(Visit(sitemap), any_type=True, truncate_at=MAX_SITEMAP_BYTES)
            if page.status != 200:
                log.info("sitemap skipped url=%s status=%d", sitemap, page.status)
                continue
            content = content_encoding.decode_body(
                page.body, page.header("content-encoding"), MAX_SITEMAP_BYTES
            )
            # In a thread: the worst 50 MB sitemap took 2.4 s, and other hosts are waiting.
            parsed = await asyncio.to_thread(parse, content, sitemap)
        except FetchError as error:
            log.info("sitemap skipped url=%s reason=%s", sitemap, error.reason)
            continue
        queue += parsed.sitemaps
        yield parsed.pages


def _resolve(text: str, base: Url) -> Url | None:
    try:
        return normalize(text, base)
    except UrlError:
        return None
