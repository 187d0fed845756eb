"""The village, crawled for real: what is kept, what is left alone, and how politely."""

import asyncio
import http.server
import itertools
import threading
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from serving import QuickShutdownServer

from byway.app.engine import Engine
from byway.app.search import SearchSession
from byway.core.messages import Reason
from byway.core.model import Query, Url, UrlRecord, UrlState
from byway.core.settings.schema import CrawlSettings, Settings
from byway.core.url import normalize
from byway.crawl.crawler import Crawler
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.storage import SqliteStorage
from byway.village import ExpectedRanking, Village, load_facts
from byway.village.server import VillageRequest

DELAY = 0.03
FACTS = load_facts()


class Crawled:
    """The village after a crawl: what the folder says, and what the village saw."""

    def __init__(self, village: Village, engine: Engine, reading: SearchSession) -> None:
        self.village = village
        self.engine = engine
        self.reading = reading

    def record(self, site: str, path: str) -> UrlRecord:
        record = self.reading.catalog.find_url(normalize(self.village.url(site, path)))
        assert record, f"{site}{path} is not known"
        return record

    def requests(self, site: str) -> list[VillageRequest]:
        return sorted((r for r in self.village.log if r.site == site), key=lambda r: r.started_at)


def crawl(engine: Engine, *urls: str) -> None:
    asyncio.run(engine.crawl([normalize(url) for url in urls], lambda crawler: None))


def settings(**changed: object) -> Settings:
    values = {"delay": DELAY, "max_retries": 0, "max_depth": 6, "allow_private": ("127.0.0.0/8",)}
    return Settings(crawl=CrawlSettings(**(values | changed)))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    with Village() as village:
        engine = Engine(tmp_path_factory.mktemp("crawled"), settings())
        crawl(engine, *village.seeds)
        engine.index()
        engine.rank()
        with engine.search_session() as reading:
            yield Crawled(village, engine, reading)


SITES = list(FACTS.sites)


class RandomArticles:
    """A site with a page that redirects to another article each time it is asked."""

    def __enter__(self) -> "RandomArticles":
        numbers = itertools.count()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                random = self.path == "/random"
                known = random or self.path.startswith("/article")
                self.send_response(302 if random else 200 if known else 404)
                self.send_header("Location", f"/article{next(numbers)}")
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", "0" if random else str(len(self.path)))
                self.end_headers()
                if not random:
                    self.wfile.write(self.path.encode())

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        self._server = QuickShutdownServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.mark.parametrize("site", SITES)
def test_every_page_that_can_be_reached_is_kept(crawled: Crawled, site: str) -> None:
    states = {path: crawled.record(site, path).state for path in FACTS.sites[site].kept}
    assert {path: state for path, state in states.items() if state is not UrlState.KEPT} == {}


@pytest.mark.parametrize("site", SITES)
def test_what_robots_txt_closes_is_known_and_never_asked_for(crawled: Crawled, site: str) -> None:
    asked = {
        normalize(crawled.village.url(site, request.path)) for request in crawled.requests(site)
    }
    for path in FACTS.sites[site].forbidden:
        if site == "encyclopaedia":  # where the rule for MediaWiki leaves such links out
            url = normalize(crawled.village.url(site, path))
            assert url not in asked and crawled.reading.catalog.find_url(url) is None
            continue
        record = crawled.record(site, path)
        assert record.state is UrlState.FORBIDDEN
        assert record.reason.code == "robots_rule"
        assert record.url not in asked


@pytest.mark.parametrize("site", SITES)
def test_broken_links_failures_and_redirects_end_in_a_reason(crawled: Crawled, site: str) -> None:
    told = FACTS.sites[site]
    for broken in told.broken:
        record = crawled.record(site, broken.path)
        assert record.state is UrlState.MISSING
        assert record.reason.code == "http_status"
        assert record.reason.params["status"] == broken.status
    for failing in told.failing:
        record = crawled.record(site, failing.path)
        assert record.state is UrlState.UNREACHABLE
        assert record.reason.params["status"] == failing.status
    for redirect in told.redirects:
        record = crawled.record(site, redirect.path)
        assert record.state is UrlState.REDIRECTED
        assert record.reason.params["to"] == record.redirect_target
    for path in told.unwanted:
        record = crawled.record(site, path)
        assert record.state is UrlState.REJECTED
        assert record.reason.code == "type_not_kept"


