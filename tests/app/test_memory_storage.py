"""The village end to end in one process, with nothing on disk: crawl, index, rank, serve, admin."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
from web.account_site import FAST_HASHER, ServedSite

from byway.accounts.passwords import Passwords
from byway.app.accounts import AccountService
from byway.app.admin import AdminService
from byway.app.engine import Engine
from byway.app.links import site_links
from byway.app.pages import PageArchive
from byway.app.reports import build_report
from byway.core.model import Query, UrlState
from byway.core.model.account import Role
from byway.core.settings.schema import CrawlSettings, Settings, StorageSettings
from byway.core.url import normalize
from byway.village import Village, load_facts
from byway.web.app import make_app
from byway.web.server import serve_in_thread

FACTS = load_facts()
ADMIN_PAGES = "crawl hosts errors traps rules users ranking removed"


@dataclass(frozen=True)
class MemoryVillage:
    """The village, crawled into memory and served."""

    village: Village
    engine: Engine
    site: ServedSite
    folder: Path


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryVillage]:
    folder = tmp_path_factory.mktemp("memory") / "data"
    crawl = CrawlSettings(delay=0.0, max_retries=0, max_depth=4, allow_private=("127.0.0.0/8",))
    engine = Engine(folder, Settings(crawl=crawl, storage=StorageSettings("memory")))
    with Village() as village:
        seeds = [normalize(url) for url in village.seeds]
        asyncio.run(engine.crawl(seeds, lambda crawler: None))
        engine.index()
        engine.rank()
        with engine.search_session() as session:
            accounts = AccountService(engine.storage.accounts(), passwords=Passwords(FAST_HASHER))
            app = make_app(
                session.search,
                session.status,
                engine.settings.serve,
                accounts,
                AdminService(engine.storage, engine.settings, session),
                session.suggest,
                PageArchive(engine.storage, engine.settings, session),
                session.index_status,
            )
            with serve_in_thread(app, "127.0.0.1", 0) as url:
                yield MemoryVillage(village, engine, ServedSite(url, app, accounts, engine), folder)


def test_the_village_is_crawled_indexed_and_ranked(here: MemoryVillage) -> None:
    with here.engine.search_session() as session:
        status = session.status()
        seed = session.catalog.find_url(normalize(here.village.seeds[0]))
        assert seed and seed.redirect_target
        home = session.catalog.find_url(seed.redirect_target)
    assert status.indexed > 30 and status.pages >= status.indexed
    assert home and home.state is UrlState.KEPT
    ranks = here.engine.storage.ranks().load().pages
    assert ranks[home.id] > 0


def test_the_search_page_finds_what_the_village_says(here: MemoryVillage) -> None:
    visitor = here.site.new_browser()
    for expected in FACTS.queries[:3]:
        page = visitor.get(f"/search?{urlencode({'q': expected.query})}").text
        assert any(here.village.url(*one) in page for one in expected.expected_pages)
    assert visitor.get("/").status == visitor.get("/search?q=zzzzqqqq").status == 200
    assert visitor.get("/api/v1/status").status == 200


def test_a_cached_page_has_its_text_and_its_links(here: MemoryVillage) -> None:
    with here.engine.search_session() as session:
        hit = session.search(Query("fox")).hits[0]
        archive = PageArchive(here.engine.storage, here.engine.settings, session)
        archived = archive.find(hit.url)
        assert archived and archived.original() and archived.links()
    assert here.site.new_browser().get(f"/cached?url={hit.url}").status == 200


@pytest.mark.parametrize("path", ["", *ADMIN_PAGES.split()])
def test_the_admin_pages_are_served(here: MemoryVillage, path: str) -> None:
    admin = here.site.new_browser(Role.ADMIN)
    assert admin.get(f"/admin/{path}".rstrip("/")).status == 200


def test_reports_are_made_from_memory(here: MemoryVillage) -> None:
    report = build_report(here.folder, here.engine.settings, 1e9)
    assert report.pages > 30
    assert site_links(here.folder, here.engine.settings, "top pages", "", 5)


def test_a_rebuild_and_a_removal_change_what_is_found(here: MemoryVillage) -> None:
    with here.engine.search_session() as session:
        total = session.search(Query("fox")).total
        assert here.engine.index(rebuild=True).documents > 30
        assert session.search(Query("fox")).total == total
        url = session.search(Query("fox")).hits[0].url
        here.engine.remove([url])
        assert url not in [hit.url for hit in session.search(Query("fox")).hits]
        assert session.catalog.removal_reason(url)


def test_nothing_is_written(here: MemoryVillage) -> None:
    assert not here.folder.exists()
