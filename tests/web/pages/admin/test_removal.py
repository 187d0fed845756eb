"""Pages and sites are taken out from the browser and by API, and let in again."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from pace import wait_until
from web.account_site import ServedSite, served_site
from web.fake_site import HttpReply

from byway.core.messages import t
from byway.core.model.account import ApiKeyScope, Role
from byway.core.settings.schema import CrawlSettings, Settings
from byway.village import Village

LOOPBACK = Settings(crawl=CrawlSettings(delay=0, allow_private=("127.0.0.0/8",), max_retries=0))
TORTOISE = "/2025/01/lost-tortoise.html"


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Village]]:
    """The news of the village, crawled and indexed."""
    data = tmp_path_factory.mktemp("printed") / "data"
    with Village() as village:
        options = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--pages", "30"]
        for words in (["crawl", village.url("news"), *options], ["index"]):
            typed = [sys.executable, "-m", "byway", *words, "--data", str(data)]
            subprocess.run(typed, check=True, capture_output=True)
        yield data, village


@pytest.fixture
def here(tmp_path: Path, printed: tuple[Path, Village]) -> Iterator[ServedSite]:
    shutil.copytree(printed[0], tmp_path / "data")
    with served_site(tmp_path / "data", LOOPBACK) as here:
        yield here


@pytest.fixture
def url(printed: tuple[Path, Village]) -> str:
    return printed[1].url("news", TORTOISE)


@pytest.fixture
def host(printed: tuple[Path, Village]) -> str:
    return printed[1].authority("news")


def finds(here: ServedSite, words: str) -> list[str]:
    found = here.new_browser().get(f"/api/v1/search?{urlencode({'q': words, 'limit': 100})}")
    return [hit["url"] for hit in found.json["hits"]]


def is_gone(here: ServedSite, url: str, words: str) -> bool:
    """Can it not be found any more, after a while?"""
    return wait_until(lambda: url not in finds(here, words))


def by_key(here: ServedSite, path: str, body: object = None) -> HttpReply:
    admin = next(iter(here.accounts.store.accounts()), None)
    admin = admin or here.accounts.create("ada", "a good long phrase", Role.ADMIN)
    key = here.accounts.create_key(admin, "test", ApiKeyScope.ADMIN)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    method = "GET" if body is None else "POST"
    sent = None if body is None else json.dumps(body)
    return here.new_browser().browser.request(path, method, headers, sent)


def test_a_page_is_removed_after_a_confirmation(here: ServedSite, url: str) -> None:
    admin = here.new_browser(Role.ADMIN)
    assert "Nothing has been removed." in admin.get("/admin/removed").text
    assert url in finds(here, "tortoise")
    asked = admin.post("/admin/removed", url=url, preview="1")
    assert f"Remove {url}?" in asked.text and "This removes 1 page (URLs: 1)." in asked.text
    assert url in finds(here, "tortoise")
    done = admin.post("/admin/removed", url=url, remove="1")
    assert (done.status, "Removed 1 page." in done.text) == (200, True)
    assert is_gone(here, url, "tortoise")
    assert f'<td class="long" dir="auto">{url}</td>' in done.text
    undone = admin.post("/admin/removed", url=url, undo="1").text
    assert "Restored 1 URL. The next crawl will fetch it.</p>" in undone
    assert "Nothing has been removed." in undone


def test_restoring_a_private_address_shows_the_crawl_refusal(
    tmp_path: Path, printed: tuple[Path, Village], url: str, host: str
) -> None:
    shutil.copytree(printed[0], tmp_path / "data")
    with served_site(tmp_path / "data", Settings()) as here:
        admin = here.new_browser(Role.ADMIN)
        admin.post("/admin/removed", url=url, remove="1")
        said = admin.post("/admin/removed", url=url, undo="1").text
        address = host.partition(":")[0]
        assert f"its IP address is private: {address} is not public (this machine)" in said
        admin.post("/admin/removed", site=host, remove="1")
        let_in = by_key(here, "/api/v1/removed/undo", {"site": host}).json
        assert [one["text"] for one in let_in["crawl_refusals"]] == [
            f"{address} is not public (this machine); to allow it, use --allow-private 127.0.0.0/8"
        ]


def test_a_site_is_removed_and_restored(here: ServedSite, url: str, host: str) -> None:
    admin = here.new_browser(Role.ADMIN)
    asked = admin.post("/admin/removed", site=host, preview="1").text
    assert f"Remove {host}?" in asked
    done = admin.post("/admin/removed", site=host, remove="1").text
    assert f"all of {host}" in done
    assert is_gone(here, url, "tortoise")
    assert not finds(here, f"site:{host}")
    assert ". The next crawl will fetch" in admin.post("/admin/removed", site=host, undo="1").text


def test_the_removal_page_is_translated(here: ServedSite, url: str) -> None:
    admin = here.new_browser(Role.ADMIN)
    assert "Ничего не удалено." in admin.get("/admin/removed?ui=ru").text
    assert f'value="{url}"' in admin.get(f"/admin/removed?url={url}").text


def test_an_invalid_removal_shows_its_error(here: ServedSite, url: str, host: str) -> None:
    admin = here.new_browser(Role.ADMIN)
    for fields, why in (
        ({"url": "http://a.example/none", "preview": "1"}, "Unknown URL"),
        ({"url": "ftp://a.example/", "preview": "1"}, "ftp"),
        ({"site": "a.example", "remove": "1"}, "No page on the site a.example is known"),
        ({"url": url, "undo": "1"}, "has not been removed; its state is: kept"),
        ({"site": host, "undo": "1"}, "has not been removed as a whole"),
        ({"url": url}, t("error.web.removal_action")),
        ({"url": url, "site": host, "remove": "1"}, "not both"),
        ({"url": "--site=" + host, "remove": "1"}, "--site="),
        ({"remove": "1"}, "Give either pages or a site"),
    ):
        reply = admin.post("/admin/removed", **fields)
        assert (reply.status, why in reply.text) == (400, True), fields
    assert url in finds(here, "tortoise")


def test_nothing_is_removed_while_a_crawl_runs(here: ServedSite, url: str) -> None:
    admin = here.new_browser(Role.ADMIN)
    with here.engine.storage.write_lock("crawl"):
        page = admin.post("/admin/removed", url=url, remove="1")
        reply = by_key(here, "/api/v1/removed", {"urls": [url]})
    assert t("error.app.crawl_running") in page.text
    assert (reply.status, "Stop it first" in reply.json["detail"]) == (409, True)
    with here.engine.storage.write_lock("index"), here.engine.storage.write_lock("crawl"):
        reply = by_key(here, "/api/v1/removed", {"urls": [url]})
    assert (reply.status, "is being rebuilt" in reply.json["detail"]) == (409, True)
    assert url in finds(here, "tortoise")


def test_a_page_is_removed_and_restored_by_api(here: ServedSite, url: str) -> None:
    assert by_key(here, "/api/v1/removed").json == {"sites": [], "urls": [], "unlisted_count": 0}
    dry = by_key(here, "/api/v1/removed", {"urls": [url], "dry_run": True})
    assert dry.json == {"urls": 1, "pages": 1, "is_complete": True}
    assert url in finds(here, "tortoise")
    assert by_key(here, "/api/v1/removed", {"urls": [url]}).json["pages"] == 1
    assert is_gone(here, url, "tortoise")
    assert by_key(here, "/api/v1/removed").json["urls"] == [url]
    let_in = by_key(here, "/api/v1/removed/undo", {"urls": [url]}).json
    assert (let_in["urls"], let_in["crawl_refusals"]) == (1, [])
    assert by_key(here, "/api/v1/removed").json["urls"] == []


def test_removing_a_site_by_api_needs_confirmation(here: ServedSite, url: str, host: str) -> None:
    unsure = by_key(here, "/api/v1/removed", {"site": host})
    assert (unsure.status, unsure.json["code"]) == (400, "web.confirm_site_removal")
    assert url in finds(here, "tortoise")
    assert by_key(here, "/api/v1/removed", {"site": host, "confirm": True}).json["pages"] > 1
    assert is_gone(here, url, "tortoise")
    assert by_key(here, "/api/v1/removed").json["sites"] == [host]


@pytest.mark.parametrize(
    ("path", "body", "status", "detail"),
    [
        ("", {"urls": "http://a.example/"}, 422, "urls"),
        ("", {"urls": ["http://a.example/"] * 101}, 422, "urls"),
        ("", {"url": "http://a.example/"}, 422, "url"),
        ("", {"urls": ["http://a.example/"], "confirm": "1"}, 422, "confirm"),
        ("", {}, 400, "Give either pages or a site"),
        ("", {"urls": ["http://a.example/"]}, 400, "Unknown URL"),
        ("", {"urls": ["http://a.example/"], "site": "a.example"}, 400, "not both"),
        ("/undo", {"site": "a.example"}, 400, "has not been removed as a whole"),
        ("/undo", {"site": "a.example", "dry_run": True}, 422, "dry_run"),
    ],
)
def test_errors_are_problems(
    here: ServedSite, path: str, body: object, status: int, detail: str
) -> None:
    reply = by_key(here, f"/api/v1/removed{path}", body)
    assert (reply.status, detail in reply.json["detail"]) == (status, True), reply.json
    assert reply.headers["Content-Type"] == "application/problem+json"
