"""The first admin: registration, login and the admin pages, with and without JavaScript."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from browser.demo import BYWAY, PASSWORD
from byway.village import Village


@pytest.fixture
def link(tmp_path: Path, village: Village) -> Iterator[str]:
    """The link for the first admin, as `byway up` prints it."""
    typed = ["up", village.url("manual"), "--data", str(tmp_path), "--port", "0"]
    options = ["--delay", "0.2", "--allow-private", "127.0.0.0/8"]
    with subprocess.Popen([*BYWAY, *typed, *options], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        process.stderr.readline()
        yield process.stderr.readline().split()[-1]
        process.terminate()
        process.wait(30)


def become_admin(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the password").fill(PASSWORD)
    page.get_by_role("button", name="Create the admin account").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_the_first_admin_logs_out_and_in_and_works(page: Page, link: str) -> None:
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    become_admin(page, link)
    page.get_by_role("link", name="ada").click()
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("link", name="Log in").click()
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Admin").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    for name in ("Start a crawl", "Hosts", "Errors", "Traps", "Site rules", "Users"):
        page.get_by_label("Admin").get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    start = link.partition("register")[0]
    assert [url for url in asked if not url.startswith(start)] == []
    assert errors == []


def test_the_overview_follows_the_crawl_without_a_reload(browser: Browser, link: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    become_admin(page, link)
    before = page.locator("#figures").inner_text()
    expect(page.locator("#figures")).not_to_have_text(before)
    expect(page.locator("#rate svg")).to_be_visible()
    context.close()
