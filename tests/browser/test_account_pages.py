"""Personalized results, history and the admin's ranking page, with and without JavaScript."""

import json
import re
from pathlib import Path

import pytest
from pace import wait_until
from playwright.sync_api import Browser, Page, expect

from browser.demo import DemoSite
from browser.page_checks import (
    NARROW_VIEWPORT,
    WIDE_VIEWPORT,
    accessibility_violations,
    is_wider_than_window,
)
from byway.core.model.account import Role


def open_history(page: Page, demo: DemoSite, entries: int) -> None:
    """Open the history with so many entries; each is recorded shortly after its response."""

    def is_complete() -> bool:
        page.goto(f"{demo.url}account/history")
        return page.locator(".entries bdi").count() == entries

    assert wait_until(is_complete)


def hosts(page: Page) -> list[str]:
    return [text.split(" › ")[0] for text in page.locator(".hit .where").all_text_contents()]


def test_clicks_boost_a_host_and_are_explained(page: Page, demo: DemoSite) -> None:
    demo.log_in(page)
    page.goto(f"{demo.url}search?q=index")
    title = page.locator(".hit h2 a").first
    name = title.inner_text()
    title.click()
    expect(page).not_to_have_url(re.compile(re.escape(demo.url)))
    open_history(page, demo, 2)
    expect(page.locator("main")).to_contain_text("+4% because you opened 1 page there")
    page.goto(f"{demo.url}search?q=index")
    hit = page.locator(".hit", has_text=name).first
    hit.locator("summary").click()
    expect(hit.locator(".why")).to_contain_text("+4% because you opened 1 page there")
    page.get_by_role("link", name="Turn personalization off").click()
    expect(page).to_have_url(re.compile("personalize=0"))
    expect(page.locator("main")).to_contain_text("These results are not personalized.")
    expect(page.locator("main")).not_to_contain_text("because you opened")


def test_result_links_are_direct_with_javascript_and_tracked_without(
    browser: Browser, demo: DemoSite
) -> None:
    for script in (True, False):
        context = browser.new_context(java_script_enabled=script)
        page = context.new_page()
        demo.log_in(page)
        page.goto(f"{demo.url}search?q=index")
        href = page.locator(".hit h2 a").first.get_attribute("href") or ""
        assert href.startswith("http://127." if script else "/open?url=")
        context.close()


def test_a_site_can_be_blocked_shown_and_preferred(page: Page, demo: DemoSite) -> None:
    demo.log_in(page)
    page.goto(f"{demo.url}search?q=index")
    host = demo.host("manual")
    assert host in hosts(page)
    hit = page.locator(".hit", has_text=host).first
    hit.locator("summary").click()
    hit.get_by_role("link", name="Show this site more or less often").click()
    expect(page.get_by_label("Site", exact=True)).to_have_value(host)
    page.get_by_label("Show").select_option("never")
    page.locator("#preferences").get_by_role("button", name="Save").click()
    expect(page.locator("main")).to_contain_text("not shown because you blocked it")
    page.goto(f"{demo.url}search?q=index")
    assert host not in hosts(page)
    expect(page.locator(".personal").first).to_contain_text("1 site you blocked: show")
    page.get_by_role("link", name="show", exact=True).click()
    expect(page.locator(".personal").first).to_contain_text("Showing sites you blocked")
    assert host in hosts(page)
    page.goto(f"{demo.url}account/history")
    page.get_by_label("Site", exact=True).fill(host)
    page.get_by_label("Show").select_option("more often")
    page.locator("#preferences").get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    page.goto(f"{demo.url}search?q=index")
    assert hosts(page)[0] == host
    page.goto(f"{demo.url}account/history")
    page.get_by_label("Strength of personalization").select_option("Off")
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    page.goto(f"{demo.url}search?q=index")
    assert page.locator(".personal").count() == 0


def test_the_history_can_be_deleted_and_exported(page: Page, demo: DemoSite) -> None:
    demo.log_in(page)
    for words in ("index", "search", "robin"):
        page.goto(f"{demo.url}search?q={words}")
    open_history(page, demo, 3)
    page.get_by_role("button", name="Delete for search").click()
    expect(page.locator(".entries bdi")).to_have_text(["robin", "index"])
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as JSON").click()
    told = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert [each["text"] for each in told["queries"]] == ["robin", "index"]
    page.get_by_role("button", name="Delete history").click()
    expect(page.locator(".entries li")).to_have_count(0)


def test_weights_are_previewed_judged_evaluated_and_saved(page: Page, demo: DemoSite) -> None:
    demo.log_in(page, Role.ADMIN)
    page.goto(f"{demo.url}admin/ranking")
    page.get_by_label("Query to preview").fill("index")
    page.get_by_label("title_coverage", exact=True).fill("9")
    page.get_by_label("bm25", exact=True).fill("0")
    page.get_by_role("button", name="Preview").click()
    expect(page).to_have_url(re.compile(r"q=index.*weight\.title_coverage=9"))
    expect(page.locator("main")).to_contain_text("title_coverage = 9")
    before, after = page.locator(".placed").all()
    assert before.locator("li").count() == after.locator("li").count() == 10
    assert before.inner_text() != after.inner_text()
    expect(after.locator(".moved.up").first).to_be_visible()
    after.get_by_role("button", name=re.compile("^Relevant")).first.click()
    pressed = page.locator('[aria-pressed="true"]')
    expect(pressed.first).to_have_text(re.compile("Relevant"))
    expect(page.locator("#judged")).to_contain_text("1 page judged")
    page.get_by_role("button", name="Evaluate on 1 judged query").click()
    figures = page.locator("#evaluation .figures")
    expect(figures).to_contain_text("With trial weights")
    expect(figures.locator("dd").nth(1)).to_contain_text(re.compile(r"^1\.0000"))
    expect(page.locator("#evaluation")).to_contain_text("p = ")
    page.get_by_role("button", name="Save these weights").click()
    expect(page.get_by_role("status")).to_contain_text("saved to byway.toml")
    assert "title_coverage = 9" in (demo.data / "byway.toml").read_text()
    page.get_by_role("button", name="Reset all to defaults").click()
    expect(page.get_by_role("status")).to_contain_text("reset to their defaults")
    page.get_by_role("button", name="Delete for index").click()
    expect(page.locator("#judged")).to_contain_text("No judged queries yet.")


