"""A page as it was kept: its text, the page itself in a sandbox, its links and its changes."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace import run_within
from web.crawled_site import LocalSite, crawl, engine_at, local_site, served_search
from web.fake_site import HttpBrowser

from byway.core.messages import t
from byway.web.views.diff import MAX_DIFF_LINES, diff_lines

HOSTILE = """<!doctype html><title>Hostile &lt;b&gt; page</title>
<link rel=preconnect href=http://127.0.0.9/><meta http-equiv=refresh content="0;url=http://127.0.0.9/">
<h2 id=one>Badgers at night</h2>
<p>Badgers dig <b>setts</b> at night &lt;script&gt;alert(1)&lt;/script&gt;
and eat worms until the morning comes and they go to sleep.</p>
<script>document.title = "ran"</script><a href="/other">The <i>other</i> page</a>
<img src=/badger.png alt="A badger at dusk">"""
OTHER = "<title>Other</title><p>Foxes and badgers live here, with <a href=/>friends</a>.</p>"


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HttpBrowser, LocalSite]]:
    """Two pages that were crawled, changed, and crawled again."""
    engine = engine_at(tmp_path_factory.mktemp("kept"))
    with local_site({"/": HOSTILE, "/other": OTHER}) as site:
        crawl(engine, site)
        site.pages["/"] = HOSTILE.replace("eat worms", "eat apples")
        crawl(engine, site, recrawl=True)
        with served_search(engine) as browser:
            yield browser, site


def cached(
    seen: tuple[HttpBrowser, LocalSite], view: str = "", q: str = "", path: str = "/"
) -> str:
    browser, site = seen
    reply = browser.get("/cached", url=site.url + path, view=view, q=q)
    assert reply.status == 200
    return reply.text


def test_the_text_has_headings_and_highlights(seen: tuple[HttpBrowser, LocalSite]) -> None:
    page = cached(seen, q="badger site:a.org -night")
    assert "<h2><mark>Badgers</mark> at night</h2>" in page
    assert re.search(r'<time datetime="20[^"]+">Fetched on \d', page)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert page.count("<script") == 1


def test_the_original_is_sandboxed(seen: tuple[HttpBrowser, LocalSite]) -> None:
    browser, site = seen
    reply = browser.get("/cached/original", url=site.url)
    policy = reply.headers["Content-Security-Policy"]
    assert policy.startswith(
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    )
    assert "allow-scripts" not in policy
    assert reply.headers["Content-Type"] == "text/html; charset=utf-8"
    assert b"<b>setts</b>" in reply.body
    assert b"<link" not in reply.body
    assert "<iframe sandbox src=" in cached(seen, "html")


def test_links_are_listed_in_both_directions(seen: tuple[HttpBrowser, LocalSite]) -> None:
    page = cached(seen, "links")
    assert "1 page links to it" in page
    assert "The other page</bdi></a>" in page
    assert page.index("friends") < page.index("The other page")


def test_changes_are_shown(seen: tuple[HttpBrowser, LocalSite]) -> None:
    page = cached(seen, "changes")
    added = re.search(r'class="added".*?</p>', page, re.DOTALL)
    removed = re.search(r'class="removed".*?</p>', page, re.DOTALL)
    assert added and "eat apples" in added.group()
    assert removed and "eat worms" in removed.group()
    assert t("web.cached.one_version") in cached(seen, "changes", path="/other")


@pytest.mark.parametrize("url", ["", "x" * 9, "javascript:alert(1)", "http://[", "https://a.org/"])
def test_a_page_that_is_not_stored_gets_404(seen: tuple[HttpBrowser, LocalSite], url: str) -> None:
    browser, _ = seen
    reply = browser.get("/cached", url=url)
    assert reply.status == 404
    assert "This page is not stored" in reply.text
    assert browser.get("/cached/original", url=url).status == 404
    for path in ("/api/v1/page", "/api/v1/products/history"):
        problem = browser.get(path, url=url or "nothing")
        text = t("error.web.page_not_stored", url=url or "nothing")
        assert (problem.status, problem.json["detail"]) == (404, text)


def test_images_are_linked_and_not_loaded(seen: tuple[HttpBrowser, LocalSite]) -> None:
    browser, site = seen
    page = browser.get("/images", q="badger").text
    assert f'<a href="{site.url}/badger.png" rel="noreferrer">' in page
    assert "<mark>badger</mark>" in page
    assert f'src="{site.url}' not in page


def test_images_match_by_caption_and_by_the_topic_of_their_page(
    tmp_path: Path,
) -> None:
    many = "".join(f'<img src=/{n}.png alt="Plant {n}">' for n in range(12))
    text = "<p>Here is one picture after another, and little else that could be read.</p>"
    pages = {
        "/": f"<title>Plants</title>{text}{many}<img src=/tulip.png alt='Tulip'><a href=/b>b</a>",
        "/b": f"<title>Journeys</title><p>We saw a tulip.</p>{text}<img src=/ship.png alt=Ship>",
    }
    engine = engine_at(tmp_path)
    with local_site(pages) as site:
        crawl(engine, site)
        with served_search(engine) as browser:
            tulips = browser.get("/images", q="tulip").text
            plants = browser.get("/images", q="plants").text
            journeys = browser.get("/images", q="journeys").text
    assert "/tulip.png" in tulips
    assert "/ship.png" not in tulips  # the page only mentions them
    assert plants.count(".png") >= 13
    assert "/ship.png" in journeys


def test_images_are_loaded_with_show_images(tmp_path: Path) -> None:
    engine = engine_at(tmp_path, show_images=True)
    with local_site({"/": HOSTILE}) as site:
        crawl(engine, site)
        with served_search(engine) as browser:
            reply = browser.get("/images", q="badger")
    assert f'<img src="{site.url}/badger.png"' in reply.text
    assert "img-src 'self' data: http: https:" in reply.headers["Content-Security-Policy"]
    assert "script-src 'self'" in reply.headers["Content-Security-Policy"]


def test_the_page_api_has_the_text_as_markdown(seen: tuple[HttpBrowser, LocalSite]) -> None:
    browser, site = seen
    page = browser.get("/api/v1/page", url=site.url).json
    assert page["title"] == "Hostile <b> page"
    assert page["text"].startswith("# Hostile \\<b> page\n")
    assert "## Badgers at night" in page["text"]
    link = {"url": f"{site.url}/other", "anchor_text": "The other page", "state": "kept"}
    assert link in page["outlinks"]
    assert page["word_counts"]["badgers"] == 2
    similar = browser.get("/api/v1/similar", url=site.url).json
    assert [hit["url"] for hit in similar["hits"]] == [f"{site.url}/other"]


def test_suggestions_and_headings_are_found(seen: tuple[HttpBrowser, LocalSite]) -> None:
    browser, site = seen
    assert browser.get("/api/v1/suggest", q="badg").json["suggestions"]
    hit = browser.get("/api/v1/search", q="badgers night", explain=1).json["hits"][0]
    assert hit["headings"] == [{"text": "Badgers at night", "url": f"{site.url}/#one"}]
    assert hit["match_counts"]["headings"] == 2
    page = browser.get("/search", q="badgers night").text
    assert f'<a href="{site.url}/#one" rel="noreferrer">Badgers at night</a>' in page
    assert (
        "/cached?" + urlencode({"url": f"{site.url}/", "q": "badgers night"}).replace("&", "&amp;")
        in page
    )


@given(st.lists(st.sampled_from("abc"), max_size=9), st.lists(st.sampled_from("abc"), max_size=9))
def test_a_diff_is_minimal_and_correct(old: list[str], new: list[str]) -> None:
    shown, _ = diff_lines("\n".join(old), "\n".join(new))
    gone = [line.text for line in shown if line.kind == "removed"]
    come = [line.text for line in shown if line.kind == "added"]
    longest = max(
        size
        for size in range(len(old) + 1)
        for kept in combinations(old, size)
        if _in_order(kept, new)
    )
    assert (len(gone), len(come)) == (len(old) - longest, len(new) - longest)
    assert Counter(old) - Counter(gone) == Counter(new) - Counter(come)


def _in_order(some: Iterable[str], all_of_them: Iterable[str]) -> bool:
    rest = iter(all_of_them)
    return all(each in rest for each in some)


def test_unchanged_lines_are_left_out() -> None:
    old = [str(number) for number in range(20)]
    new = [*old[:10], "new", *old[10:]]
    shown, cut = diff_lines("\n".join(old), "\n".join(new))
    said = [(line.kind, line.text) for line in shown]
    around = [("same", "8"), ("same", "9"), ("added", "new"), ("same", "10"), ("same", "11")]
    assert said == [("gap", ""), *around] and not cut


@pytest.mark.alone
def test_a_repetitive_text_does_not_slow_the_diff() -> None:
    often = ["a"] * MAX_DIFF_LINES
    between = [line for number in range(MAX_DIFF_LINES) for line in ("a", f"x{number}")]
    shown, cut = run_within(1, lambda: diff_lines("\n".join(often), "\n".join(between)))
    assert cut and sum(line.kind == "added" for line in shown) == MAX_DIFF_LINES // 2


def test_a_diff_is_bounded() -> None:
    shown, cut = diff_lines("same\n" * 50_000, "same\n" * 49_999 + "end\n")
    assert cut
    assert len(shown) <= 2 * MAX_DIFF_LINES
    shown, cut = diff_lines("a\nb\nc", "a\nx\nc")
    assert [(line.kind, line.text) for line in shown] == [
        ("same", "a"),
        ("removed", "b"),
        ("added", "x"),
        ("same", "c"),
    ]
