"""Pages are seen again: asked for politely, replaced when they changed, forgotten when gone."""

import asyncio
import http.server
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cli.runner import byway, error_line
from serving import QuickShutdownServer

from byway.app.engine import Engine
from byway.app.preview.recrawl_preview import RecrawlDifferences, preview_recrawl
from byway.core.messages import t
from byway.core.model import Query, UrlState
from byway.core.settings.schema import CrawlSettings, Settings
from byway.core.url import normalize
from byway.storage.sqlite.crawl_db.schema import open_to_write
from byway.storage.sqlite.storage import SqliteStorage


class Site:
    """A site whose pages a test can change; it answers 304 when nothing has."""

    def __init__(self) -> None:
        self.pages = {"/": "<a href=/a>a</a> <a href=/b>b</a>", "/a": "apples", "/b": "bananas"}
        self.asked: list[tuple[str, int]] = []
        self.errands: list[str] = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                page = site.pages.get(self.path)
                tag = f'"{hash(page)}"'
                status = 404 if page is None else 200
                if page and self.headers.get("If-None-Match") == tag:
                    status = 304
                if self.path in ("/robots.txt", "/sitemap.xml"):
                    site.errands.append(self.path)
                else:
                    site.asked.append((self.path, status))
                self.send_response(status)
                self.send_header("ETag", tag)
                self.send_header("Content-Type", "text/html")
                body = (page or "").encode() if status == 200 else b""
                if status != 304:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        self.server = QuickShutdownServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    thread = threading.Thread(target=made.server.serve_forever)
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    crawl = CrawlSettings(delay=0, max_retries=0, allow_private=("127.0.0.0/8",))
    return Engine(tmp_path, Settings(crawl=crawl))


def crawl(engine: Engine, *urls: str, again: bool = False) -> None:
    named = [normalize(url) for url in urls]
    asyncio.run(engine.crawl(named, lambda crawler: None, time.time() if again else 0.0))
    engine.index()


def let_time_pass(engine: Engine) -> None:
    """All pages are due, as they would be in a few days."""
    with closing(open_to_write(SqliteStorage(engine.storage.path).crawl_db)) as db:
        db.execute("update revisit set revisit_at = 0, checked_at = checked_at - 400000")
        db.execute("update robots_txt set fetched_at = fetched_at - 400000")


def found(engine: Engine, word: str) -> int:
    with engine.search_session() as reading:
        return reading.search(Query(word, include_duplicates=True)).total


def state(engine: Engine, url: str) -> UrlState:
    with engine.search_session() as reading:
        record = reading.catalog.find_url(normalize(url))
    assert record
    return record.state


def test_unchanged_pages_are_not_sent_again(engine: Engine, site: Site) -> None:
    crawl(engine, site.url)
    site.asked.clear()
    crawl(engine, again=True)
    assert site.asked == []  # it is not yet time
    let_time_pass(engine)
    crawl(engine, again=True)
    assert sorted(site.asked) == [("/", 304), ("/a", 304), ("/b", 304)]
    site.asked.clear()
    crawl(engine, again=True)
    assert site.asked == []


def test_a_changed_page_takes_the_place_of_the_old_one(engine: Engine, site: Site) -> None:
    crawl(engine, site.url)
    site.pages["/a"] = "oranges"
    let_time_pass(engine)
    crawl(engine, again=True)
    assert (found(engine, "apples"), found(engine, "oranges")) == (0, 1)


def test_a_page_is_forgotten_when_it_is_missing_twice(engine: Engine, site: Site) -> None:
    crawl(engine, site.url)
    del site.pages["/a"]
    let_time_pass(engine)
    crawl(engine, again=True)
    assert (found(engine, "apples"), state(engine, site.url + "a")) == (1, UrlState.KEPT)
    let_time_pass(engine)
    crawl(engine, again=True)
    assert (found(engine, "apples"), state(engine, site.url + "a")) == (0, UrlState.MISSING)
    engine.index(rebuild=True)
    assert (found(engine, "apples"), found(engine, "bananas")) == (0, 1)


