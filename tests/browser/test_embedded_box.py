"""The search box on somebody else's page: another address, the lines that the docs give."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from web.crawled_site import LocalSite, crawl, engine_at, local_site, served_search

from browser.page_checks import NARROW_VIEWPORT, WIDE_VIEWPORT, accessibility_violations

DOCS = Path(__file__).parents[2] / "docs" / "how-to" / "embed-the-search-box.md"
INDEX = "<title>Inverted index</title><h1>Inverted index</h1><p>It lists words. Ёлка too.</p>"
HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Mine</title>'
    '<link rel="icon" href="data:,"><meta name="viewport" content="width=device-width">'
    '<meta name="color-scheme" content="light dark">'
)
BODY = "<body><main><h1>Mine</h1>{}<p>Below it.</p><a href='/inverted'>Inverted index</a></main>"


@pytest.fixture(scope="module")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalSite, str]]:
    """A site of somebody's own, and where the byway is that has crawled it and lets it ask."""
    pages = {"/": HEAD + BODY.format(""), "/inverted": INDEX}
    with local_site(pages, "127.0.0.9") as site:
        engine = engine_at(tmp_path_factory.mktemp("elsewhere"), cors_origins=(site.url,))
        crawl(engine, site)
        with served_search(engine) as byway:
            yield site, byway.url


@pytest.fixture
def said(page: Page) -> list[str]:
    """What the browser's console says."""
    lines: list[str] = []
    page.on("console", lambda message: lines.append(message.text))
    page.on("pageerror", lambda error: lines.append(str(error)))
    return lines


with_script = pytest.mark.parametrize("page", [True], indirect=True, ids=["with JavaScript"])


def from_docs(number: int, address: str) -> str:
    """A piece of HTML from the docs, with the demo's or the example's address made ours."""
    blocks = re.findall(r"```html\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    ours = re.sub(r"https?://(search\.example\.org|127\.0\.0\.1:8600)/", address, blocks[number])
    return ours.replace("example.org", "127.0.0.9")


def put(site: LocalSite, inside: str, policy: str = "") -> str:
    """Where a page is that has this on it."""
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">' if policy else ""
    site.pages["/box"] = HEAD + meta + BODY.format(inside)
    return f"{site.url}/box"


def found(page: Page, address: str, words: str) -> None:
    """The words, typed and entered, lead to byway's answer."""
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(re.escape(f"{address}search?q=")))
    expect(page.locator(".hit h2 a").first).to_have_text("Inverted index")


@with_script
@pytest.mark.parametrize("number", [0, 1])
def test_one_line_embeds_a_search_box(
    page: Page, mine: tuple[LocalSite, str], said: list[str], number: int
) -> None:
    site, address = mine
    page.goto(put(site, from_docs(number, address)))
    page.keyboard.press("Tab")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    found(page, address, "inverted")
    assert ("site=127.0.0.9" in page.url) is bool(number)
    assert page.context.cookies() == [] and said == []


@with_script
def test_a_local_file_can_embed_a_search_box(
    page: Page, mine: tuple[LocalSite, str], tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    file.write_text(from_docs(0, mine[1]), encoding="utf-8")
    page.goto(file.as_uri())
    page.get_by_role("searchbox", name="Search").focus()
    found(page, mine[1], "inverted")


@with_script
def test_the_embedded_box_has_suggestions(
    page: Page, mine: tuple[LocalSite, str], said: list[str]
) -> None:
    site, address = mine
    page.goto(put(site, from_docs(2, address) * 2))
    second = page.get_by_role("combobox", name="Search").nth(1)
    second.click()
    page.keyboard.type("inv", delay=20)
    options = page.locator("form").nth(1).locator("option")
    expect(options.first).to_have_attribute("value", "Inverted index")
    assert second.evaluate("(box) => box.list === box.form.querySelector('datalist')")
    found(page, address, "erted index")
    assert said == []


@with_script
def test_an_origin_without_cors_is_warned_once_and_can_search(
    page: Page, mine: tuple[LocalSite, str], said: list[str]
) -> None:
    address = mine[1]
    events: list[str] = []
    page.on("request", lambda request: events.append(f"request {request.url}"))
    page.on("console", lambda message: events.append(message.text))
    with local_site({}, "127.0.0.10") as stranger:
        page.goto(put(stranger, from_docs(2, address)))
        with page.expect_console_message(lambda one: one.text.startswith("byway: ")):
            page.get_by_role("combobox", name="Search").press_sequentially("inver", delay=200)
        cure = [line for line in said if line.startswith("byway: ")]
        assert len(cure) == 1 and f"serve.cors_origins must list {stranger.url}" in cure[0]
        found(page, address, "ted")
    # A request that the next key aborts comes before the warning: it is not rejected.
    later = events[events.index(cure[0]) :]
    assert not [event for event in later if event.startswith("request") and "suggest" in event]


@with_script
@pytest.mark.parametrize("suggestions", [True, False])
def test_the_embedded_box_works_under_a_strict_csp(
    page: Page, mine: tuple[LocalSite, str], said: list[str], suggestions: bool
) -> None:
    site, address = mine
    named = re.search(r"```text\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert named
    policy = "default-src 'none'; " + named[1].strip().replace(
        "https://search.example.org", address.rstrip("/")
    )
    if not suggestions:
        policy = policy.rpartition("; connect-src")[0]
    page.goto(put(site, from_docs(2, address), policy))
    page.get_by_role("combobox", name="Search").click()
    page.keyboard.type("inver", delay=20)
    if suggestions:
        expect(page.locator("option").first).to_have_attribute("value", "Inverted index")
    else:
        page.wait_for_event("console", lambda one: "in connect-src" in one.text)
    found(page, address, "ted")
    assert bool(said) is not suggestions


def test_there_is_one_box_with_and_without_javascript(
    page: Page, mine: tuple[LocalSite, str]
) -> None:
    site, address = mine
    form = from_docs(3, address)
    page.goto(put(site, f"{from_docs(1, address)}<noscript>{form}</noscript>"))
    box = page.get_by_role("searchbox", name="Search")
    expect(box).to_have_count(1)
    box.focus()
    found(page, address, "inverted")
    assert "site=127.0.0.9" in page.url


@with_script
@pytest.mark.parametrize("number", [1, 3])
def test_a_page_in_another_encoding_sends_utf8(
    page: Page, mine: tuple[LocalSite, str], number: int
) -> None:
    address = mine[1]
    with local_site({}, "127.0.0.9", "windows-1251") as old:
        page.goto(put(old, from_docs(number, address)))
        assert page.evaluate("document.characterSet") == "windows-1251"
        page.get_by_role("searchbox", name="Search").focus()
        found(page, address, "ёлка")
    assert "%D1%91%D0%BB%D0%BA%D0%B0" in page.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("window", [WIDE_VIEWPORT, NARROW_VIEWPORT], ids=["wide", "narrow"])
def test_the_embedded_box_is_accessible(
    browser: Browser, mine: tuple[LocalSite, str], scheme: str, window: dict[str, int]
) -> None:
    site, address = mine
    context = browser.new_context(color_scheme=scheme, viewport=window)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(put(site, from_docs(2, address)))
    box = page.get_by_role("combobox", name="Search")
    box.press_sequentially("inv", delay=20)
    expect(page.locator("option").first).to_have_attribute("value", "Inverted index")
    # axe takes a page without a colour of its own for white.
    page.add_style_tag(content="body { background: Canvas }")
    assert not accessibility_violations(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    paper = box.evaluate("(box) => getComputedStyle(box).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") is (scheme == "light")
    context.close()
