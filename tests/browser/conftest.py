"""A real browser in front of a real search page over the crawled village."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pace import WAIT_TIMEOUT_SECONDS
from playwright.sync_api import Browser, Page, expect, sync_playwright
from running import run_up

from byway.village import Village

CHROMIUM_COMMANDS = ("chromium", "chromium-browser", "google-chrome")
QUIET_FLAGS = ["--no-first-run", "--disable-background-networking", "--disable-component-update"]
LAUNCH_FLAGS = ["--no-sandbox", "--disable-sync", *QUIET_FLAGS]

expect.set_options(timeout=WAIT_TIMEOUT_SECONDS * 1000)


def chromium() -> str:
    """Where the browser is."""
    path = next(filter(None, map(shutil.which, CHROMIUM_COMMANDS)), None)
    assert path, "Chromium is missing; tests/browser/install-chromium installs it"
    return path


# For this module alone: Playwright runs an event loop that others would stumble over.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(), args=LAUNCH_FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[Page]:
    """A browser of somebody's own, which has settings and remembers."""
    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            tmp_path, executable_path=chromium(), args=LAUNCH_FLAGS
        )
        yield context.new_page()
        context.close()


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where `byway up` serves its search page over three of the village's sites."""
    options = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--pages", "150"]
    with Village() as village:
        seeds = [village.url(name) for name in ("encyclopaedia", "library", "manual")]
        with run_up(tmp_path_factory.mktemp("browsed"), *options, *seeds) as run:
            run.wait_until_indexed()
            yield run.url


@pytest.fixture(params=[True, False], ids=["with JavaScript", "without JavaScript"])
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=request.param)
    yield context.new_page()
    context.close()
