"""What every answer carries, and who gets one."""

import gzip
import re

import pytest
from web.fake_site import HttpBrowser

from byway.web.middleware.response_headers import is_loopback_host

ROUTES = [
    "/",
    "/search?q=first",
    "/search?q=no",
    "/search?page=abc",
    "/api/v1/search?q=first",
    "/api/v1/search",
    "/api/v1/status",
    "/api/v1/openapi.json",
    "/healthz",
    "/static/style.css",
    "/static/none.css",
    "/nowhere",
]


@pytest.mark.parametrize("target", [*ROUTES, "/search?q=broken"])
def test_every_response_has_security_headers(browser: HttpBrowser, target: str) -> None:
    headers = browser.request(target).headers
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'; img-src 'self' data:;")
    assert "form-action 'self'; base-uri 'none'; frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "Server" not in headers
    assert headers["Content-Type"]


@pytest.mark.parametrize("target", ["/", "/search?q=first", "/healthz", "/nowhere"])
def test_a_head_response_has_all_but_the_body(browser: HttpBrowser, target: str) -> None:
    full, head = browser.request(target), browser.request(target, "HEAD", {})
    assert (head.status, head.body) == (full.status, b"")
    assert head.headers["Content-Length"] == full.headers["Content-Length"]


def test_pages_load_from_this_server_only_and_nothing_inline(browser: HttpBrowser) -> None:
    for target in ("/", "/search?q=many", "/search?q=no", "/nowhere"):
        page = browser.request(target).text
        loaded = re.findall(r'(?:src|action|<link[^>]* href)="([^"]*)"', page)
        assert loaded
        assert all(url.startswith("/") and not url.startswith("//") for url in loaded)
        assert not re.search(r"<style| style=| on[a-z]+=", page)
        scripts = re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL)
        assert len(scripts) == page.count("<script") == 1
        assert all(
            re.fullmatch(r' src="/static/[^"]+"', where) and not text for where, text in scripts
        )


def test_static_files_with_a_hash_are_immutable(browser: HttpBrowser) -> None:
    sheet = re.findall(r'rel="stylesheet" href="([^"]+)"', browser.get("/").text)[0]
    kept = browser.request(sheet)
    assert kept.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert kept.headers["Content-Type"].startswith("text/css")
    again = browser.request(sheet, "GET", {"If-None-Match": kept.headers["ETag"]})
    assert again.status == 304
    assert browser.get("/static/style.css").headers["Cache-Control"] == "public, max-age=3600"
    assert browser.get("/").headers["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize(
    "path", ["../app.py", "..%2fapp.py", "%2e%2e/app.py", "%00", "/etc/passwd", "a" * 999, ""]
)
def test_no_other_file_is_served(browser: HttpBrowser, path: str) -> None:
    assert browser.request(f"/static/{path}").status == 404


@pytest.mark.parametrize("target", ["//evil.example/", "/search/", "/%2F/evil.example", "/\\evil"])
def test_no_path_redirects_to_another_site(browser: HttpBrowser, target: str) -> None:
    reply = browser.request(target)
    assert reply.status == 404
    assert "Location" not in reply.headers


def test_dns_rebinding_is_rejected(browser: HttpBrowser) -> None:
    for host in ("evil.example", "evil.example:8600", "localhost.evil.example", "10.0.0.1", ""):
        reply = browser.request("/api/v1/search?q=first", "GET", {"Host": host})
        assert reply.status == 421
        assert "localhost" in reply.text
        assert "Content-Security-Policy" in reply.headers


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8600",
        "127.0.0.1",
        "127.9.9.9:1",
        "[::1]",
        "[::1]:8600",
        "a.localhost.",
    ],
)
def test_loopback_hosts_are_recognized(host: str) -> None:
    assert is_loopback_host(host)


def test_results_are_compressed_and_forms_are_not(browser: HttpBrowser) -> None:
    can = {"Accept-Encoding": "gzip"}
    reply = browser.request("/search?q=many", headers=can)
    assert reply.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(reply.body) == browser.get("/search", q="many").body
    assert "Accept-Encoding" in reply.headers["Vary"]
    for path in ("/", "/nowhere", "/login", "/account"):
        assert "Content-Encoding" not in browser.request(path, headers=can).headers
