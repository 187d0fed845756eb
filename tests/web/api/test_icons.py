"""Favicons: asked for once and politely, kept, and shown from our own origin."""

import asyncio
import http.server
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from serving import QuickShutdownServer
from web.crawled_site import LocalSite, crawl, engine_at, served_search

from byway.app.engine import Engine
from byway.core.content_encoding import image_media_type
from byway.core.url import normalize
from byway.crawl.favicons import fetch_icon
from byway.crawl.http.fetcher import Fetcher
from byway.storage.data_folder import FileIconStore

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
PAGE = "<title>Apples</title><p>Apples and pears.</p>"


@contextmanager
def site(
    icon: bytes, robots: str = "", place: str = "", troubles: Collection[str] = ()
) -> Iterator[LocalSite]:
    """One page and a favicon, which may be elsewhere; paths in `troubles` are a server's fault."""
    here = LocalSite({})
    answers = {"/": PAGE.encode(), "/favicon.ico": icon, "/robots.txt": robots.encode()}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            here.requested_paths.append(self.path)
            body = answers.get(self.path, icon if self.path == place else b"")
            moved = bool(place) and self.path == "/favicon.ico"
            in_trouble = self.path in troubles
            self.send_response(503 if in_trouble else 302 if moved else 200 if body else 404)
            self.send_header("Location", place)
            self.send_header("Content-Type", "text/html" if self.path == "/" else "text/plain")
            self.send_header("Content-Length", str(0 if moved else len(body)))
            self.end_headers()
            self.wfile.write(b"" if moved else body)

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = QuickShutdownServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    here.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield here
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def engine_with_icons(path: Path) -> Engine:
    settings = engine_at(path).settings
    return Engine(path, replace(settings, crawl=replace(settings.crawl, favicons=True)))


def test_a_favicon_is_fetched_once_and_served_from_here(tmp_path: Path) -> None:
    engine = engine_with_icons(tmp_path)
    with site(PNG) as here:
        crawl(engine, here)
        crawl(engine, here, recrawl=True)
        assert here.requested_paths.count("/favicon.ico") == 1
        host = here.url.removeprefix("http://")
        with served_search(engine) as browser:
            page = browser.get("/search", q="apples").text
            assert f'<img src="/icon?host={host.replace(":", "%3A")}"' in page
            reply = browser.get("/icon", host=host)
            assert (reply.status, reply.body) == (200, PNG)
            assert reply.headers["Content-Type"] == "image/png"
            assert reply.headers["X-Content-Type-Options"] == "nosniff"
            assert reply.headers["Content-Security-Policy"].startswith("sandbox;")
            for other in ("", "b.example", "../accounts.db", "x" * 200):
                assert browser.get("/icon", host=other).status == 404


def test_without_the_setting_no_favicon_is_fetched(tmp_path: Path) -> None:
    engine = engine_at(tmp_path)
    with site(PNG) as here:
        crawl(engine, here)
        assert "/favicon.ico" not in here.requested_paths
        with served_search(engine) as browser:
            assert "/icon?" not in browser.get("/search", q="apples").text


@pytest.mark.parametrize(
    ("icon", "robots", "place"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "", ""),
        (b"<html><script>alert(1)</script>", "", ""),
        (PNG + b"\0" * 60_000, "", ""),
        (PNG, "User-agent: *\nDisallow: /favicon.ico", ""),
        (PNG, "", "http://127.0.0.1:9/elsewhere.png"),
        (b"", "", ""),
    ],
    ids=["svg", "html", "large", "forbidden", "elsewhere", "none"],
)
def test_only_small_images_of_the_host_itself_are_stored(
    tmp_path: Path, icon: bytes, robots: str, place: str
) -> None:
    engine = engine_with_icons(tmp_path)
    with site(icon, robots, place) as here:
        crawl(engine, here)
        assert (here.requested_paths.count("/favicon.ico") == 0) is (robots != "")
        with served_search(engine) as browser:
            assert browser.get("/icon", host=here.url.removeprefix("http://")).status == 404
            assert "/icon?" not in browser.get("/search", q="apples").text


def test_a_favicon_may_have_another_address_on_its_host(tmp_path: Path) -> None:
    engine = engine_with_icons(tmp_path)
    with site(PNG, place="/pictures/icon.png") as here:
        crawl(engine, here)
        assert "/pictures/icon.png" in here.requested_paths
        with served_search(engine) as browser:
            assert browser.get("/icon", host=here.url.removeprefix("http://")).body == PNG


@pytest.mark.parametrize("path", ["/favicon.ico", "/robots.txt"])
def test_a_failed_favicon_is_fetched_again(tmp_path: Path, path: str) -> None:
    engine, troubles = engine_with_icons(tmp_path), {path}
    with site(PNG, "User-agent: *\nDisallow: /none", troubles=troubles) as here:
        crawl(engine, here)
        icons, host = engine.storage.icons(), here.url.removeprefix("http://")
        assert not icons.has(host)
        troubles.clear()
        if path == "/favicon.ico":
            crawl(engine, here, recrawl=True)
            assert icons.get(host) == PNG


def test_the_favicon_of_an_unreachable_host_is_tried_again(tmp_path: Path) -> None:
    async def ask() -> bytes | None:
        settings = engine_with_icons(tmp_path).settings.crawl
        async with Fetcher(settings) as fetcher:
            return await fetch_icon(fetcher, normalize("http://127.0.0.1:9/"), lambda url: True)

    assert asyncio.run(ask()) is None


def test_only_images_are_served_as_icons(tmp_path: Path) -> None:
    icons = FileIconStore(tmp_path)
    icons.put("a.example", PNG)
    icons.put("none.example", b"")
    hosts = ("a.example", "none.example", "unknown.example")
    assert [icons.has_image(host) for host in hosts] == [True, False, False]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"\x00\x00\x01\x00\x01\x00", "image/x-icon"),
        (b"GIF89a", "image/gif"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVE", ""),
        (b"\x00\x00\x00\x00", ""),
        (b"", ""),
    ],
)
def test_an_image_is_recognized_by_its_first_bytes(body: bytes, kind: str) -> None:
    assert image_media_type(body) == kind
