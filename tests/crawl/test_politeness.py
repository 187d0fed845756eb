"""Two hundred hosts on twenty addresses: none is asked too early, however the crawl is treated."""

import asyncio
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from crawl.crowd import ManyHostServer
from pace import WAIT_TIMEOUT_SECONDS, wait_until

from byway.app.engine import Engine
from byway.core.model import UrlState
from byway.core.settings.schema import CrawlSettings, Settings
from byway.core.url import normalize
from byway.storage.sqlite.storage import SqliteStorage

HOSTS, ADDRESSES, PAGES = 200, 20, 2
DELAY = 0.1
ERRANDS = 2  # robots.txt and sitemap.xml
SLACK = 0.002
"""Our delay runs from when we had the answer; theirs from when they sent it."""


def crawl(engine: Engine, urls: list[str]) -> None:
    named = [normalize(url) for url in urls]
    asyncio.run(engine.crawl(named, lambda crawler: None))


def engine_in(path: Path, delay: float = DELAY) -> Engine:
    settings = CrawlSettings(delay=delay, allow_private=("127.0.0.0/8",), concurrency=100)
    return Engine(path, Settings(crawl=settings))


def test_no_host_and_no_address_is_asked_early(tmp_path: Path) -> None:
    with ManyHostServer(HOSTS, ADDRESSES, PAGES) as crowd:
        crawl(engine_in(tmp_path), crowd.urls)
    assert len(crowd.log) == HOSTS * (PAGES + ERRANDS)
    assert crowd.politeness_violations(DELAY - SLACK) == []


def test_pausing_keeps_everything_and_asks_for_nothing(tmp_path: Path) -> None:
    folder = SqliteStorage(tmp_path)
    with ManyHostServer(40, 4, PAGES) as crowd:
        engine = engine_in(tmp_path)
        thread = threading.Thread(target=crawl, args=(engine, crowd.urls), daemon=True)
        thread.start()
        _wait_for(crowd, 20)
        folder.set_paused(True)
        _wait_for_silence(crowd)  # what was under way ends
        before = len(crowd.log)
        time.sleep(1.0)
        assert len(crowd.log) == before < 40 * (PAGES + ERRANDS)
        folder.set_paused(False)
        thread.join()
    assert len(crowd.log) == 40 * (PAGES + ERRANDS)
    assert crowd.politeness_violations(DELAY - SLACK) == []
    with engine.search_session() as reading:
        assert reading.status().states == {UrlState.KEPT: 40 * PAGES}


def test_starting_again_after_kill_9_makes_no_burst(tmp_path: Path) -> None:
    delay = 1.5  # longer than it takes to start again
    with ManyHostServer(6, 3, PAGES) as crowd:
        for requests in (3, 5):
            _crawl_and_kill(tmp_path, crowd, delay, requests)
        crawl(engine_in(tmp_path, delay), crowd.urls)
    assert len({(asked.host, asked.path) for asked in crowd.log}) == 6 * (PAGES + ERRANDS)
    assert crowd.politeness_violations(delay - SLACK) == []


def test_a_clock_that_jumps_makes_no_burst(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance, real = random.Random(7), time.time
    monkeypatch.setattr(time, "time", lambda: real() + chance.uniform(-86_400, 86_400))
    with ManyHostServer(40, 4, PAGES) as crowd:
        crawl(engine_in(tmp_path), crowd.urls[:20])
        crawl(engine_in(tmp_path), crowd.urls)  # and begins again in another century
    assert len({(asked.host, asked.path) for asked in crowd.log}) == 40 * (PAGES + ERRANDS)
    assert crowd.politeness_violations(DELAY - SLACK) == []


def _crawl_and_kill(data: Path, crowd: ManyHostServer, delay: float, requests: int) -> None:
    options = ["--data", str(data), "--delay", str(delay), "--allow-private", "127.0.0.0/8"]
    with subprocess.Popen(
        [sys.executable, "-m", "byway", "crawl", *options, *crowd.urls],
        stdout=subprocess.DEVNULL,
    ) as process:
        _wait_for(crowd, requests)
        process.kill()


def _wait_for(crowd: ManyHostServer, requests: int) -> None:
    assert wait_until(lambda: len(crowd.log) >= requests)


def _wait_for_silence(crowd: ManyHostServer) -> None:
    end = time.monotonic() + WAIT_TIMEOUT_SECONDS
    seen = -1
    while seen != len(crowd.log):
        assert time.monotonic() < end
        seen = len(crowd.log)
        time.sleep(0.6)
