"""Browsers, feed readers and other sites use the search."""

import xml.etree.ElementTree as ElementTree

import pytest
from web.fake_site import READY_STATUS, HttpBrowser, served_fake_site

from byway.core.model import Query, Results
from byway.core.settings.schema import ServeSettings
from byway.web.app import make_app
from byway.web.server import serve_in_thread

SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
ATOM = "{http://www.w3.org/2005/Atom}"


def test_the_opensearch_description_is_served(browser: HttpBrowser) -> None:
    reply = browser.get("/opensearch.xml")
    assert reply.headers["Content-Type"].startswith("application/opensearchdescription+xml")
    described = ElementTree.fromstring(reply.text)
    urls = {one.get("type"): one.get("template") for one in described.iter(f"{SEARCH}Url")}
    assert urls == {
        "text/html": f"{browser.url}search?q={{searchTerms}}",
        "application/x-suggestions+json": f"{browser.url}suggest?q={{searchTerms}}",
        "application/opensearchdescription+xml": f"{browser.url}opensearch.xml",
    }
    assert described.findtext(f"{SEARCH}InputEncoding") == "UTF-8"
    assert described.findtext(f"{SEARCH}Description") == "Search with byway"
    assert '<link rel="search"' in browser.get("/").text


def test_the_opensearch_icon_has_the_given_size(browser: HttpBrowser) -> None:
    described = ElementTree.fromstring(browser.get("/opensearch.xml").text)
    image = described.find(f"{SEARCH}Image")
    assert image is not None and image.text
    icon = browser.request(image.text.removeprefix(browser.url.rstrip("/")))
    assert image.get("type") == "image/x-icon" and icon.status == 200
    # An .ico begins with 0, 1, how many pictures; then the width and height of the first.
    width, height = icon.body[6:8]
    assert icon.body[:4] == b"\0\0\1\0"
    assert (image.get("width"), image.get("height")) == (str(width), str(height)) == ("16", "16")


def test_markup_in_the_title_is_escaped() -> None:
    with served_fake_site(title="<b>&\x01 'x\" and a very long name") as browser:
        described = ElementTree.fromstring(browser.get("/opensearch.xml").text)
    name = described.find(f"{SEARCH}ShortName")
    assert name is not None and name.text == "<b>& 'x\" and a v"


def test_a_query_has_an_atom_feed(browser: HttpBrowser) -> None:
    reply = browser.get("/feed", q="first")
    assert reply.headers["Content-Type"].startswith("application/atom+xml")
    feed = ElementTree.fromstring(reply.text)
    titles = [one.findtext(f"{ATOM}title") for one in feed.iter(f"{ATOM}entry")]
    assert titles == ["First steps", "Ёлка"]
    assert feed.findtext(f"{ATOM}updated") == "2024-05-31T00:00:00Z"
    days = [one.findtext(f"{ATOM}updated") for one in feed.iter(f"{ATOM}entry")]
    assert days == ["2024-05-31T00:00:00Z", "2023-04-01T00:00:00Z"]  # published, changed
    ids = [one.text for one in feed.iter(f"{ATOM}id")]
    assert len(set(ids)) == len(ids) == 3
    page = browser.get("/search", q="first").text
    assert '<link rel="alternate" type="application/atom+xml" href="/feed?q=first"' in page


def test_a_hostile_page_does_not_break_the_feed(browser: HttpBrowser) -> None:
    feed = ElementTree.fromstring(browser.get("/feed", q="hostile").text)
    assert list(feed.iter(f"{ATOM}entry")) == []


def test_a_feed_without_a_query_is_rejected(browser: HttpBrowser) -> None:
    assert browser.get("/feed").status == 400


def test_only_the_embed_script_can_be_loaded_by_other_sites(browser: HttpBrowser) -> None:
    reply = browser.get("/embed.js")
    assert reply.headers["Content-Type"].startswith("text/javascript")
    assert reply.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "cookie" not in reply.text.lower()
    for path in ("/", "/search?q=first", "/suggest?q=a", "/api/v1/search?q=first"):
        assert browser.request(path).headers["Cross-Origin-Resource-Policy"] == "same-origin"


def test_suggestions_come_in_the_formats_of_page_and_browser() -> None:
    asked: list[tuple[str, int]] = []

    def suggest(typed: str, most: int) -> list[str]:
        asked.append((typed, most))
        return [f"{typed} {number}\u202e" for number in range(most)]

    def search(query: Query) -> Results:
        return Results(query, (), 0)

    app = make_app(search, lambda: READY_STATUS, ServeSettings(), suggest=suggest)
    with serve_in_thread(app, "127.0.0.1", 0) as url:
        browser = HttpBrowser(url)
        assert browser.get("/api/v1/suggest", q=" ab\x00", limit=2).json == {
            "suggestions": ["ab 0", "ab 1"]
        }
        reply = browser.get("/suggest", q="ab")
        assert reply.headers["Content-Type"] == "application/x-suggestions+json"
        assert reply.json[0] == "ab" and len(reply.json[1]) == 8
        assert browser.get("/api/v1/suggest", q=" ").json == {"suggestions": []}
        assert browser.get("/api/v1/suggest", q=" ab  ", limit=2).status == 200
        assert browser.get("/api/v1/suggest", q="x" * 2000).status == 200
    assert asked[0] == ("ab", 2)
    assert ("ab ", 2) in asked  # a word with a space behind it is whole
    assert len(asked[-1][0]) == 200


@pytest.mark.parametrize("limit", ["0", "21", "x", "-1", "9" * 99])
def test_a_suggestion_limit_out_of_range_is_rejected(browser: HttpBrowser, limit: str) -> None:
    reply = browser.get("/api/v1/suggest", q="a", limit=limit)
    assert reply.status == 422
    assert reply.json["detail"].startswith("limit must be ")
