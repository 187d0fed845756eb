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
from byway.core.url import normalise
from byway.storage.sqlite.crawl_db.schema import open_to_write
from byway.village import Village
from byway.village.server import SITES

LIPA = "/ru/tufli/na-tanketke-lipa.html"
SHOPS = ("shop", "uppers")


def engine_of(path: Path, **serve: object) -> Engine:
    """An engine that crawls this machine at once."""
    crawl = CrawlSettings(delay=0, tries=1, allow_private=("127.0.0.0/8",))
    return Engine(path, Settings(crawl=crawl, serve=ServeSettings(**serve)))  # type: ignore[arg-type]


@contextmanager
def village_of(folder: Path) -> Iterator[Village]:
    """The village, served from a copy of its files that may be changed."""
    shutil.copytree(SITES, folder)
    with Village(sites=folder) as village:
        yield village


def change(folder: Path, site: str, path: str, *changes: tuple[str, str]) -> None:
    """Other words on a page of the village."""
    file = folder / site / path.lstrip("/")
    text = file.read_text("utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    file.write_text(text, "utf-8")


def visit(engine: Engine, seeds: list[str], again: bool = False) -> None:
    """Crawl and index. In a thread: whoever drives a browser has an event loop already."""

    def work() -> None:
        if again:  # every page is due, as it would be in a few days
            with closing(open_to_write(engine.folder.crawl_db)) as db:
                db.execute("update latest set again_at = 0")
        due = time.time() if again else 0.0
        named = [] if again else [normalise(seed) for seed in seeds]
        asyncio.run(engine.crawl(named, lambda crawler: None, due))
        engine.index()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(work).result()


def visited_twice(data: Path, folder: Path) -> Iterator[tuple[Engine, Village]]:
    """The village's shops, crawled again after a price has fallen."""
    engine = engine_of(data)
    with village_of(folder) as village:
        seeds = [village.url(name) for name in SHOPS]
        visit(engine, seeds)
        change(folder, "shop", LIPA, ("6290.00", "4490.00"), ("6 290 ₽", "4 490 ₽"))
        visit(engine, seeds, again=True)
        yield engine, village
