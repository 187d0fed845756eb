"""What is served while another index is built beside it and takes its place."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from web.crawled_site import crawl, engine_at, local_site, served_search
from web.fake_site import HttpBrowser

from byway.app.engine import Engine
from byway.storage.sqlite.storage import SqliteStorage

PAGES = {
    "/": "<title>Start</title><h1>Fruit</h1><p>Apples and pears <a href='/b'>b</a></p>",
    "/b": "<title>Second</title><h1>More</h1><p>Apples are good for you, say those who sell.</p>",
}
RULE = 'title = "h1"\n\n[match]\ncss = "h1"\n'


def titles(browser: HttpBrowser) -> list[str]:
    return sorted(hit["title"] for hit in browser.get("/api/v1/search", q="apples").json["hits"])


def rebuild(engine: Engine, times: int) -> None:
    for _ in range(times):
        engine.index(rebuild=True)


def test_a_rebuilt_index_is_found_without_a_restart(tmp_path: Path) -> None:
    engine = engine_at(tmp_path)
    engine.create()
    with local_site(PAGES) as site, served_search(engine) as browser:
        crawl(engine, site)
        assert titles(browser) == ["Second", "Start"]
        (tmp_path / "sites").mkdir()
        (tmp_path / "sites/fruit.toml").write_text(RULE)
        engine.index(rebuild=True)
        assert titles(browser) == ["Fruit", "More"]
        (tmp_path / "sites/fruit.toml").unlink()
        typed = [sys.executable, "-m", "byway", "index", "--rebuild", "--data", str(tmp_path)]
        subprocess.run(typed, check=True, capture_output=True)
        assert titles(browser) == ["Second", "Start"]
        assert browser.get("/api/v1/status").json["indexed"] == 2


def test_searches_work_during_a_rebuild(tmp_path: Path) -> None:
    engine = engine_at(tmp_path)
    engine.create()
    with local_site(PAGES) as site, served_search(engine) as browser, ThreadPoolExecutor(3) as pool:
        crawl(engine, site)
        working = pool.submit(rebuild, engine, 5)
        seen = set()
        while not working.done():
            asking = [pool.submit(browser.get, "/search", q="apples") for _ in range(2)]
            seen |= {each.result().status for each in asking}
        working.result()
        assert seen == {200}
        assert titles(browser) == ["Second", "Start"]


def test_the_api_shows_the_progress_of_a_rebuild(tmp_path: Path) -> None:
    engine = engine_at(tmp_path)
    engine.create()
    with local_site(PAGES) as site, served_search(engine) as browser:
        crawl(engine, site)
        # Whoever begins this is killed.
        SqliteStorage(tmp_path).begin_generation(new_documents=True)
        with engine.storage.write_lock("index"):
            told = browser.get("/api/v1/status").json
        assert told["rebuild"] == {"progress": 0.0, "is_running": True}
        assert (told["indexed"], titles(browser)) == (2, ["Second", "Start"])
        engine.index()
        assert browser.get("/api/v1/status").json["rebuild"] is None
        assert titles(browser) == ["Second", "Start"]
