"""Every page, for everybody: light and dark, wide and narrow, without JavaScript, by keys alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from browser.looks import NARROW_VIEWPORT, WIDE_VIEWPORT, accessibility_violations
from playwright.sync_api import Browser, Page, StorageState, expect
from running import run_up

from byway.app.accounts import open_accounts
from byway.core.model.account import Role
from byway.core.settings.schema import Settings
from byway.storage.data_folder import DataFolder
from byway.village import Village

PHRASE = "a good long phrase"
LOOKS = {
    "wide, light": {"viewport": WIDE_VIEWPORT, "color_scheme": "light"},
    "wide, dark": {"viewport": WIDE_VIEWPORT, "color_scheme": "dark"},
    "narrow, light": {"viewport": NARROW_VIEWPORT, "color_scheme": "light"},
    "narrow, dark": {"viewport": NARROW_VIEWPORT, "color_scheme": "dark"},
}
FOR_ALL = [
    "",
    "search",
    "search?q=index",
    "search?q=index&site=127.0.0.4&lang=en&sort=date&duplicates=1",
    "search?q=no+such+zzz",
    "search?q=index&page=50",
    "search?q=index&limit=1000",
    "search?q=index&ui=ru",
    "images?q=index",
    "products?q=shoes",
    "nowhere",
]
VIEWS = ["text", "html", "links", "changes"]
OWN = ["account", "account/history", "account?ui=ru", "account/history?ui=ru"]
DESK = ["", "/crawl", "/hosts", "/errors", "/traps", "/inspect", "/rules", "/removed", "/ranking"]
DESK += ["/users"]
ADMINS = [*OWN, *(f"admin{path}" for path in DESK), "admin?ui=ru", "admin/users?ui=ru"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the pages are, and what the browser of an admin has kept."""

    url: str
    kept: list[str]
    admin: StorageState


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Place]:
    data = tmp_path_factory.mktemp("every")
    options = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--pages", "30"]
    with Village() as village, run_up(data, *options, village.url("manual")) as run:
        run.wait_until_indexed()
        accounts = open_accounts(DataFolder(data), Settings())
        accounts.create("ada", PHRASE, Role.ADMIN)
        accounts.store.close()
        context = browser.new_context()
        page = context.new_page()
        log_in(page, run.url)
        page.goto(f"{run.url}search?q=index")
        cached = page.get_by_role("link", name="Cached").first.get_attribute("href") or ""
        kept = [f"{cached[1:]}&view={view}" for view in VIEWS]
        yield Place(run.url, kept, context.storage_state())
        context.close()


def log_in(page: Page, url: str) -> None:
    page.goto(f"{url}login")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PHRASE)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("link", name="ada")).to_be_visible()


@pytest.mark.parametrize("look", LOOKS)
def test_no_page_keeps_anybody_out(browser: Browser, place: Place, look: str) -> None:
    wrong: list[object] = []

    def note(error: object) -> None:
        wrong.append(str(error))

    for admin, paths in ((False, [*FOR_ALL, *place.kept, "login"]), (True, ADMINS)):
        state = place.admin if admin else None
        context = browser.new_context(bypass_csp=True, storage_state=state, **LOOKS[look])  # type: ignore[arg-type]
        page = context.new_page()
        page.on("pageerror", note)
        for path in paths:
            page.goto(place.url + path)
            assert page.url == place.url + path
            for folded in page.locator("summary").all()[:1]:
                folded.click()
            wrong += [(path, *barrier) for barrier in accessibility_violations(page)]
            if page.evaluate("document.documentElement.scrollWidth > innerWidth + 1"):
                wrong.append((path, "wider than the window"))
        context.close()
    assert not wrong


def test_every_page_is_there_without_javascript(browser: Browser, place: Place) -> None:
    context = browser.new_context(java_script_enabled=False, storage_state=place.admin)
    page = context.new_page()
    for path in (*FOR_ALL, *place.kept, *ADMINS):
        reply = page.goto(place.url + path)
        known = {"nowhere": 404, "search?q=index&limit=1000": 400}.get(path, 200)
        assert reply and reply.status == known, path
        assert page.url == place.url + path
        expect(page.get_by_role("heading", level=1).first).to_be_attached()
        expect(page.locator("html")).to_have_attribute("lang", "ru" if "ui=ru" in path else "en")
    context.close()


def test_whatever_has_the_focus_is_seen_to_have_it(browser: Browser, place: Place) -> None:
    context = browser.new_context(storage_state=place.admin)
    page = context.new_page()
    for path in ("", "search?q=index", place.kept[0], "account", "admin", "admin/crawl"):
        page.goto(place.url + path)
        page.locator("body").press("Escape")
        seen = set()
        for _ in range(60):
            page.keyboard.press("Tab")
            tag, text, ring = page.evaluate(FOCUSED)
            if tag == "BODY":
                break
            assert ring, f"{path}: {tag} {text}"
            seen.add((tag, text))
        assert len(seen) >= 4, path
    context.close()


FOCUSED = """() => {
    const here = document.activeElement, box = here.closest("form.box");
    const ringed = (one) => one && getComputedStyle(one).outlineStyle !== "none";
    return [here.tagName, here.textContent.slice(0, 40), Boolean(ringed(here) || ringed(box))];
}"""


def test_an_admin_needs_no_mouse(browser: Browser, place: Place) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{place.url}login")
    page.get_by_label("Name").focus()
    page.keyboard.type("ada")
    page.keyboard.press("Tab")
    page.keyboard.type(PHRASE)
    page.keyboard.press("Enter")
    to(page, "Admin")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    to(page, "Inspect a URL")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Inspect a URL")).to_be_visible()
    to(page, "", "INPUT")  # the search box
    page.keyboard.type("index")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/search\?q=index"))
    to(page, "ada")
    page.keyboard.press("Enter")
    to(page, "Log out")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Log in")).to_be_visible()
    context.close()


def to(page: Page, text: str, tag: str = "") -> None:
    """Press Tab until something with this text has the focus."""
    expect(page.locator("body")).to_be_visible()
    for _ in range(80):
        page.keyboard.press("Tab")
        found, said, _ = page.evaluate(FOCUSED)
        if (text and said.strip() == text) or (tag and found == tag):
            return
    raise AssertionError(f"no way to {text or tag} by keys")
