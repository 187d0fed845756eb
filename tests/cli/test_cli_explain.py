"""`byway explain` says of a URL in any state why it is not found, and what helps."""

import http.server
import json
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli.runner import byway, error_line

from byway.core.messages import has_text
from byway.core.model import DiscoveredUrl, UrlState
from byway.core.url import normalize
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_write

HTML = {"Content-Type": "text/html"}
OPTIONS = ("--delay", 0, "--allow-private", "127.0.0.1/32", "--scope", "any", "--set")
SAME = "<title>Apples</title><p>" + "Apples are round and good to eat. " * 20
PAGES: dict[str, tuple[int, dict[str, str], bytes]] = {
    "/robots.txt": (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /closed"),
    "/apples": (200, HTML, SAME.encode()),
    "/same": (200, HTML, SAME.encode()),
    "/moved": (301, {"Location": "/apples"}, b""),
    "/picture": (200, {"Content-Type": "image/png"}, b"\x89PNG"),
    "/large": (200, HTML, b"x" * 300_000),
    "/broken": (500, HTML, b""),
    "/hidden": (200, HTML, b"<meta name=robots content=noindex><p>Hidden apples."),
    "/once": (200, HTML, b"<meta name=robots content=noindex><p>Apples once."),
    "/damaged": (200, HTML | {"Content-Encoding": "gzip"}, b"\x1f\x8b no gzip"),
    "/empty": (200, HTML, b"<script>document.write('apples')</script>"),
    "/walked": (200, HTML, b"<p>Apples of which only links are wanted."),
    "/a/deep": (200, HTML, b"<p>Apples, deep.<a href=/a/deeper>deeper</a>"),
}
LINKS = "".join(f"<a href={path}>{path}</a>" for path in (*PAGES, "/closed", "/gone"))


class Handler(http.server.BaseHTTPRequestHandler):
    gone = False

    def do_GET(self) -> None:
        far = "<a href=http://127.0.0.2/>private</a><a href=http://127.0.0.1:1/>refused</a>"
        first = (200, HTML, f"<title>All</title>{LINKS}{far}".encode())
        status, headers, body = {"/": first, **PAGES}.get(self.path, (404, HTML, b""))
        if self.path == "/once" and Handler.gone:
            status, body = 404, b""
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@dataclass(frozen=True, slots=True)
class Orchard:
    """A crawled site that has a page in every state, or nearly."""

    data: Path
    url: str

    def says(self, path: str, words: str = "apples") -> str:
        url = path if "://" in path else self.url + path[1:]
        ran = byway("explain", words, url, "--data", self.data)
        assert (ran.exit_code, ran.stdout.count("\n")) == (0, 1), ran
        return self.without_folder(ran.stdout.strip())

    def without_folder(self, said: str) -> str:
        """The same without the data folder, which each command that helps must name."""
        named = f" --data {self.data}"
        assert all(one.endswith(named) for one in re.findall(r"`(byway [^`]+)`", said)), said
        return said.replace(named, "")


@pytest.fixture(scope="module")
def orchard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Orchard]:
    data = tmp_path_factory.mktemp("orchard") / "data"
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        made = Orchard(data, f"http://127.0.0.1:{server.server_port}/")
        settings = (
            *OPTIONS,
            "crawl.max_retries=0",
            "--set",
            "crawl.max_bytes=200000",
            "--data",
            data,
        )
        keep = ("--set", "crawl.keep_pattern=^/(?!walked)", "--depth", 1)
        assert byway("crawl", made.url, *keep, *settings).exit_code == 0
        assert byway("index", "--data", data).exit_code == 0
        Handler.gone = True
        assert byway("crawl", "--recrawl-all", *keep, *settings).exit_code == 0
        with closing(SqliteFrontier(data / "crawl.db")) as frontier:
            frontier.add(
                [DiscoveredUrl(normalize(f"{made.url}{name}")) for name in ("later", "trap")]
            )
        with closing(open_to_write(data / "crawl.db")) as db:
            db.execute("update url set state = 'paused' where url like '%/trap'")
        yield made
        server.shutdown()
        thread.join()


