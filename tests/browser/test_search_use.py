"""The search page in use: keyboard, colors, filters, languages, print."""

import re
from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Route, expect

MAX_PAGE_BYTES = 60_000


@pytest.fixture
def keys(browser: Browser, address: str) -> Iterator[Page]:
    """A page with JavaScript, on which no script of ours reports an error."""
    context = browser.new_context()
    page = context.new_page()
    wrong: list[str] = []

    def ours(message: ConsoleMessage) -> bool:
        return str(message.location["url"]).startswith(address)

    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda one: wrong.append(one.text) if ours(one) else None)
    yield page
    context.close()
    assert not wrong


def kept(page: Page, address: str, words: str) -> str:
    """The link to the cached page of the first hit."""
    page.goto(f"{address}search?q={words}")
    return page.get_by_role("link", name="Cached").first.get_attribute("href") or ""


def test_suggestions_can_be_chosen_by_keyboard(keys: Page, address: str) -> None:
    keys.goto(address)
    box = keys.get_by_role("combobox")
    expect(box).to_be_focused()
    keys.keyboard.type("inver", delay=30)
    options = keys.get_by_role("option")
    expect(options.first).to_be_visible()
    expect(box).to_have_attribute("aria-expanded", "true")
    keys.keyboard.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(box).to_have_value(options.first.text_content() or "")
    keys.keyboard.press("Escape")
    expect(box).to_have_value("inver")
    expect(box).to_have_attribute("aria-expanded", "false")
    keys.keyboard.type("t", delay=30)
    expect(options.first).to_be_visible()
    keys.keyboard.press("ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    keys.keyboard.press("ArrowDown")
    expect(box).to_have_value("invert")
    keys.keyboard.press("ArrowDown")
    expect(box).to_have_value(options.first.text_content() or "")
    keys.keyboard.press("Enter")
    # Its spelling is not settled while links are still counted.
    expect(keys).to_have_url(re.compile("q=inverted", re.IGNORECASE))


def test_leaving_the_box_cancels_its_suggestions(keys: Page, address: str) -> None:
    requests: list[str] = []
    keys.on("request", lambda one: requests.append(one.url) if "suggest?" in one.url else None)
    keys.clock.install()
    keys.goto(address)
    box = keys.get_by_role("combobox")
    expect(box).to_be_focused()
    keys.keyboard.insert_text("inver")
    keys.keyboard.press("Tab")
    expect(box).to_have_value("inver")
    keys.clock.run_for(1000)
    expect(keys.get_by_role("option").first).to_be_hidden()
    assert requests == []
    box.focus()
    keys.keyboard.insert_text("t")
    keys.clock.run_for(1000)
    expect(keys.get_by_role("option").first).to_be_visible()
    assert len(requests) == 1


def test_a_late_response_does_not_replace_the_chosen_suggestion(keys: Page, address: str) -> None:
    held: list[Route] = []
    keys.goto(address)
    box, options = keys.get_by_role("combobox"), keys.get_by_role("option")
    expect(box).to_be_focused()
    keys.keyboard.insert_text("invert")
    expect(options.first).to_be_visible()
    keys.route(re.compile("suggest.q="), lambda route: held.append(route))
    with keys.expect_request(re.compile("suggest.q=inverte$")):
        keys.keyboard.insert_text("e")
    keys.keyboard.press("ArrowDown")
    chosen = box.input_value()
    with suppress(Error):  # the script has cancelled the request
        held[0].fulfill(json={"suggestions": ["Inverness"]})
    keys.unroute_all()
    keys.evaluate("fetch('/healthz').then((reply) => reply.text())")
    expect(options.first).to_have_text(chosen)
    expect(options.first).to_have_attribute("aria-selected", "true")


def test_results_can_be_used_by_keyboard(keys: Page, address: str) -> None:
    keys.goto(f"{address}search?q=search")
    titles = keys.locator(".hit h2 a")
    keys.keyboard.press("j")
    expect(titles.nth(0)).to_be_focused()
    keys.keyboard.press("j")
    keys.keyboard.press("ArrowDown")
    expect(titles.nth(2)).to_be_focused()
    keys.keyboard.press("k")
    expect(titles.nth(1)).to_be_focused()
    keys.keyboard.press("?")
    expect(keys.get_by_role("dialog")).to_be_visible()
    keys.keyboard.press("Escape")
    expect(keys.get_by_role("dialog")).to_be_hidden()
    keys.keyboard.press("n")
    expect(keys).to_have_url(re.compile("page=2"))
    keys.keyboard.press("p")
    expect(keys).to_have_url(re.compile("q=search$"))
    keys.keyboard.press("/")
    expect(keys.get_by_role("combobox")).to_be_focused()
    keys.keyboard.press("End")
    keys.keyboard.type(" engine j?")
    expect(keys.get_by_role("combobox")).to_have_value("search engine j?")
    keys.goto(f"{address}search?q=inverted+index")
    href = titles.nth(0).get_attribute("href") or ""
    keys.keyboard.press("j")
    keys.keyboard.press("Enter")
    expect(keys).to_have_url(href)


def test_the_skip_link_comes_first(page: Page, address: str) -> None:
    page.goto(f"{address}search?q=search")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_colors_follow_the_system_and_the_theme_switch(browser: Browser, address: str) -> None:
    def paper(page: Page) -> str:
        found: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return found

    for scheme, dark in (("light", False), ("dark", True)):
        context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(address)
        assert (paper(page) == "rgb(21, 24, 26)") is dark
        switch = page.locator("button.theme")
        expect(switch).to_have_text("Theme: automatic")
        switch.click()
        expect(switch).to_have_text("Theme: light")
        assert paper(page) == "rgb(252, 251, 248)"
        switch.click()
        page.goto(f"{address}search?q=search")
        expect(switch).to_have_text("Theme: dark")
        assert paper(page) == "rgb(21, 24, 26)"
        context.close()


def test_results_can_be_filtered_and_sorted(page: Page, address: str) -> None:
    page.goto(f"{address}search?q=index")
    page.locator("#facets").get_by_role("link", name=re.compile(r"127\.0\.0\.4")).click()
    expect(page).to_have_url(re.compile(r"site=127\.0\.0\.4"))
    for where in page.locator(".where").all_text_contents():
        assert where.startswith("127.0.0.4")
    page.get_by_role("link", name="Remove filter").click()
    expect(page).to_have_url(re.compile(r"q=index$"))
    page.get_by_role("link", name="Newest first").click()
    expect(page).to_have_url(re.compile("sort=date"))


def test_a_cached_page_has_text_links_original_and_changes(page: Page, address: str) -> None:
    page.goto(address.rstrip("/") + kept(page, address, "pagerank"))
    expect(page.get_by_role("heading", level=1)).to_have_text("PageRank")
    expect(page.locator("mark").first).to_have_text("PageRank")
    page.get_by_role("link", name="Links", exact=True).click()
    expect(page.locator("main")).to_contain_text("link to it")
    page.get_by_role("link", name="Original").click()
    inside = page.frame_locator("iframe").get_by_role("heading", level=1)
    expect(inside).to_have_text("PageRank")
    page.get_by_role("link", name="Changes").click()
    expect(page.locator("main")).to_contain_text("nothing to compare")


def test_the_page_follows_the_language_of_the_browser(browser: Browser, address: str) -> None:
    context = browser.new_context(locale="ru-RU", java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}search?q=поиск")
    expect(page.get_by_role("button", name="Найти")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "ru")
    page.get_by_role("link", name="English").click()
    expect(page.get_by_role("button", name="Search")).to_be_visible()
    expect(page).to_have_url(re.compile("q=.*ui=en"))
    context.close()


def test_the_print_view_has_results_and_no_controls(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}search?q=index")
    page.emulate_media(media="print")
    for gone in (".box", ".facets", ".pager", ".tabs", "footer", ".hit summary"):
        expect(page.locator(gone).first).to_be_hidden()
    expect(page.locator(".hit h2").first).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text("Results for index")
    after = "getComputedStyle(document.querySelector('.hit h2 a'), '::after').content"
    assert "http://127.0.0.2" in page.evaluate(after) or "http://127.0.0.4" in page.evaluate(after)
    context.close()


def test_a_result_page_is_small_and_self_contained(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    sizes: list[int] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("requestfinished", lambda one: sizes.append(one.sizes()["responseBodySize"]))
    page.goto(f"{address}search?q=search+engine")
    page.wait_for_load_state("networkidle")
    assert page.locator(".hit").count() == 10
    assert all(url.startswith(address) for url in asked)
    assert len(sizes) >= 4
    assert 5000 < sum(size for size in sizes if size > 0) < MAX_PAGE_BYTES
    context.close()