@pytest.mark.parametrize("site", SITES)
def test_a_redirect_loop_ends(crawled: Crawled, site: str) -> None:
    for path in FACTS.sites[site].loops:
        assert crawled.record(site, path).state in (UrlState.REDIRECTED, UrlState.MISSING)
        asked = [request for request in crawled.requests(site) if request.path == path]
        assert len(asked) == 1


def test_links_marked_nofollow_are_not_followed(crawled: Crawled) -> None:
    for site, told in FACTS.sites.items():
        for path in told.nofollow:
            assert (
                crawled.reading.catalog.find_url(normalize(crawled.village.url(site, path))) is None
            )


def test_a_trap_is_walked_into_no_deeper_than_allowed(crawled: Crawled) -> None:
    asked = [request.path for request in crawled.requests("trap")]
    # Besides robots.txt and sitemap.xml, a host that is suspected before its last page is asked for
    # one that cannot be: which page comes last depends on who is quicker.
    pages = [path for path in asked[2:] if not path.startswith("/no-such-page-")]
    assert len(asked) - len(pages) in (2, 3)
    depths = [crawled.record("trap", unquote(path)).depth for path in pages]
    assert max(depths) == 6
    assert len(pages) < 100


def test_no_page_is_asked_for_twice(crawled: Crawled) -> None:
    for site in SITES:
        paths = [request.path for request in crawled.requests(site)]
        assert sorted(set(paths)) == sorted(paths)


@pytest.mark.parametrize("site", SITES)
def test_a_host_is_asked_for_one_page_at_a_time_and_then_left_alone(
    crawled: Crawled, site: str
) -> None:
    wanted = 0.1 if site == "manual" else DELAY  # the manual's robots.txt asks for more
    requests = crawled.requests(site)
    rests = [later.started_at - earlier.ended_at for earlier, later in pairwise(requests)]
    # The village notes the end of an answer just before its last byte leaves.
    assert min(rests) >= wanted - 0.005


def test_we_say_who_we_are(crawled: Crawled) -> None:
    assert {request.user_agent for request in crawled.village.log} == {CrawlSettings().user_agent}


def test_robots_txt_comes_first_and_once(crawled: Crawled) -> None:
    for site in SITES:
        paths = [request.path for request in crawled.requests(site)]
        assert paths[0] == "/robots.txt"
        assert paths.count("/robots.txt") == 1


@pytest.mark.parametrize("wanted", FACTS.queries, ids=lambda wanted: wanted.query)
def test_the_right_page_comes_first(crawled: Crawled, wanted: ExpectedRanking) -> None:
    first = [crawled.village.url(site, path) for site, path in wanted.expected_pages]
    results = crawled.reading.search(Query(wanted.query))
    assert [hit.url for hit in results.hits[:1]] == first[:1]


def test_what_asks_not_to_be_indexed_is_kept_but_not_found(crawled: Crawled) -> None:
    hidden = [(site, path) for site, told in FACTS.sites.items() for path in told.noindex]
    assert hidden
    found = {hit.url for hit in crawled.reading.search(Query("village", max_hits=1000)).hits}
    for site, path in hidden:
        record = crawled.record(site, path)
        assert record.state is UrlState.KEPT
        assert record.url not in found
        assert not crawled.reading.explain("village", record.id)


def test_counts_by_state_are_true(crawled: Crawled) -> None:
    status = crawled.reading.status()
    assert status.queued == 0
    with closing(open_to_read(SqliteStorage(crawled.engine.storage.path).crawl_db)) as db:
        assert sum(status.states.values()) == db.execute("select count(*) from url").fetchone()[0]
    assert not status.crawling


def test_crawling_again_asks_only_for_what_could_not_be_had(crawled: Crawled) -> None:
    before = len(crawled.village.log)
    crawl(crawled.engine)
    failing = {failing.path for told in FACTS.sites.values() for failing in told.failing}
    usual = {"/robots.txt", "/sitemap.xml"}
    assert {request.path for request in crawled.village.log[before:]} - usual <= failing


