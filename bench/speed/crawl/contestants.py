"""Who takes part: how each crawler is started, and which pages it has kept at the end."""

import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench.speed.crawl.web import Site, Web, Witness
from bench.speed.measure import Cost, Failed, cost_of
from byway.core.errors import DataError
from byway.core.settings.schema import IndexSettings
from byway.core.url import normalise
from byway.index.tantivy_index import TantivyIndex
from byway.storage.data_folder import Folder
from byway.storage.sqlite.documents import documents_to_read

BYWAY = (sys.executable, "-m", "byway")
SCRAPY = Path(__file__).with_name("tuned_scrapy.py")


@dataclass(frozen=True, slots=True)
class Result:
    """How one crawler did."""

    name: str
    pages: frozenset[str]
    cost: Cost
    witness: Witness

    @property
    def seconds(self) -> float:
        """From the first request, as the server saw it, until the crawler had ended."""
        return self.cost.ended - self.witness.first

    @property
    def rate(self) -> float:
        """Pages a second."""
        return len(self.pages) / self.seconds

    @property
    def cpu(self) -> float:
        """Seconds of CPU for a thousand pages, the server's not counted."""
        return 1000 * self.cost.cpu / max(len(self.pages), 1)

    @property
    def server_cpu(self) -> float:
        """The same for nginx."""
        return 1000 * self.witness.cpu / max(len(self.pages), 1)

    @property
    def others(self) -> float:
        """The share of the machine that processes of other people had; above .05, run it again."""
        used = self.cost.machine - self.cost.cpu - self.witness.cpu
        return max(used, 0.0) / ((self.cost.ended - self.cost.started) * (os.cpu_count() or 1))


def crawl_command(web: Web, data: Path, command: str = "crawl") -> list[str]:
    """byway as a user starts it, but without a pause between requests, since the hosts are ours."""
    private = ["--delay", "0", "--allow-private", "127.0.0.0/8"]
    return [*BYWAY, command, *web.all_seeds, *private, "--data", str(data)]


def byway_crawl(web: Web, folder: Path) -> Result:
    """`byway crawl`."""
    data = folder / "byway"
    with web.witness() as account:
        cost = cost_of([crawl_command(web, data)], folder / "byway.log")
    return Result("byway crawl", byway_pages(data), cost, account[0])


def byway_up(web: Web, folder: Path) -> Result:
    """`byway up`: crawl, index and search page at once, until all that was kept is findable."""
    data = folder / "byway-up"
    command = [*crawl_command(web, data, "up"), "--port", "0"]
    with web.witness() as account:
        cost = cost_of([command], folder / "byway-up.log", lambda: _all_is_findable(data))
    return Result("byway up (live index)", byway_pages(data), cost, account[0])


def tuned_scrapy(web: Web, folder: Path, python: Path) -> Result:
    """Scrapy as its documentation tunes it, in one process."""
    return _scrapy(web, folder, [str(python), str(SCRAPY)], "Scrapy, tuned", [web.all_seeds])


def bare_scrapy(web: Web, folder: Path, python: Path) -> Result:
    """Scrapy with parts of it left out or replaced by unfinished ones."""
    command = [str(python), str(SCRAPY), "--bare"]
    return _scrapy(web, folder, command, "Scrapy, bare", [web.all_seeds])


def two_scrapies(web: Web, folder: Path, python: Path, weights: Callable[[Site], int]) -> Result:
    """Tuned Scrapy in two processes, which have about the same number of pages each."""
    halves: list[list[str]] = [[], []]
    sizes = [0, 0]
    for site in sorted(web.sites, key=weights, reverse=True):
        smaller = sizes.index(min(sizes))
        halves[smaller] += web.seeds(site)
        sizes[smaller] += weights(site)
    return _scrapy(web, folder, [str(python), str(SCRAPY)], "Scrapy, tuned, two", halves)


def byway_pages(data: Path) -> frozenset[str]:
    """The pages in a data folder."""
    with closing(sqlite3.connect(data / "crawl.db")) as db:
        left = db.execute("select count(*) from url where state = 'queued'").fetchone()[0]
        if left:
            raise Failed(f"byway was stopped with {left:,} URLs to go; run the benchmark again")
        return frozenset(url for (url,) in db.execute("select url from url where state = 'kept'"))


def host_counts(pages: frozenset[str]) -> Callable[[Site], int]:
    """How many of these pages each site has."""
    hosts = [urlsplit(page).hostname for page in pages]
    return lambda site: hosts.count(site.address)


def _scrapy(
    web: Web, folder: Path, command: list[str], name: str, seeds: Sequence[Sequence[str]]
) -> Result:
    stores = [folder / f"{name}-{part}.db" for part in range(len(seeds))]
    pairs = zip(stores, seeds, strict=True)
    commands = [[*command, str(store), *its] for store, its in pairs if its]
    with web.witness() as account:
        cost = cost_of(commands, folder / "scrapy.log")
    pages = frozenset().union(*map(_scrapy_pages, stores))
    return Result(name, pages, cost, account[0])


def _scrapy_pages(store: Path) -> frozenset[str]:
    with closing(sqlite3.connect(store)) as db:
        return frozenset(normalise(url) for (url,) in db.execute("select url from page"))


def _all_is_findable(data: Path) -> bool:
    """Is the crawl over, and the newest document in the index?"""
    folder = Folder(data)
    with suppress(DataError, sqlite3.OperationalError):
        if folder.is_writing("crawl") or not folder.documents_db.exists():
            return False
        with closing(documents_to_read(folder.documents_db)) as documents:
            last = documents.last()
        with closing(TantivyIndex(folder.index, IndexSettings())) as index:
            return 0 < last <= index.last()
    return False