def test_a_page_for_every_state_says_what_it_is_and_what_helps(orchard: Orchard) -> None:
    root = orchard.url
    for path, says, helps in (
        ("/later", "has not been fetched yet", "Run `byway crawl` to continue"),
        ("/walked", "fetched only to follow its links", "change crawl.keep_pattern"),
        ("/moved", f"This URL is not a page: it moved permanently to {root}apples. ",
         f"`byway explain QUERY {root}apples`"),
        ("/a/deeper", "outside the scope of the crawl: 2 links away from the seeds",
         "crawl.max_depth is 1"),
        ("/closed", "byway may not fetch this page: robots.txt line 2",
         f"`byway robots {root}closed {root}closed`"),
        ("http://127.0.0.2/", "its IP address is private", "--allow-private"),
        ("http://127.0.0.1:1/", "could not be fetched: ", "The next `byway crawl` will try"),
        ("/broken", "could not be fetched: HTTP 500 Internal Server Error", "will try again."),
        ("/gone", "This page does not exist: HTTP 404 Not Found", f"`byway crawl {root}gone`"),
        ("/picture", "This page was rejected: media type image/png", "change crawl.media_types"),
        ("/large", "This page was rejected: too large: 300,000 bytes", "change crawl.max_bytes"),
        ("/trap", "part of an endless series", "`byway traps`"),
        ("/damaged", "could not be extracted: damaged gzip", "`byway index --rebuild`"),
        ("/hidden", "not in the index: it asks not to be indexed",
         "Only the owner of the site can"),
        ("/once", "has no text to search: it is marked noindex, or its text could not be extracted "
         "(HTTP 404 Not Found on the last visit)", f"`byway trace {root}once`"),
        ("/empty", "This page has no text", f"`byway trace {root}empty`"),
        ("/apples", "is indexed, but does not match 'pears'. The page does not contain pears. ",
         f"Run `byway words {root}apples` to list its words."),
    ):  # fmt: skip
        told = orchard.says(path, "pears")
        assert says in told and helps in told, (path, told)
        assert "byway index`" not in told, (path, told)


def test_every_state_is_provided_for() -> None:
    states = set(UrlState) - {UrlState.KEPT}
    assert all(has_text(f"state.explain.{state}") for state in states)


def test_a_duplicate_is_named(orchard: Orchard) -> None:
    told = byway("explain", "apples", f"{orchard.url}same", "--data", orchard.data).stdout
    other = byway("explain", "apples", f"{orchard.url}apples", "--data", orchard.data).stdout
    assert ("as a duplicate of" in told) != ("as a duplicate of" in other)


def test_a_filter_that_leaves_a_page_out_is_named_with_what_the_page_is(orchard: Orchard) -> None:
    told = orchard.says("/apples", "lang:de filetype:pdf apples")
    assert "lang:de excludes the page: its language is en. filetype:pdf excludes the" in told
    assert "does not contain" not in told


def test_the_place_of_a_page_is_told_and_how_its_words_were_read(orchard: Orchard) -> None:
    searched = json.loads(byway("search", "appels", "--json", "--data", orchard.data).stdout)
    for place, hit in enumerate(searched["hits"], 1):
        said = byway("explain", "appels", hit["url"], "--data", orchard.data).stdout
        position = f"position {place} of {searched['total']}\n"
        assert said.startswith(position + "appels was treated as apples.\n"), said
        asked = ("explain", "appels", hit["url"], "--json", "--data", orchard.data)
        told = json.loads(byway(*asked).stdout)
        assert (told["rank"], told["total"]) == (place, searched["total"])
        assert told["mismatches"] == [
            {"code": "read_as", "message": "appels was treated as apples."}
        ]


@pytest.fixture
def kept(tmp_path: Path, orchard: Orchard) -> Callable[[], str]:
    """What is said of a page that is kept, in a folder of its own."""
    data = tmp_path / "data"
    settings = (*OPTIONS, "crawl.max_retries=0", "--depth", 0, "--data", data)
    assert byway("crawl", f"{orchard.url}apples", *settings).exit_code == 0

    def says() -> str:
        told = byway("explain", "pears", f"{orchard.url}apples", "--data", data).stdout.strip()
        return Orchard(data, orchard.url).without_folder(told)

    return says


def test_only_what_waits_for_the_index_is_said_to(
    kept: Callable[[], str], tmp_path: Path, orchard: Orchard
) -> None:
    data = tmp_path / "data"
    assert kept() == "This page is not indexed yet. Run `byway index`."
    with closing(sqlite3.connect(data / "documents.db", isolation_level=None)) as db:
        db.execute("delete from document")  # as if a crash had kept it from being written
    assert "its text has not been extracted yet. Run `byway index`." in kept()
    assert byway("index", "--data", data).exit_code == 0
    assert "does not match 'pears'" in kept()
    assert byway("remove", f"{orchard.url}apples", "--data", data).exit_code == 0
    undo = f"`byway remove --undo {orchard.url}apples`"
    assert kept() == f"This page was removed by hand. Run {undo} to restore it."


def test_a_url_that_nobody_heard_of_is_said_to_be_unknown(orchard: Orchard) -> None:
    says = error_line("explain", "x", f"{orchard.url}new", "--data", orchard.data, exit_code=2)
    assert says.endswith(
        "is unknown: no seed, sitemap or link led to it. "
        f"Run `byway crawl {orchard.url}new --data {orchard.data}` to add it."
    )


def test_a_url_of_a_removed_site_is_said_to_be(kept: Callable[[], str], tmp_path: Path) -> None:
    assert (
        byway("remove", "--site", "127.0.0.1", "--yes", "--data", tmp_path / "data").exit_code == 0
    )
    url = "http://127.0.0.1:9/new"
    says = error_line("explain", "x", url, "--data", tmp_path / "data", exit_code=2)
    assert "was removed by hand with the site 127.0.0.1. Run `byway remove --undo" in says
