"""The crawlers of the benchmark: their commands, and the pages that each has stored."""

import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench.speed.crawl.web import AccessLogSummary, BenchSite, ServedSites
from bench.speed.measure import ProcessCost, ProcessFailed, measure_cost
from byway.core.errors import DataError
from byway.core.settings.schema import IndexSettings
from byway.core.url import normalize
from byway.index.sharded_index import ShardedIndex
from byway.search.rank.position_features import position_features
from byway.storage.sqlite.documents import open_documents_to_read
from byway.storage.sqlite.storage import SqliteStorage

BYWAY_COMMAND = (sys.executable, "-m", "byway")
SCRAPY_SCRIPT = Path(__file__).with_name("tuned_scrapy.py")


@dataclass(frozen=True, slots=True)
class CrawlerResult:
    """The result of one crawler."""

    name: str
    pages: frozenset[str]
    cost: ProcessCost
    access_log: AccessLogSummary

    @property
    def seconds(self) -> float:
        """From the first request in the server's log until the end of the crawler."""
        return self.cost.ended_at - self.access_log.first_request_at

    @property
    def pages_per_second(self) -> float:
        """Pages a second."""
        return len(self.pages) / self.seconds

    @property
    def cpu_seconds_per_1000_pages(self) -> float:
        """CPU seconds for a thousand pages, without the server."""
        return 1000 * self.cost.cpu_seconds / max(len(self.pages), 1)

    @property
    def server_cpu_seconds_per_1000_pages(self) -> float:
        """CPU seconds of nginx for a thousand pages."""
        return 1000 * self.access_log.cpu_seconds / max(len(self.pages), 1)

    @property
    def other_load_share(self) -> float:
        """The share of the machine that other processes used; above .05, run it again."""
        used = self.cost.machine_cpu_seconds - self.cost.cpu_seconds - self.access_log.cpu_seconds
        return max(used, 0.0) / (
            (self.cost.ended_at - self.cost.started_at) * (os.cpu_count() or 1)
        )


def crawl_command(web: ServedSites, data: Path, command: str = "crawl") -> list[str]:
    """byway's default command, without a delay between requests, since the hosts are local."""
    private = ["--delay", "0", "--allow-private", "127.0.0.0/8"]
    return [*BYWAY_COMMAND, command, *web.all_seeds, *private, "--data", str(data)]


def byway_crawl(web: ServedSites, folder: Path) -> CrawlerResult:
    """`byway crawl`."""
    data = folder / "byway"
    with web.summarize_access() as account:
        cost = measure_cost([crawl_command(web, data)], folder / "byway.log")
    return CrawlerResult("byway crawl", byway_pages(data), cost, account[0])


def byway_up(web: ServedSites, folder: Path) -> CrawlerResult:
    """`byway up`: crawl, index and serve at once, until all pages are indexed."""
    data = folder / "byway-up"
    command = [*crawl_command(web, data, "up"), "--port", "0"]
    with web.summarize_access() as account:
        cost = measure_cost([command], folder / "byway-up.log", lambda: _all_is_indexed(data))
    return CrawlerResult("byway up (live index)", byway_pages(data), cost, account[0])


def tuned_scrapy(web: ServedSites, folder: Path, python: Path) -> CrawlerResult:
    """Scrapy, tuned as its documentation says, in one process."""
    return _scrapy(web, folder, [str(python), str(SCRAPY_SCRIPT)], "Scrapy, tuned", [web.all_seeds])


def bare_scrapy(web: ServedSites, folder: Path, python: Path) -> CrawlerResult:
    """Scrapy with some parts left out or replaced by minimal ones."""
    command = [str(python), str(SCRAPY_SCRIPT), "--bare"]
    return _scrapy(web, folder, command, "Scrapy, bare", [web.all_seeds])


def two_process_scrapy(
    web: ServedSites, folder: Path, python: Path, page_count: Callable[[BenchSite], int]
) -> CrawlerResult:
    """Tuned Scrapy in two processes with about the same number of pages each."""
    halves: list[list[str]] = [[], []]
    sizes = [0, 0]
    for site in sorted(web.sites, key=page_count, reverse=True):
        smaller = sizes.index(min(sizes))
        halves[smaller] += web.seeds(site)
        sizes[smaller] += page_count(site)
    return _scrapy(web, folder, [str(python), str(SCRAPY_SCRIPT)], "Scrapy, tuned, two", halves)


def byway_pages(data: Path) -> frozenset[str]:
    """The pages in a data folder."""
    with closing(sqlite3.connect(data / "crawl.db")) as db:
        left = db.execute("select count(*) from url where state = 'queued'").fetchone()[0]
        if left:
            raise ProcessFailed(
                f"byway was stopped with {left:,} URLs left; run the benchmark again"
            )
        return frozenset(url for (url,) in db.execute("select url from url where state = 'kept'"))


def page_counter(pages: frozenset[str]) -> Callable[[BenchSite], int]:
    """A function that counts these pages by site."""
    hosts = [urlsplit(page).hostname for page in pages]
    return lambda site: hosts.count(site.address)


def _scrapy(
    web: ServedSites, folder: Path, command: list[str], name: str, seeds: Sequence[Sequence[str]]
) -> CrawlerResult:
    stores = [folder / f"{name}-{part}.db" for part in range(len(seeds))]
    pairs = zip(stores, seeds, strict=True)
    commands = [[*command, str(store), *some] for store, some in pairs if some]
    with web.summarize_access() as account:
        cost = measure_cost(commands, folder / "scrapy.log")
    pages = frozenset().union(*map(_scrapy_pages, stores))
    return CrawlerResult(name, pages, cost, account[0])


def _scrapy_pages(store: Path) -> frozenset[str]:
    with closing(sqlite3.connect(store)) as db:
        return frozenset(normalize(url) for (url,) in db.execute("select url from page"))


def _all_is_indexed(data: Path) -> bool:
    """Is the crawl over, and the newest document in the index?"""
    folder = SqliteStorage(data)
    with suppress(DataError, sqlite3.OperationalError):
        if folder.is_locked("crawl") or not folder.documents_db.exists():
            return False
        with closing(open_documents_to_read(folder.documents_db)) as documents:
            last = documents.last_sequence()
        with closing(ShardedIndex(folder.index, IndexSettings(), position_features)) as index:
            return 0 < last <= index.committed_sequence()
    return False
