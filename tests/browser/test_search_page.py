"""Basic searches: type, read, turn pages, follow a link, explain a hit."""

import re

from playwright.sync_api import Page, expect


def search(page: Page, address: str, words: str) -> None:
    page.goto(address)
    box = page.locator("#q")
    box.fill(words)
    box.press("Enter")


def test_a_query_finds_a_page_that_can_be_opened(page: Page, address: str) -> None:
    search(page, address, "inverted index")
    first = page.get_by_role("heading", level=2).get_by_role("link").first
    expect(first).to_have_text("Inverted index")
    expect(page.locator("mark").first).to_have_text("inverted")
    first.click()
    expect(page).to_have_url(re.compile("/wiki/Inverted_index$"))


def test_the_home_page_has_the_number_of_pages(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator("main")).to_contain_text(re.compile(r"Search [\d,]+ pages"))
    expect(page.locator("#q")).to_be_focused()


def test_result_pages_can_be_turned(page: Page, address: str) -> None:
    search(page, address, "search")
    titles = page.get_by_role("heading", level=2).get_by_role("link")
    first = titles.all_text_contents()
    page.get_by_role("link", name="Page 2").click()
    expect(page).to_have_url(re.compile("page=2"))
    assert set(titles.all_text_contents()).isdisjoint(first)


def test_a_query_without_results_gets_advice(page: Page, address: str) -> None:
    search(page, address, '"no such phrase anywhere"')
    expect(page.locator("main")).to_contain_text("No results for")


def test_russian_words_match_in_other_forms(page: Page, address: str) -> None:
    search(page, address, "поисковые машины")
    first = page.get_by_role("heading", level=2).get_by_role("link").first
    expect(first).to_contain_text("Поисковая машина")


def test_a_hit_has_an_explanation(page: Page, address: str) -> None:
    search(page, address, "pagerank")
    why = page.locator("details").first
    why.locator("summary").click()
    expect(why).to_contain_text("proximity")
    expect(why).to_contain_text("bm25")


def test_no_other_host_is_contacted(page: Page, address: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    search(page, address, "search engine")
    assert asked
    assert [url for url in asked if not url.startswith(address)] == []
