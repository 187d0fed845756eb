"""A real browser in front of a real server over the crawled village, shared by all tests."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pace import WAIT_TIMEOUT_SECONDS
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from browser.demo import DemoSite, served_demo

CHROMIUM_COMMANDS = ("chromium", "chromium-browser", "google-chrome")
QUIET_FLAGS = ["--no-first-run", "--disable-background-networking", "--disable-component-update"]
LAUNCH_FLAGS = ["--no-sandbox", "--disable-sync", *QUIET_FLAGS]

expect.set_options(timeout=WAIT_TIMEOUT_SECONDS * 1000)


def chromium() -> str:
    """The path of the browser."""
    path = next(filter(None, map(shutil.which, CHROMIUM_COMMANDS)), None)
    assert path, "Chromium is missing; tests/browser/install-chromium installs it"
    return path


# For this package alone: Playwright's event loop would disturb the tests of others.
@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    launched = playwright.chromium.launch(executable_path=chromium(), args=LAUNCH_FLAGS)
    yield launched
    launched.close()


@pytest.fixture
def profile(playwright: Playwright, tmp_path: Path) -> Iterator[Page]:
    """A page of a browser with a profile, which has settings and remembers."""
    context = playwright.chromium.launch_persistent_context(
        tmp_path, executable_path=chromium(), args=LAUNCH_FLAGS
    )
    yield context.new_page()
    context.close()


@pytest.fixture(scope="package")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DemoSite]:
    """The demo site, built once for all tests."""
    with served_demo(tmp_path_factory.mktemp("demo")) as site:
        yield site


@pytest.fixture
def address(demo: DemoSite) -> str:
    """The URL of the demo site."""
    return demo.url


@pytest.fixture(params=[True, False], ids=["with JavaScript", "without JavaScript"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A page of a new context, with and without JavaScript."""
    context = browser.new_context(java_script_enabled=request.param)
    yield context.new_page()
    context.close()
