"""Crawls by API, keys, other web sites, and metrics."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from web.account_site import ServedSite, served_site
from web.fake_site import HttpReply

from byway.core.messages import t
from byway.core.model.account import Account, ApiKeyScope, Role


@pytest.fixture
def here(tmp_path: Path) -> Iterator[ServedSite]:
    with served_site(tmp_path, cors_origins=("https://friend.example",)) as here:
        yield here


def by_key(
    here: ServedSite, path: str, body: object = None, use: ApiKeyScope = ApiKeyScope.ADMIN
) -> HttpReply:
    admin = next(iter(here.accounts.store.accounts()), None) or made(here)
    key = here.accounts.create_key(admin, "test", use)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    method = "GET" if body is None else "POST"
    return here.new_browser().browser.request(
        path, method, headers, json.dumps(body) if body else None
    )


def test_pausing_the_whole_crawl_needs_no_body(here: ServedSite) -> None:
    assert by_key(here, "/api/v1/crawl/pause", "").json["status"]["paused"]
    assert not by_key(here, "/api/v1/crawl/resume", "").json["status"]["paused"]


def test_a_second_crawl_is_a_conflict(here: ServedSite) -> None:
    with here.engine.storage.write_lock("crawl"):
        reply = by_key(here, "/api/v1/crawl", {"url": "http://a.example/"})
    assert (reply.status, "already running" in reply.json["detail"]) == (409, True)


def test_a_wrong_key_is_rejected_even_where_none_is_needed(here: ServedSite) -> None:
    made(here)
    browser = here.new_browser().browser
    for given, status in (("Bearer byway_wrong", 401), ("Basic YWRhOmFkYQ==", 200)):
        reply = browser.request("/api/v1/search?q=first", "GET", {"Authorization": given})
        assert reply.status == status


def made(here: ServedSite) -> Account:
    return here.accounts.create("ada", "a good long phrase", Role.ADMIN)


def test_crawls_are_listed_and_paused_by_key(here: ServedSite) -> None:
    assert by_key(here, "/api/v1/crawl").json["jobs"][0]["name"] == ""
    assert by_key(here, "/api/v1/crawl/pause", {"job": ""}).json["status"]["paused"]
    assert not by_key(here, "/api/v1/crawl/resume", {"job": ""}).json["status"]["paused"]


@pytest.mark.parametrize(
    ("path", "body", "status", "detail"),
    [
        ("/api/v1/crawl", {"url": "ftp://a.example"}, 400, "ftp"),
        ("/api/v1/crawl", {"max_pages": -1}, 422, "max_pages"),
        ("/api/v1/crawl", {"url": "x" * 3000}, 422, "url"),
        ("/api/v1/crawl", {"scope": "moon"}, 422, "scope"),
        ("/api/v1/crawl", {"pagse": 10}, 422, "pagse"),
        ("/api/v1/crawl", {"max_pages": "10"}, 422, "max_pages"),
        ("/api/v1/crawl/pause", {"jbo": "x"}, 422, "jbo"),
        ("/api/v1/crawl", ["x" * 70_000], 413, "too large"),
        ("/api/v1/crawl/pause", {"job": "none"}, 400, "There is no job"),
        ("/api/v1/crawl/stop", {"any": 1}, 400, "No crawl is running"),
    ],
)
def test_errors_are_problems(
    here: ServedSite, path: str, body: object, status: int, detail: str
) -> None:
    reply = by_key(here, path, body)
    assert reply.status == status
    assert reply.headers["Content-Type"] == "application/problem+json"
    assert detail in reply.json.get("detail", "")


def test_an_invalid_key_is_rejected(here: ServedSite) -> None:
    for given in ("Bearer byway_wrong", "Basic YWRhOmFkYQ==", "Bearer", "x"):
        reply = here.new_browser().browser.request("/api/v1/crawl", "GET", {"Authorization": given})
        assert reply.status == 401
        assert reply.headers["WWW-Authenticate"] == "Bearer"
        assert reply.json["title"] == "Unauthorized"
        assert reply.json["code"] == "web.api_key_required"


def test_a_key_of_another_scope_gets_the_needed_scope(here: ServedSite) -> None:
    user = here.new_browser(Role.USER)
    here.new_browser(Role.ADMIN)
    account = next(each for each in here.accounts.store.accounts() if each.role is Role.ADMIN)
    for scope, path, needed in (
        (ApiKeyScope.SEARCH, "/api/v1/crawl", "admin"),
        (ApiKeyScope.SEARCH, "/metrics", "metrics"),
        (ApiKeyScope.METRICS, "/api/v1/search", "search"),
        (ApiKeyScope.METRICS, "/api/v1/crawl", "admin"),
    ):
        key = here.accounts.create_key(account, "key", scope)
        reply = user.browser.request(path, "GET", {"Authorization": f"Bearer {key}"})
        assert (reply.status, reply.json["code"]) == (403, "web.key_scope")
        text = t("error.web.key_scope", scope=scope, path=path, needed=needed)
        assert reply.json["detail"] == text
    assert user.get("/api/v1/crawl").json["code"] == "web.admin_session"


def test_a_key_is_shown_once(here: ServedSite) -> None:
    user = here.new_browser(Role.USER)
    page = user.post("/account/keys", name="my script", scope="search").text
    key = page.partition("<code>byway_")[2].partition("<")[0]
    assert len(key) == 43
    assert key not in user.get("/account").text
    assert "my script" in user.get("/account").text
    assert user.post("/account/keys", name="more", scope="admin").status == 400


def test_only_the_cors_origins_can_call_the_api(here: ServedSite) -> None:
    browser = here.new_browser().browser
    for origin, allowed in (("https://friend.example", True), ("https://evil.example", False)):
        reply = browser.request("/api/v1/search?q=first", "GET", {"Origin": origin})
        assert reply.headers["Access-Control-Allow-Origin"] == (origin if allowed else None)
        assert "Access-Control-Allow-Credentials" not in reply.headers
        asks = {"Origin": origin, "Access-Control-Request-Method": "GET"}
        asks["Access-Control-Request-Headers"] = "authorization"
        before = browser.request("/api/v1/search?q=first", "OPTIONS", asks)
        assert before.status == (200 if allowed else 400)
    page = browser.request("/search?q=first", "GET", {"Origin": "https://friend.example"})
    assert "Access-Control-Allow-Origin" not in page.headers


def test_without_cors_origins_no_site_can_call_the_api(tmp_path: Path) -> None:
    with served_site(tmp_path) as here:
        reply = here.new_browser().browser.request(
            "/api/v1/search?q=first", "GET", {"Origin": "https://friend.example"}
        )
        assert "Access-Control-Allow-Origin" not in reply.headers


def test_metrics_count_requests(here: ServedSite) -> None:
    for _ in range(3):
        here.new_browser().get("/search?q=first")
    reply = by_key(here, "/metrics", use=ApiKeyScope.METRICS)
    assert reply.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = reply.text.splitlines()
    assert 'byway_requests_total{request_class="search",status="200"} 3.0' in lines
    assert 'byway_request_duration_seconds_count{request_class="search"} 3.0' in lines
    assert 'byway_request_duration_seconds_bucket{le="+Inf",request_class="search"} 3.0' in lines
    assert "byway_pages 15.0" in lines
    assert {
        'byway_shard_pages{shard="0"} 12.0',
        'byway_shard_bytes{shard="1"} 2048.0',
        'byway_shard_readable{shard="0"} 1.0',
        'byway_shard_readable{shard="1"} 0.0',
    } <= set(lines)
    assert all(line.startswith(("#", "byway_")) for line in lines)


def test_allowed_hosts_are_served(tmp_path: Path) -> None:
    with served_site(tmp_path, allowed_hosts=("search.example.org",)) as here:
        browser = here.new_browser().browser
        for host in ("search.example.org", "SEARCH.example.org:443", "localhost"):
            assert browser.request("/", "GET", {"Host": host}).status == 200
        for host in ("evil.example", "search.example.org.evil.example", "example.org", ""):
            reply = browser.request("/", "GET", {"Host": host})
            assert (reply.status, "serve.allowed_hosts" in reply.text) == (421, True)
