"""The search page in use: keys alone, light and dark, wide and narrow, in both languages."""

import re
from collections.abc import Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Route, expect

MOST_BYTES = 60_000


@pytest.fixture
def keys(browser: Browser, address: str) -> Iterator[Page]:
    """A browser with JavaScript, in which none of our pages complains of anything."""
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
    """Where the first hit for these words is shown as it was kept."""
    page.goto(f"{address}search?q={words}")
    return page.get_by_role("link", name="Cached").first.get_attribute("href") or ""


def test_suggestions_are_chosen_by_keys(keys: Page, address: str) -> None:
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
    # How it is mostly written is not settled while links are still counted.
    expect(keys).to_have_url(re.compile("q=inverted", re.IGNORECASE))


def test_who_has_left_the_box_or_chosen_is_not_disturbed_by_a_late_answer(
    keys: Page, address: str
) -> None:
    def late(route: Route) -> None:
        keys.wait_for_timeout(300)
        with suppress(Error):  # nobody waits for it any more
            route.fulfill(json={"suggestions": ["Inverness"]})

    keys.goto(address)
    box, options = keys.get_by_role("combobox"), keys.get_by_role("option")
    expect(box).to_be_focused()
    keys.keyboard.insert_text("inver")
    keys.keyboard.press("Tab")
    expect(box).to_have_value("inver")
    keys.wait_for_timeout(1000)
    expect(options.first).to_be_hidden()
    box.focus()
    keys.keyboard.insert_text("t")
    expect(options.first).to_be_visible()
    keys.route(re.compile("suggest.q="), late)
    with keys.expect_request(re.compile("suggest.q=inverte&")):
        keys.keyboard.insert_text("e")
    keys.keyboard.press("ArrowDown")
    chosen = box.input_value()
    keys.wait_for_timeout(1000)
    expect(options.first).to_have_text(chosen)
    expect(options.first).to_have_attribute("aria-selected", "true")


def test_everything_can_be_done_by_keys(keys: Page, address: str) -> None:
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


def test_colours_follow_the_system_and_then_the_reader(browser: Browser, address: str) -> None:
    def paper(page: Page) -> str:
        found: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return found

    for scheme, dark in (("light", False), ("dark", True)):
        context = browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(address)
        assert (paper(page) == "rgb(21, 24, 26)") is dark
        switch = page.locator("button.theme")
        expect(switch).to_have_text("Colours: automatic")
        switch.click()
        expect(switch).to_have_text("Colours: light")
        assert paper(page) == "rgb(252, 251, 248)"
        switch.click()
        page.goto(f"{address}search?q=search")
        expect(switch).to_have_text("Colours: dark")
        assert paper(page) == "rgb(21, 24, 26)"
        context.close()


def test_results_are_narrowed_down_and_widened(page: Page, address: str) -> None:
    page.goto(f"{address}search?q=index")
    page.locator("#facets").get_by_role("link", name=re.compile(r"127\.0\.0\.4")).click()
    expect(page).to_have_url(re.compile(r"site=127\.0\.0\.4"))
    for where in page.locator(".where").all_text_contents():
        assert where.startswith("127.0.0.4")
    page.get_by_role("link", name="Remove filter").click()
    expect(page).to_have_url(re.compile(r"q=index$"))
    page.get_by_role("link", name="Newest first").click()
    expect(page).to_have_url(re.compile("sort=date"))


def test_a_page_is_read_as_it_was_kept(page: Page, address: str) -> None:
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


def test_russian_is_spoken_to_who_asks_for_it(browser: Browser, address: str) -> None:
    context = browser.new_context(locale="ru-RU", java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}search?q=поиск")
    expect(page.get_by_role("button", name="Найти")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "ru")
    page.get_by_role("link", name="English").click()
    expect(page.get_by_role("button", name="Search")).to_be_visible()
    expect(page).to_have_url(re.compile("q=.*ui=en"))
    context.close()


def test_on_paper_there_are_answers_and_nothing_to_click(browser: Browser, address: str) -> None:
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


def test_a_page_of_results_is_light_and_asks_nobody_else(browser: Browser, address: str) -> None:
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
    assert 5000 < sum(size for size in sizes if size > 0) < MOST_BYTES
    context.close()
