"""A Scrapy spider, tuned by its documented settings, or further (`--bare`).

Run by the Python of bench/.venv, one process for the hosts of the seeds it is given:

    python tuned_scrapy.py [--bare] pages.db URL...

Tuned with documented settings: uvloop, concurrency, no cookies, retries, referers, telnet and
statistics; a set of seen URLs in place of request fingerprints; lxml on the bytes, with links
deduplicated before can_ada resolves them; pages stored in batches.

`--bare` uses knowledge of Scrapy's source: a minimal download handler without Twisted (10 % less
CPU), one item task a page instead of a hundred (25 % less), and no middlewares for redirects, depth
and scope.
"""

import re
import sqlite3
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import can_ada
import scrapy
import zstandard
from lxml import etree
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response

BATCH_PAGES = 200
"""Pages in a transaction, as in byway."""

ANCHOR_HREFS = etree.XPath("//a/@href", smart_strings=False)
FOLLOWABLE_HREFS = etree.XPath("//a[not(contains(@rel, 'nofollow'))]/@href", smart_strings=False)
HEAD_LINK_HREFS = etree.XPath(
    "/html/head/link[@rel='next' or @rel='prev' or @rel='alternate']/@href", smart_strings=False
)
FRAME_URLS = etree.XPath("//area/@href | //iframe/@src | //frame/@src", smart_strings=False)
FRAME_TAG_PATTERN = re.compile(rb"<(?:area|i?frame)\b", re.IGNORECASE)
META_REFRESH_CONTENT = etree.XPath(
    "//meta[translate(@http-equiv, 'REFSH', 'refsh') = 'refresh']/@content", smart_strings=False
)
REFRESH_URL_PATTERN = re.compile(r"url\s*=\s*['\"]?([^'\"\s>]+)", re.IGNORECASE)
HTML_PARSER = etree.HTMLParser(encoding="utf-8", remove_comments=True)
REDIRECT_STATUSES = (301, 302, 303, 307, 308)

SETTINGS: dict[str, Any] = {
    "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
    "ROBOTSTXT_OBEY": True,
    "USER_AGENT": "byway-bench/0.1 (+https://byway.example/bot)",
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "COOKIES_ENABLED": False,
    "RETRY_ENABLED": False,
    "REFERER_ENABLED": False,
    "HTTPPROXY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "WARNING",
    "EXTENSIONS": {
        "scrapy.extensions.corestats.CoreStats": None,
        "scrapy.extensions.logcount.LogCount": None,
        "scrapy.extensions.logstats.LogStats": None,
        "scrapy.extensions.memusage.MemoryUsage": None,
    },
}

BARE_SETTINGS: dict[str, Any] = SETTINGS | {
    "TWISTED_REACTOR_ENABLED": False,
    "DOWNLOAD_HANDLERS": {
        "http": "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler",
    },
    "CONCURRENT_ITEMS": 1,  # Scrapy makes so many tasks for every page: 100 of them cost 1.3 ms
    "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 50_000_000,
    "REDIRECT_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
        "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
        "scrapy.downloadermiddlewares.stats.DownloaderStats": None,
    },
    "SPIDER_MIDDLEWARES": {
        "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,
        "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
        "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
        "scrapy.spidermiddlewares.referer.RefererMiddleware": None,
        "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,
        "scrapy.spidermiddlewares.start.StartSpiderMiddleware": None,
    },
}


class PageDatabase:
    """Pages in SQLite: address, title, text and bytes, compressed."""

    def __init__(self, path: str) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = normal")
        self._db.execute("create table page (url text, title text, text blob, body blob)")
        self._rows: list[tuple[str, str, bytes, bytes]] = []
        self._compress = zstandard.ZstdCompressor(1).compress

    def put(self, url: str, title: str, text: str, body: bytes) -> None:
        """Add a page; it is written when its batch is full."""
        packed = self._compress(text.encode("utf-8", "replace"))
        self._rows.append((url, title, packed, self._compress(body)))
        if len(self._rows) >= BATCH_PAGES:
            self.flush()

    def flush(self) -> None:
        """Write the current batch."""
        rows, self._rows = self._rows, []
        self._db.execute("begin")
        self._db.executemany("insert into page values (?, ?, ?, ?)", rows)
        self._db.execute("commit")


class DocumentationSpider(scrapy.Spider):  # type: ignore[misc]  # Scrapy is not in the venv of mypy
    """Follows every link that stays on the seeds' hosts."""

    name = "documentation"

    def __init__(self, store: PageDatabase, seeds: list[str], **rest: Any) -> None:
        super().__init__(**rest)
        self._store = store
        self._hosts = tuple({f"http://{urlsplit(seed).netloc}/" for seed in seeds})
        self._seen = set(seeds)
        self.start_urls = seeds

    async def start(self) -> Any:
        for url in self.start_urls:
            yield scrapy.Request(url)

    def parse(self, response: Response) -> Iterator[scrapy.Request]:
        if response.status in REDIRECT_STATUSES:
            place = response.headers.get("Location", b"").decode("latin-1")
            yield from self._follow(response.url, [place])
        elif response.status == 200 and response.headers["Content-Type"].startswith(b"text/html"):
            yield from self._keep(response.url, response.body)

    def closed(self, reason: str) -> None:
        self._store.flush()

    def _keep(self, url: str, body: bytes) -> Iterator[scrapy.Request]:
        root = etree.fromstring(body, HTML_PARSER) if body else None
        if root is None:
            self._store.put(url, "", "", body)
            return
        # A search in the bytes is cheaper than a walk through the tree without a match.
        links = FOLLOWABLE_HREFS(root) if b"nofollow" in body else ANCHOR_HREFS(root)
        links += HEAD_LINK_HREFS(root)
        if FRAME_TAG_PATTERN.search(body):
            links += FRAME_URLS(root)
        if b"refresh" in body.lower():
            links += [
                found[1]
                for text in META_REFRESH_CONTENT(root)
                if (found := REFRESH_URL_PATTERN.search(text))
            ]
        base = root.find(".//base[@href]")
        start = url if base is None else (can_ada.parse(url) + base.get("href")).href
        title = root.findtext(".//title") or ""
        etree.strip_elements(root, "script", "style", with_tail=False)
        self._store.put(url, title, "\n".join(root.itertext()), body)
        yield from self._follow(start, links)

    def _follow(self, base: str, hrefs: list[str]) -> Iterator[scrapy.Request]:
        start = can_ada.parse(base)
        for href in {href.partition("#")[0] for href in hrefs}:
            try:
                url = (start + href.strip()).href
            except (ValueError, TypeError):
                continue
            if url not in self._seen and url.startswith(self._hosts):
                self._seen.add(url)
                yield scrapy.Request(url)


def main() -> None:
    """Crawl from the seeds and store the pages."""
    path, *seeds = [argument for argument in sys.argv[1:] if argument != "--bare"]
    process = AsyncCrawlerProcess(BARE_SETTINGS if "--bare" in sys.argv else SETTINGS)
    process.crawl(DocumentationSpider, store=PageDatabase(path), seeds=seeds)
    process.start()


if __name__ == "__main__":
    main()
