"""Product search: detected filters, facets, price range, sort order, price history."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from shops import crawl_shops_twice
from web.crawled_site import served_search

from browser.page_checks import (
    COLOR_RULES,
    NARROW_VIEWPORT,
    WIDE_VIEWPORT,
    accessibility_violations,
    is_wider_than_window,
)


@pytest.fixture(scope="module")
def shops(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of product search over the shops of the village."""
    folder = tmp_path_factory.mktemp("browsed shops")
    for engine, _ in crawl_shops_twice(folder / "data", folder / "sites"):
        with served_search(engine) as site:
            yield site.url


def prices(page: Page) -> list[str]:
    return page.locator(".product .cost strong").all_text_contents()


def test_products_can_be_filtered_sorted_and_opened(page: Page, shops: str) -> None:
    page.goto(f"{shops}search?q=shoes")
    page.get_by_role("link", name="Products", exact=True).click()
    box = page.locator("#q")
    box.fill("красные туфли 38 размера до 9000")
    box.press("Enter")
    chips = page.locator(".chips .understood-chip")
    expect(chips).to_have_count(4)
    expect(chips.first).to_contain_text("red")
    expect(page.locator(".product")).to_have_count(3)

    page.get_by_role("link", name="Remove filter Size: 38").click()
    expect(chips).to_have_count(3)
    expect(page.locator("#q")).not_to_have_value(re.compile("38"))

    page.get_by_label("from", exact=True).fill("5000")
    page.get_by_label("to", exact=True).fill("8500")
    page.get_by_label("to", exact=True).press("Enter")
    expect(page).to_have_url(re.compile("min_price=5000&max_price=8500&currency=RUB"))
    expect(page.locator(".product")).to_have_count(2)

    page.get_by_role("link", name="Most expensive first").click()
    expect(page).to_have_url(re.compile("sort=-price.*|.*sort=-price"))
    assert [price.replace("\xa0", " ") for price in prices(page)] == ["8,190 RUB", "5,490 RUB"]

    here, before = page.url, prices(page)
    first = page.locator(".product h2 a").first
    target = first.get_attribute("href") or ""
    first.click()
    expect(page).to_have_url(target)
    page.go_back()
    expect(page).to_have_url(here)
    assert prices(page) == before


def test_a_shop_filter_can_be_set_and_removed(page: Page, shops: str) -> None:
    page.goto(f"{shops}products?q=boots")
    all_of_them = page.locator(".count").text_content()
    page.locator("#facets").get_by_role("link", name=re.compile(r"^127\.0\.0\.8")).click()
    expect(page).to_have_url(re.compile("shop=127.0.0.8"))
    for where in page.locator(".product .where").all_text_contents():
        assert where.startswith("127.0.0.8")
    page.get_by_role("link", name=re.compile("Remove filter Shop")).click()
    expect(page).to_have_url(re.compile("q=boots$"))
    assert (page.locator(".count").text_content() or "")[:10] == (all_of_them or "")[:10]


def test_a_price_history_has_a_chart_and_a_table(page: Page, shops: str) -> None:
    page.goto(f"{shops}products?q=туфли на танкетке липа")
    page.get_by_role("link", name=re.compile("Price history")).first.click()
    expect(page.get_by_role("img", name=re.compile("^Price:"))).to_be_visible()
    expect(page.locator("table.history tbody tr")).to_have_count(2)
    expect(page.locator("table.history")).to_contain_text("4,490")


def test_a_query_without_products_offers_all(page: Page, shops: str) -> None:
    page.goto(f"{shops}products?q=qwertyuiop")
    expect(page.locator(".product")).to_have_count(0)
    page.get_by_role("link", name="Show all products").click()
    expect(page.locator(".product")).to_have_count(10)


@pytest.mark.parametrize("place", ["products?q=red+shoes", "products?q=qwertyuiop", "products"])
@pytest.mark.parametrize("size", [WIDE_VIEWPORT, NARROW_VIEWPORT], ids=["wide", "narrow"])
def test_product_pages_are_accessible(
    browser: Browser, shops: str, place: str, size: dict[str, int]
) -> None:
    context = browser.new_context(viewport=size, bypass_csp=True)  # type: ignore[arg-type]
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(shops + place)
    assert not accessibility_violations(page)
    assert not is_wider_than_window(page)
    page.emulate_media(color_scheme="dark")
    assert not accessibility_violations(page, COLOR_RULES)
    assert all(url.startswith(shops) for url in asked), "no other host is asked"
    context.close()