def test_a_page_is_not_gone_because_it_was_missing_twice_within_an_hour(
    tmp_path: Path, site: Site
) -> None:
    local = ("--allow-private", "127.0.0.0/8", "--delay", 0, "--data", tmp_path)
    byway("crawl", site.url, *local)
    soon = byway("explain", "apples", f"{site.url}a", "--data", tmp_path).stdout
    advised = f"`byway index --data {tmp_path}`"
    assert soon == f"This page is not indexed yet. Run {advised}.\n"
    byway("index", "--data", tmp_path)
    del site.pages["/a"]
    for _ in range(3):
        said = byway("crawl", "--recrawl-all", *local).stdout
        assert "0 pages fetched in this run, 3 kept in total, 2 unchanged, 1 missing (" in said
        assert "gone" not in said and "failed" not in said
    told = byway("explain", "apples", f"{site.url}a", "--data", tmp_path).stdout
    assert told.startswith("position 1 of 1\nscore")
    why = byway("explain", "pears", f"{site.url}a", "--data", tmp_path).stdout
    assert why.startswith(
        "This page is indexed (HTTP 404 Not Found on the last visit), but does not"
    )


def test_a_page_that_is_gone_is_not_counted_among_what_failed(engine: Engine, site: Site) -> None:
    crawl(engine, site.url)
    del site.pages["/a"]
    let_time_pass(engine)
    crawl(engine, again=True)
    let_time_pass(engine)
    ended = asyncio.run(engine.crawl([], lambda crawler: None, time.time()))
    assert (ended.gone, ended.failed, ended.unchanged, ended.kept) == (1, 0, 2, 2)


def test_pages_that_could_not_be_seen_again_are_counted_with_the_cure(
    tmp_path: Path, site: Site
) -> None:
    data = ("--delay", 0, "--data", tmp_path)
    byway("crawl", site.url, "--allow-private", "127.0.0.0/8", *data)
    ran = byway("crawl", "--recrawl-all", *data)
    assert ran.exit_code == 1
    said = ran.stdout
    assert "3 kept in total, 3 not revisited" in said
    assert "Most common reason: could not be revisited: 127.0.0.1 is not public" in said
    assert "--allow-private 127.0.0.0/8" in said
    assert "No page is due" not in said


def test_a_look_at_pages_that_are_as_before_ends_well(tmp_path: Path, site: Site) -> None:
    local = ("--allow-private", "127.0.0.0/8", "--delay", 0, "--data", tmp_path)
    byway("crawl", site.url, *local)
    assert byway("crawl", "--recrawl-all", *local).exit_code == 0
    assert byway("crawl", "--recrawl", *local).exit_code == 0  # nothing is due, and that is well


def test_a_host_that_does_not_answer_is_named_with_when_it_is_tried_again(
    tmp_path: Path, site: Site
) -> None:
    local = ("--allow-private", "127.0.0.0/8", "--delay", 0, "--data", tmp_path)
    site.pages = {"/": "apples"}
    byway("crawl", site.url, *local)
    site.server.shutdown()
    site.server.server_close()
    also = ("--set", "crawl.max_retries=1", "--set", "crawl.retry_delay=7")
    ran = byway("crawl", "--recrawl-all", *local, *also)
    host = site.url.removeprefix("http://").rstrip("/")
    assert re.search(
        rf"{host}: connection refused by {host}; next attempt in [4567] s\n", ran.stderr
    )
    assert ran.exit_code == 1


def test_a_crawl_of_which_all_that_is_left_is_blocked_has_failed(
    tmp_path: Path, site: Site
) -> None:
    data, local = ("--delay", 0, "--data", tmp_path), ("--allow-private", "127.0.0.0/8")
    assert byway("crawl", site.url, "--pages", 1, *local, *data).exit_code == 0
    for _ in range(2):
        ran = byway("crawl", *data)
        assert (ran.exit_code, "0 pages fetched in this run" in ran.stdout) == (1, True)
        assert "2 blocked (see --allow-private)" in ran.stdout
    assert byway("crawl", "--recrawl", *data).exit_code == 0  # no page was due
    assert byway("crawl", *local, *data).exit_code == 0
    assert byway("crawl", *data).exit_code == 0  # nothing is left