def test_pages_can_be_judged_by_keyboard(page: Page, demo: DemoSite) -> None:
    demo.log_in(page, Role.ADMIN)
    page.goto(f"{demo.url}admin/ranking?q=robin")
    page.locator(".placed").first.locator("button").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator('[aria-pressed="true"]').first).to_have_text(re.compile("Partly relevant"))
    page.locator('[aria-pressed="true"]').first.focus()
    page.keyboard.press("Space")
    expect(page.locator('[aria-pressed="true"]')).to_have_count(0)


def test_a_rule_is_tested_on_a_page_and_hosts_are_listed(page: Page, demo: DemoSite) -> None:
    demo.log_in(page, Role.ADMIN)
    page.goto(f"{demo.url}admin/rules")
    page.get_by_label("Rule", exact=True).select_option("mediawiki")
    page.get_by_label("URL", exact=True).fill(demo.village.url("encyclopaedia") + "wiki/PageRank")
    page.get_by_role("button", name="Fetch and test").click()
    fits = page.get_by_role("row", name="Rule applies to this page yes")
    expect(fits).to_be_visible()
    page.get_by_label("Admin").get_by_role("link", name="Hosts").click()
    expect(page.locator("main")).to_contain_text(demo.host("manual"))


def test_hosts_can_be_filtered_by_name(page: Page, demo: DemoSite) -> None:
    demo.log_in(page, Role.ADMIN)
    page.goto(f"{demo.url}admin/hosts")
    page.get_by_label("Filter by host name").fill(demo.host("manual"))
    page.keyboard.press("Enter")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody")).to_contain_text(demo.host("manual"))
    page.get_by_role("link", name="Show all").click()
    expect(page.locator("tbody")).to_contain_text(demo.host("encyclopaedia"))


LEFT = "cells => cells.map(cell => Math.round(cell.getBoundingClientRect().left))"
HIGH = """cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map(one => Math.round(one.top))).size;
}"""
"""The number of lines of text in a cell."""


def test_admin_tables_keep_their_columns_on_a_phone(browser: Browser, demo: DemoSite) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 800})
    page = context.new_page()
    demo.log_in(page, Role.ADMIN)
    for place in ("rules", "hosts"):
        page.goto(f"{demo.url}admin/{place}")
        table = page.locator("table").first
        heads = table.locator("thead th")
        cells = table.locator("tbody tr").first.locator("td")
        assert cells.count() == heads.count()
        assert heads.evaluate_all(LEFT) == cells.evaluate_all(LEFT), place
    assert page.locator("tbody td").first.evaluate(HIGH) == 1
    page.goto(f"{demo.url}account")
    address = page.locator("tbody td").nth(1)
    assert (address.inner_text(), address.evaluate(HIGH)) == ("127.0.0.1", 1)
    context.close()


def test_a_button_is_aligned_with_its_field(browser: Browser, demo: DemoSite) -> None:
    context = browser.new_context(viewport=WIDE_VIEWPORT)  # type: ignore[arg-type]
    page = context.new_page()
    demo.log_in(page, Role.ADMIN)
    page.goto(f"{demo.url}admin/removed")
    for form in page.locator("form.line").all():
        field, button = (form.locator(what).bounding_box() for what in ("input:visible", "button"))
        assert field and button
        middles = [one["y"] + one["height"] / 2 for one in (field, button)]
        assert abs(middles[0] - middles[1]) < 3
    context.close()


OWN = ["search?q=index", "account/history", "admin/rules", "admin/hosts"]


@pytest.mark.parametrize(
    ("size", "scheme"), [(WIDE_VIEWPORT, "light"), (NARROW_VIEWPORT, "dark")], ids=str
)
def test_own_pages_are_accessible(
    browser: Browser, demo: DemoSite, size: dict[str, int], scheme: str
) -> None:
    context = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
    page = context.new_page()
    demo.log_in(page, Role.ADMIN)
    page.goto(f"{demo.url}account/history?host={demo.host('manual')}")
    page.locator("#preferences").get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    for place in OWN:
        page.goto(demo.url + place)
        for closed in page.locator("summary").all()[:1]:
            closed.click()
        assert_accessible(page)
    page.goto(f"{demo.url}admin/ranking?q=index&weight.title_coverage=9")
    page.locator(".placed").first.get_by_role("button", name=re.compile("^Relevant")).first.click()
    page.get_by_role("button", name=re.compile("Evaluate on")).click()
    expect(page.locator("#evaluation .figures")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Delete for index").click()
    context.close()


def assert_accessible(page: Page) -> None:
    """No serious accessibility violation, and the page fits the window."""
    assert not accessibility_violations(page), page.url
    assert not is_wider_than_window(page), page.url
