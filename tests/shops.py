"""Shops to be crawled: those of the village with other prices, and two that sell the same."""

import asyncio
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

from byway.app.engine import Engine
from byway.core.settings.schema import CrawlSettings, ServeSettings, Settings
from byway.core.url import normalize
from byway.storage.sqlite.crawl_db.schema import open_to_write
from byway.storage.sqlite.storage import SqliteStorage
from byway.village import Village
from byway.village.server import SITES_FOLDER

PRODUCT_PATH = "/ru/tufli/na-tanketke-lipa.html"
SHOP_SITES = ("shop", "uppers")


def make_engine(path: Path, **serve: object) -> Engine:
    """An engine that crawls this machine at once."""
    crawl = CrawlSettings(delay=0, max_retries=0, allow_private=("127.0.0.0/8",))
    return Engine(path, Settings(crawl=crawl, serve=ServeSettings(**serve)))  # type: ignore[arg-type]


@contextmanager
def serve_village_copy(folder: Path) -> Iterator[Village]:
    """The village, served from a copy of its files that may be changed."""
    shutil.copytree(SITES_FOLDER, folder)
    with Village(sites=folder) as village:
        yield village


def edit_page(folder: Path, site: str, path: str, *changes: tuple[str, str]) -> None:
    """Other words on a page of the village."""
    file = folder / site / path.lstrip("/")
    text = file.read_text("utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    file.write_text(text, "utf-8")


def crawl_and_index(engine: Engine, seeds: list[str], revisit: bool = False) -> None:
    """Crawl and index. In a thread: whoever drives a browser has an event loop already."""

    def work() -> None:
        if revisit:  # every page is due, as it would be in a few days
            with closing(open_to_write(SqliteStorage(engine.storage.path).crawl_db)) as db:
                db.execute("update revisit set revisit_at = 0")
        due = time.time() if revisit else 0.0
        named = [] if revisit else [normalize(seed) for seed in seeds]
        asyncio.run(engine.crawl(named, lambda crawler: None, due))
        engine.index()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()


def crawl_shops_twice(data: Path, folder: Path) -> Iterator[tuple[Engine, Village]]:
    """The village's shops, crawled again after a price has fallen."""
    engine = make_engine(data)
    with serve_village_copy(folder) as village:
        seeds = [village.url(name) for name in SHOP_SITES]
        crawl_and_index(engine, seeds)
        edit_page(folder, "shop", PRODUCT_PATH, ("6290.00", "4490.00"), ("6 290 ₽", "4 490 ₽"))
        crawl_and_index(engine, seeds, revisit=True)
        yield engine, village