def test_a_crawl_says_which_seeds_of_before_it_goes_on_with(tmp_path: Path, site: Site) -> None:
    local = ("--allow-private", "127.0.0.0/8", "--delay", 0, "--data", tmp_path)
    few = ("--set", "crawl.max_retries=0")
    byway("crawl", site.url, "--pages", 1, *local, *few)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.5", 0))
        dead = [f"http://127.0.0.{n}:{nobody.getsockname()[1]}/" for n in (5, 6, 7, 8)]
        alone = byway("crawl", "--pages", 1, dead[0], *local, *few).stderr
        assert f"continuing with 1 seed from earlier crawls: {site.url}\n" in alone
        assert "continuing" not in byway("crawl", *local, *few).stderr  # none is named
        again = byway("crawl", *dead[1:], *local, *few).stderr
        assert (
            f"continuing with 1 seed from earlier crawls: {dead[0]}\n" in again
        )  # the site is finished
        last = byway("crawl", f"{site.url}never-seen", *local, *few).stderr
        assert (
            f"continuing with 4 seeds from earlier crawls: {', '.join(dead[:3])} and 1 more\n"
            in last
        )


def test_one_page_is_one_page(tmp_path: Path, site: Site) -> None:
    local = ("--allow-private", "127.0.0.0/8", "--delay", 0, "--data", tmp_path)
    assert (
        ": 1 page fetched in this run, 1 kept in total"
        in byway("crawl", site.url, "--pages", 1, *local).stdout
    )


def test_robots_txt_is_asked_for_once_a_day_however_often_we_start(
    engine: Engine, site: Site
) -> None:
    def asked() -> int:
        return sum(path == "/robots.txt" for path in site.errands)

    for _ in range(3):
        crawl(engine, site.url)
        crawl(engine, f"{site.url}another")
    assert asked() == 1
    let_time_pass(engine)
    crawl(engine, again=True)
    assert asked() == 2


def test_a_kept_robots_txt_holds_in_the_next_run(engine: Engine, site: Site) -> None:
    site.pages["/robots.txt"] = "User-agent: *\nDisallow: /a"
    crawl(engine, site.url)
    crawl(engine, f"{site.url}a")
    assert state(engine, site.url + "a") is UrlState.FORBIDDEN
    assert "/a" not in dict(site.asked)


def test_a_page_stays_while_its_host_is_down(engine: Engine, site: Site) -> None:
    crawl(engine, site.url)
    site.server.socket.close()
    let_time_pass(engine)
    crawl(engine, again=True)
    assert found(engine, "apples") == 1
    assert state(engine, site.url + "a") is UrlState.KEPT


def test_a_dry_run_says_what_would_change_and_stores_nothing(engine: Engine, site: Site) -> None:
    crawl(engine, site.url)
    a, b, c = (normalize(site.url + name) for name in "abc")
    site.pages["/"] += "<a href=/c>c</a>"
    site.pages["/c"] = "cherries"
    site.pages["/a"] = "oranges"
    del site.pages["/b"]
    let_time_pass(engine)
    looked = preview_recrawl(engine.storage, engine.settings, lambda crawler: None, time.time())
    found_differences = asyncio.run(looked)
    assert found_differences == RecrawlDifferences(
        added=(c,), changed=(normalize(site.url), a), removed=(b,), unchanged=0, failed={}
    )
    assert found(engine, "apples") == 1


@pytest.mark.parametrize("also", [[], ["--dry-run"]])
def test_pages_that_may_not_be_asked_for_are_refused_at_once_with_the_reason(
    engine: Engine, site: Site, also: list[str]
) -> None:
    site.pages["/"] = "".join(f"<a href=/{number}>{number}</a>" for number in range(20))
    site.pages |= {f"/{number}": f"page {number}" for number in range(20)}
    crawl(engine, site.url)
    asked, began = len(site.asked), time.monotonic()
    ran = byway("crawl", "--recrawl-all", *also, "--delay", 1, "--data", engine.storage.path)
    assert (ran.exit_code, len(site.asked)) == (1, asked), ran
    assert "127.0.0.1 is not public (this machine); to allow it, use --allow-" in ran.stdout
    assert time.monotonic() - began < 20  # 21 pages, and a second between two of them


def stored_bytes(engine: Engine) -> int:
    with engine.storage.reader() as reader:
        return reader.statistics.stored_bytes()


def test_the_same_page_under_two_urls_is_on_disk_once(engine: Engine, site: Site) -> None:
    long = "words " * 5000
    site.pages |= {"/": "<a href=/1>1</a><a href=/2>2</a>", "/1": long, "/2": long}
    crawl(engine, site.url)
    size = stored_bytes(engine)
    assert found(engine, "words") == 2
    with engine.search_session() as reading:
        assert reading.search(Query("words")).total == 1  # the other is its duplicate
    site.pages["/"] += "<a href=/3>3</a>"
    site.pages["/3"] = long
    let_time_pass(engine)
    crawl(engine, again=True)
    assert found(engine, "words") == 3
    grown = stored_bytes(engine) - size
    assert grown < 1200  # the home page and a few headers