def test_the_page_budget_is_kept(tmp_path: Path, village: Village) -> None:
    engine = Engine(tmp_path, settings(max_pages=7, delay=0.0))
    crawl(engine, village.url("encyclopaedia"))
    with engine.search_session() as reading:
        assert reading.status().pages == 7
    crawl(engine)
    with engine.search_session() as reading:
        assert reading.status().pages == 7


def test_a_crawl_that_is_stopped_goes_on_where_it_was(tmp_path: Path, village: Village) -> None:
    engine = Engine(tmp_path, settings(delay=0.0))

    def stop_soon(crawler: Crawler) -> None:
        asyncio.get_running_loop().call_later(0.4, crawler.stop)

    asyncio.run(engine.crawl([normalize(village.url("encyclopaedia"))], stop_soon))
    crawl(engine)
    usual = ("/robots.txt", "/sitemap.xml")
    paths = [request.path for request in village.log if request.path not in usual]
    assert len(paths) == len(set(paths))
    with engine.search_session() as reading:
        kept = [village.url("encyclopaedia", path) for path in FACTS.sites["encyclopaedia"].kept]
        states = [reading.catalog.find_url(normalize(url)) for url in kept]
        assert all(record and record.state is UrlState.KEPT for record in states)


def test_private_addresses_are_not_visited_unless_named(tmp_path: Path, village: Village) -> None:
    engine = Engine(tmp_path, settings(allow_private=()))
    crawl(engine, village.url("news"))
    assert village.log == []
    with engine.search_session() as reading:
        record = reading.catalog.find_url(normalize(village.url("news")))
    assert record and record.state is UrlState.BLOCKED
    assert record.reason.params["options"] == "--allow-private 127.0.0.0/8"


@pytest.mark.parametrize("scope", ["host", "any"])
def test_a_crawl_stays_in_scope(tmp_path: Path, village: Village, scope: str) -> None:
    engine = Engine(tmp_path, settings(scope=scope, max_pages=40, delay=0.0))
    crawl(engine, village.url("encyclopaedia"))
    asked = {request.site for request in village.log}
    assert (asked == {"encyclopaedia"}) == (scope == "host")


def test_a_host_that_does_not_answer_holds_up_nobody(tmp_path: Path, village: Village) -> None:
    engine = Engine(tmp_path, settings(delay=0.0))
    crawl(engine, "http://127.0.0.99:9/", village.url("library"))
    with engine.search_session() as reading:
        record = reading.catalog.find_url(Url("http://127.0.0.99:9/"))
        assert record and record.state is UrlState.UNREACHABLE
        assert record.reason == Reason(
            "robots_unavailable",
            cause=Reason("connection_refused", address="127.0.0.99:9"),
        )
        assert reading.status().pages >= len(FACTS.sites["library"].kept)


def test_hosts_are_crawled_side_by_side(crawled: Crawled) -> None:
    first = min(request.started_at for request in crawled.village.log)
    starts = [crawled.requests(site)[0].started_at - first for site in SITES]
    assert max(starts) < 1.0


def test_an_entry_that_leads_somewhere_new_each_time_is_asked_until_there_is_enough(
    tmp_path: Path, village: Village
) -> None:
    with RandomArticles() as site:
        engine = Engine(tmp_path, settings(delay=0.0, max_pages=5))
        crawl(engine, f"{site.url}random")
        with engine.search_session() as reading:
            assert reading.status().pages == 5
            assert reading.catalog.seeds() == [f"{site.url}random"]


def test_feeds_that_pages_name_are_looked_at_once(crawled: Crawled) -> None:
    assert [request.path for request in crawled.requests("news")].count("/feed.atom") == 1


def test_only_what_matches_is_kept_and_the_rest_walked(tmp_path: Path, village: Village) -> None:
    only = settings(delay=0.0, path_pattern="^/wiki/", keep_pattern="^/wiki/[^:]*$")
    engine = Engine(tmp_path, only)
    crawl(engine, village.url("encyclopaedia"))
    with engine.search_session() as reading:
        states = reading.status().states
        category = reading.catalog.find_url(
            normalize(village.url("encyclopaedia", "/wiki/Category:Birds"))
        )
        article = reading.catalog.find_url(normalize(village.url("encyclopaedia", "/wiki/Red_fox")))
    assert category and category.state is UrlState.LINKS_ONLY
    assert article and article.state is UrlState.KEPT
    assert states[UrlState.KEPT] + states[UrlState.LINKS_ONLY] == 61
