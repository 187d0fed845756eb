"""Every page: accessible in light and dark, wide and narrow, without JavaScript, by keyboard."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from browser.demo import PASSWORD, DemoSite
from browser.page_checks import (
    COLOR_RULES,
    NARROW_VIEWPORT,
    WIDE_VIEWPORT,
    accessibility_violations,
    is_wider_than_window,
)
from byway.core.model.account import Role

VIEWPORTS = {"wide": WIDE_VIEWPORT, "narrow": NARROW_VIEWPORT}
PUBLIC_PATHS = [
    "",
    "search",
    "search?q=index",
    "search?q=index&site=127.0.0.4&lang=en&sort=date&include_duplicates=1",
    "search?q=no+such+zzz",
    "search?q=index&page=50",
    "search?q=index&limit=1000",
    "search?q=index&ui=ru",
    "images?q=index",
    "products?q=shoes",
    "nowhere",
]
CACHED_VIEWS = ["text", "html", "links", "changes"]
ACCOUNT_PATHS = ["account", "account/history", "account?ui=ru", "account/history?ui=ru"]
ADMIN_PATHS = ["", "/crawl", "/hosts", "/errors", "/traps", "/inspect", "/rules", "/removed"]
ADMIN_PATHS += ["/ranking", "/users"]
USER_PATHS = [*ACCOUNT_PATHS, *(f"admin{path}" for path in ADMIN_PATHS)]
USER_PATHS += ["admin?ui=ru", "admin/users?ui=ru"]


@dataclass(frozen=True, slots=True)
class Place:
    """The demo site, the paths of a cached page, and the session of an admin."""

    url: str
    cached_paths: list[str]
    admin_name: str
    admin: StorageState


@pytest.fixture(scope="module")
def place(demo: DemoSite, browser: Browser) -> Iterator[Place]:
    context = browser.new_context()
    page = context.new_page()
    name = demo.log_in(page, Role.ADMIN)
    page.goto(f"{demo.url}search?q=index")
    cached = page.get_by_role("link", name="Cached").first.get_attribute("href") or ""
    paths = [f"{cached[1:]}&view={view}" for view in CACHED_VIEWS]
    yield Place(demo.url, paths, name, context.storage_state())
    context.close()


@pytest.mark.parametrize("viewport", VIEWPORTS)
def test_every_page_is_accessible(browser: Browser, place: Place, viewport: str) -> None:
    wrong: list[object] = []

    def note(error: object) -> None:
        wrong.append(str(error))

    for paths, state in (
        ([*PUBLIC_PATHS, *place.cached_paths, "login"], None),
        (USER_PATHS, place.admin),
    ):
        context = browser.new_context(
            bypass_csp=True,
            storage_state=state,
            viewport=VIEWPORTS[viewport],  # type: ignore[arg-type]
        )
        page = context.new_page()
        page.on("pageerror", note)
        for path in paths:
            page.goto(place.url + path)
            assert page.url == place.url + path
            for folded in page.locator("summary").all()[:1]:
                folded.click()
            wrong += [(path, *found) for found in accessibility_violations(page)]
            if is_wider_than_window(page):
                wrong.append((path, "wider than the window"))
            # The dark scheme changes colors and nothing else.
            page.emulate_media(color_scheme="dark")
            dark = accessibility_violations(page, COLOR_RULES)
            wrong += [(path, "dark", *found) for found in dark]
            page.emulate_media(color_scheme="light")
        context.close()
    assert not wrong


def test_every_page_works_without_javascript(browser: Browser, place: Place) -> None:
    context = browser.new_context(java_script_enabled=False, storage_state=place.admin)
    page = context.new_page()
    for path in (*PUBLIC_PATHS, *place.cached_paths, *USER_PATHS):
        reply = page.goto(place.url + path)
        known = {"nowhere": 404, "search?q=index&limit=1000": 400}.get(path, 200)
        assert reply and reply.status == known, path
        assert page.url == place.url + path
        expect(page.get_by_role("heading", level=1).first).to_be_attached()
        expect(page.locator("html")).to_have_attribute("lang", "ru" if "ui=ru" in path else "en")
    context.close()


def test_the_focus_is_visible(browser: Browser, place: Place) -> None:
    context = browser.new_context(storage_state=place.admin)
    page = context.new_page()
    for path in ("", "search?q=index", place.cached_paths[0], "account", "admin", "admin/crawl"):
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
    const ringed = (element) => element && getComputedStyle(element).outlineStyle !== "none";
    return [here.tagName, here.textContent.slice(0, 40), Boolean(ringed(here) || ringed(box))];
}"""


def test_an_admin_can_work_by_keyboard(browser: Browser, place: Place) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{place.url}login")
    page.get_by_label("Name").focus()
    page.keyboard.type(place.admin_name)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
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
    to(page, place.admin_name)
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
        found, shown, _ = page.evaluate(FOCUSED)
        if (text and shown.strip() == text) or (tag and found == tag):
            return
    raise AssertionError(f"{text or tag} cannot be reached by keyboard")