def test_a_page_that_its_site_closes_is_forgotten(engine: Engine, site: Site) -> None:
    crawl(engine, site.url)
    site.pages["/robots.txt"] = "User-agent: *\nDisallow: /a"
    let_time_pass(engine)
    crawl(engine, again=True)
    assert (found(engine, "apples"), state(engine, site.url + "a")) == (0, UrlState.FORBIDDEN)
    assert found(engine, "bananas") == 1


def test_pages_seen_again_are_counted_once(engine: Engine, site: Site) -> None:
    crawl(engine, site.url)
    let_time_pass(engine)
    ended = asyncio.run(engine.crawl([], lambda crawler: None, time.time()))
    assert (ended.kept, ended.unchanged, ended.recorded) == (3, 3, 0)


def test_naming_a_seed_again_does_not_widen_the_crawl(tmp_path: Path, site: Site) -> None:
    site.pages |= {"/": "<a href=/a>a</a>", "/a": "<a href=/deep>deep</a>", "/deep": "deep"}
    settings = CrawlSettings(delay=0, allow_private=("127.0.0.0/8",), max_depth=1)
    engine = Engine(tmp_path, Settings(crawl=settings))
    for _ in range(2):
        crawl(engine, site.url)
    assert state(engine, site.url + "deep") is UrlState.OUT_OF_SCOPE
    assert ("/deep", 200) not in site.asked


def test_blocked_pages_get_another_chance_once_their_network_is_named(
    tmp_path: Path, site: Site
) -> None:
    for networks, wanted in (((), UrlState.BLOCKED), (("127.0.0.0/8",), UrlState.KEPT)):
        settings = CrawlSettings(delay=0, allow_private=networks)
        crawl(Engine(tmp_path, Settings(crawl=settings)), site.url)
        assert state(Engine(tmp_path, Settings()), site.url) is wanted


def test_feeds_and_guessed_sitemaps_are_subject_to_robots_txt(engine: Engine, site: Site) -> None:
    feed = "<link rel=alternate type=application/rss+xml href=/feed>"
    site.pages |= {"/": f"{feed}<a href=/a>a</a>", "/robots.txt": "User-agent: *\nDisallow: /feed"}
    crawl(engine, site.url)
    assert "/feed" not in dict(site.asked)


def test_a_crawl_that_forgot_an_option_takes_nothing_down(
    tmp_path: Path, engine: Engine, site: Site
) -> None:
    crawl(engine, site.url)
    for forgetful in (CrawlSettings(delay=0), CrawlSettings(delay=0, path_pattern="^/none$")):
        let_time_pass(engine)
        crawl(Engine(tmp_path, Settings(crawl=forgetful)), again=True)
        assert (found(engine, "apples"), state(engine, site.url + "a")) == (1, UrlState.KEPT)


def test_a_page_that_its_sitemap_calls_changed_is_seen_again_before_its_time(
    site: Site, engine: Engine
) -> None:
    crawl(engine, site.url)
    tomorrow = datetime.now(UTC) + timedelta(hours=1)
    listed = [f"<url><loc>{site.url}a</loc><lastmod>{tomorrow:%Y-%m-%dT%H:%M:%SZ}</lastmod></url>"]
    listed += [f"<url><loc>{site.url}b</loc><lastmod>2001-01-01</lastmod></url>"]
    site.pages["/sitemap.xml"] = f"<urlset>{''.join(listed)}</urlset>"
    site.pages["/c"] = "new"
    site.asked.clear()
    crawl(engine, f"{site.url}c")
    assert sorted(site.asked) == [("/a", 304), ("/c", 200)]


def test_all_pages_are_seen_again_when_somebody_says_so(site: Site, tmp_path: Path) -> None:
    local = ("--allow-private", "127.0.0.0/8", "--delay", 0, "--data", tmp_path)
    assert byway("crawl", site.url, *local).exit_code == 0
    site.asked.clear()
    said = byway("crawl", "--recrawl", *local).stdout
    assert site.asked == []
    assert "No page is due before 20" in said
    assert "3 unchanged" in byway("crawl", "--recrawl-all", *local).stdout
    assert len(site.asked) == 3
    said = error_line("crawl", "--dry-run", *local, exit_code=2)
    assert said == t("error.cli.dry_run_without_recrawl")
