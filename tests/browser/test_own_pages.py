"""One's own results and the admin's ranking, in a browser, with and without JavaScript."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from browser.looks import NARROW_VIEWPORT, WIDE_VIEWPORT, accessibility_violations
from pace import wait_until
from playwright.sync_api import Browser, Page, expect

from byway.app.accounts import open_accounts
from byway.core.model.account import Role
from byway.core.settings.schema import Settings
from byway.storage.data_folder import DataFolder
from byway.village import Village

BYWAY = [sys.executable, "-m", "byway"]
PHRASE = "a good long phrase"


@dataclass(frozen=True, slots=True)
class Served:
    """A site, and the village that was crawled for it."""

    url: str
    data: Path
    village: Village
    numbers: "count[int]"

    def log_in(self, page: Page, role: Role = Role.USER) -> None:
        """Somebody new comes in."""
        name = f"ada{next(self.numbers)}"
        accounts = open_accounts(DataFolder(self.data), Settings())
        with closing(accounts.store):
            accounts.create(name, PHRASE, role)
        page.goto(f"{self.url}login")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(PHRASE)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("link", name=name)).to_be_visible()

    def look_back(self, page: Page, deeds: int) -> None:
        """Go where so many deeds are told; each is noted a moment after its answer is given."""

        def all_told() -> bool:
            page.goto(f"{self.url}account/history")
            return page.locator(".entries bdi").count() == deeds

        assert wait_until(all_told)

    def host(self, name: str) -> str:
        return self.village.url(name).split("/")[2]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("own")
    options = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--pages", "120"]
    settings = ["--set", "crawl.allow_private=127.0.0.0/8", "--port", "0"]
    with Village() as village:
        seeds = [village.url(name) for name in ("encyclopaedia", "manual")]
        for typed in (["crawl", *options, *seeds], ["index"]):
            subprocess.run([*BYWAY, *typed, "--data", str(data)], check=True, timeout=100)
        with subprocess.Popen(
            [*BYWAY, "serve", *settings, "--data", str(data)], stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr
            yield Served(process.stderr.readline().split()[2], data, village, count())
            process.terminate()
            process.wait(30)


def hosts(page: Page) -> list[str]:
    return [text.split(" › ")[0] for text in page.locator(".hit .where").all_text_contents()]


def test_what_one_opens_counts_and_says_so(page: Page, served: Served) -> None:
    served.log_in(page)
    page.goto(f"{served.url}search?q=index")
    title = page.locator(".hit h2 a").first
    name = title.inner_text()
    title.click()
    expect(page).not_to_have_url(re.compile(re.escape(served.url)))
    served.look_back(page, 2)
    expect(page.locator("main")).to_contain_text("+4 % because you opened 1 page there")
    page.goto(f"{served.url}search?q=index")
    hit = page.locator(".hit", has_text=name).first
    hit.locator("summary").click()
    expect(hit.locator(".why")).to_contain_text("+4 % because you opened 1 page there")
    page.get_by_role("link", name="Turn personalization off").click()
    expect(page).to_have_url(re.compile("personal=0"))
    expect(page.locator("main")).to_contain_text("These results are not personalized.")
    expect(page.locator("main")).not_to_contain_text("because you opened")


def test_with_a_script_links_lead_straight_and_without_by_way_of_us(
    browser: Browser, served: Served
) -> None:
    for script in (True, False):
        context = browser.new_context(java_script_enabled=script)
        page = context.new_page()
        served.log_in(page)
        page.goto(f"{served.url}search?q=index")
        href = page.locator(".hit h2 a").first.get_attribute("href") or ""
        assert href.startswith("http://127." if script else "/open?url=")
        context.close()


def test_a_site_is_blocked_and_shown_and_wished_for(page: Page, served: Served) -> None:
    served.log_in(page)
    page.goto(f"{served.url}search?q=index")
    host = served.host("manual")
    assert host in hosts(page)
    hit = page.locator(".hit", has_text=host).first
    hit.locator("summary").click()
    hit.get_by_role("link", name="More or less of this site").click()
    expect(page.get_by_label("Site", exact=True)).to_have_value(host)
    page.get_by_label("Show").select_option("nothing of it")
    page.locator("#preferences").get_by_role("button", name="Save").click()
    expect(page.locator("main")).to_contain_text("not shown because you blocked it")
    page.goto(f"{served.url}search?q=index")
    assert host not in hosts(page)
    expect(page.locator(".personal").first).to_contain_text("1 site blocked by you: show")
    page.get_by_role("link", name="show", exact=True).click()
    expect(page.locator(".personal").first).to_contain_text("Sites that you blocked are shown")
    assert host in hosts(page)
    page.goto(f"{served.url}account/history")
    page.get_by_label("Site", exact=True).fill(host)
    page.get_by_label("Show").select_option("more of it")
    page.locator("#preferences").get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    page.goto(f"{served.url}search?q=index")
    assert hosts(page)[0] == host
    page.goto(f"{served.url}account/history")
    page.get_by_label("Strength of personalization").select_option("Off")
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    page.goto(f"{served.url}search?q=index")
    assert page.locator(".personal").count() == 0


def test_what_is_remembered_is_forgotten_one_by_one_and_taken_along(
    page: Page, served: Served
) -> None:
    served.log_in(page)
    for words in ("index", "search", "robin"):
        page.goto(f"{served.url}search?q={words}")
    served.look_back(page, 3)
    page.get_by_role("button", name="Delete for search").click()
    expect(page.locator(".entries bdi")).to_have_text(["robin", "index"])
    with page.expect_download() as download:
        page.get_by_role("link", name="Export as JSON").click()
    told = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert [each["text"] for each in told["asked"]] == ["robin", "index"]
    page.get_by_role("button", name="Delete history").click()
    expect(page.locator(".entries li")).to_have_count(0)


def test_weights_are_tried_judged_measured_and_saved(page: Page, served: Served) -> None:
    served.log_in(page, Role.ADMIN)
    page.goto(f"{served.url}admin/ranking")
    page.get_by_label("Query to preview").fill("index")
    page.get_by_label("title", exact=True).fill("9")
    page.get_by_label("words", exact=True).fill("0")
    page.get_by_role("button", name="Preview").click()
    expect(page).to_have_url(re.compile(r"q=index.*weight\.title_coverage=9"))
    expect(page.locator("main")).to_contain_text("title = 9")
    before, after = page.locator(".placed").all()
    assert before.locator("li").count() == after.locator("li").count() == 10
    assert before.inner_text() != after.inner_text()
    expect(after.locator(".moved.up").first).to_be_visible()
    after.get_by_role("button", name="Relevant").first.click()
    pressed = page.locator('[aria-pressed="true"]')
    expect(pressed.first).to_have_text(re.compile("Relevant"))
    expect(page.locator("#judged")).to_contain_text("1 page judged")
    page.get_by_role("button", name="Measure over 1 judged query").click()
    figures = page.locator("#evaluation .figures")
    expect(figures).to_contain_text("With trial weights")
    expect(figures.locator("dd").nth(1)).to_contain_text(re.compile(r"^1\.0000"))
    expect(page.locator("#evaluation")).to_contain_text("p = ")
    page.get_by_role("button", name="Save these weights").click()
    expect(page.get_by_role("status")).to_contain_text("saved in byway.toml")
    assert "title = 9" in (served.data / "byway.toml").read_text()
    page.get_by_role("button", name="Reset all to defaults").click()
    expect(page.get_by_role("status")).to_contain_text("by default")
    page.get_by_role("button", name="Delete for index").click()
    expect(page.locator("#judged")).to_contain_text("None yet.")


def test_pages_are_judged_by_keys_alone(page: Page, served: Served) -> None:
    served.log_in(page, Role.ADMIN)
    page.goto(f"{served.url}admin/ranking?q=robin")
    page.locator(".placed").first.locator("button").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator('[aria-pressed="true"]').first).to_have_text(re.compile("Somewhat"))
    page.locator('[aria-pressed="true"]').first.focus()
    page.keyboard.press("Space")
    expect(page.locator('[aria-pressed="true"]')).to_have_count(0)


def test_a_rule_is_tried_on_a_page_and_hosts_are_listed(page: Page, served: Served) -> None:
    served.log_in(page, Role.ADMIN)
    page.goto(f"{served.url}admin/rules")
    page.get_by_label("Rule", exact=True).select_option("mediawiki")
    page.get_by_label("URL", exact=True).fill(served.village.url("encyclopaedia") + "wiki/PageRank")
    page.get_by_role("button", name="Fetch and test").click()
    fits = page.get_by_role("row", name="Rule applies to this page yes")
    expect(fits).to_be_visible()
    page.get_by_label("Admin").get_by_role("link", name="Hosts").click()
    expect(page.locator("main")).to_contain_text(served.host("manual"))


def test_hosts_are_narrowed_down_by_a_part_of_their_name(page: Page, served: Served) -> None:
    served.log_in(page, Role.ADMIN)
    page.goto(f"{served.url}admin/hosts")
    page.get_by_label("Part of a host name").fill(served.host("manual"))
    page.keyboard.press("Enter")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody")).to_contain_text(served.host("manual"))
    page.get_by_role("link", name="Show all").click()
    expect(page.locator("tbody")).to_contain_text(served.host("encyclopaedia"))


LEFT = "cells => cells.map(cell => Math.round(cell.getBoundingClientRect().left))"
HIGH = """cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map(one => Math.round(one.top))).size;
}"""
"""In how many lines does it stand?"""


def test_tables_of_the_admin_are_tables_even_on_a_phone(browser: Browser, served: Served) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 800})
    page = context.new_page()
    served.log_in(page, Role.ADMIN)
    for place in ("rules", "hosts"):
        page.goto(f"{served.url}admin/{place}")
        table = page.locator("table").first
        heads = table.locator("thead th")
        cells = table.locator("tbody tr").first.locator("td")
        assert cells.count() == heads.count()
        assert heads.evaluate_all(LEFT) == cells.evaluate_all(LEFT), place
    assert page.locator("tbody td").first.evaluate(HIGH) == 1
    page.goto(f"{served.url}account")
    address = page.locator("tbody td").nth(1)
    assert (address.inner_text(), address.evaluate(HIGH)) == ("127.0.0.1", 1)
    context.close()


def test_a_button_stands_beside_its_field(browser: Browser, served: Served) -> None:
    context = browser.new_context(viewport=WIDE_VIEWPORT)  # type: ignore[arg-type]
    page = context.new_page()
    served.log_in(page, Role.ADMIN)
    page.goto(f"{served.url}admin/removed")
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
def test_nothing_keeps_anybody_out(
    browser: Browser, served: Served, size: dict[str, int], scheme: str
) -> None:
    context = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
    page = context.new_page()
    served.log_in(page, Role.ADMIN)
    page.goto(f"{served.url}account/history?host={served.host('manual')}")
    page.locator("#preferences").get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    for place in OWN:
        page.goto(served.url + place)
        for closed in page.locator("summary").all()[:1]:
            closed.click()
        assert_open_to_all(page)
    page.goto(f"{served.url}admin/ranking?q=index&weight.title_coverage=9")
    page.locator(".placed").first.get_by_role("button", name="Relevant").first.click()
    page.get_by_role("button", name=re.compile("Measure over")).click()
    expect(page.locator("#evaluation .figures")).to_be_visible()
    assert_open_to_all(page)
    page.get_by_role("button", name="Delete for index").click()
    context.close()


def assert_open_to_all(page: Page) -> None:
    """Nothing serious is found by axe, and the page fits the window."""
    assert not accessibility_violations(page), page.url
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), page.url
