"""What do the pages look like? Makes docs/images anew: a crawl of the village, seen in Chromium.

python docs/screenshots.py [FOLDER]
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from byway.village import Village

IMAGES_FOLDER = Path(__file__).parent / "images"
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
SITES = ("encyclopaedia", "library", "manual", "shop", "uppers")
DESKTOP_SIZE, PHONE_SIZE = (1180, 800), (390, 800)
ADMIN_PASSWORD = "a good long phrase"

Pose = Callable[..., None]


def main(folder: Path) -> None:
    """All pictures, each in its own window."""
    folder.mkdir(parents=True, exist_ok=True)
    path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None) or sys.exit(
        "no Chromium here"
    )
    with serve_village() as (url, invitation), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name, (scheme, size, pose) in POSES.items():
            take_screenshot(browser, folder / f"{name}.png", scheme, size, partial(pose, url=url))
        take_screenshot(
            browser,
            folder / "admin.png",
            "light",
            DESKTOP_SIZE,
            lambda page: admin(page, invitation),
        )
        browser.close()


@contextmanager
def serve_village() -> Iterator[tuple[str, str]]:
    """Where `byway up` serves the crawled village, and the link for its first admin."""
    with Village() as village, tempfile.TemporaryDirectory() as data:
        known = [village.url(name) for name in SITES]
        typed = [sys.executable, "-m", "byway", "up", *known, "--data", data, "--port", "0"]
        options = ["--delay", "0.02", "--allow-private", "127.0.0.0/8"]
        with subprocess.Popen([*typed, *options], stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr
            try:
                yield process.stderr.readline().split()[2], process.stderr.readline().split()[-1]
            finally:
                process.terminate()


def take_screenshot(
    browser: Browser, file: Path, scheme: str, size: tuple[int, int], pose: Callable[[Page], None]
) -> None:
    """One picture."""
    width, height = size
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme=scheme,  # type: ignore[arg-type]
        locale="en-GB",
    )
    pose(page)
    page.wait_for_load_state("load")
    page.screenshot(path=file)
    page.close()
    print(file)


def home(page: Page, url: str) -> None:
    """As it is when the crawl is over."""
    end = time.monotonic() + 120
    while page.goto(url) and page.locator(".live, .note").count() and time.monotonic() < end:
        time.sleep(1)


def open_warm(page: Page, url: str) -> None:
    """A question, asked again: the first one of all wakes things up."""
    page.goto(url)
    page.reload()


def results(page: Page, url: str) -> None:
    """A question with many answers."""
    open_warm(page, f"{url}search?q=search+engine")


def explanation(page: Page, url: str) -> None:
    """The reasons for a hit, unfolded."""
    open_warm(page, f"{url}search?q=inverted+index")
    page.locator("summary").first.click()


def cached(page: Page, url: str) -> None:
    """A page as it was kept."""
    page.goto(f"{url}search?q=inverted+index")
    page.get_by_role("link", name="Cached").first.click()


def products(page: Page, url: str) -> None:
    """What shops sell, by a question that names a kind and a price."""
    open_warm(page, f"{url}products?q=shoes+under+90")


def admin(page: Page, invitation: str) -> None:
    """The overview, for who has just become admin."""
    page.goto(invitation)
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password", exact=True).fill(ADMIN_PASSWORD)
    page.get_by_label("The same password again").fill(ADMIN_PASSWORD)
    page.get_by_role("button", name="Create the admin account").click()
    page.get_by_role("heading", name="Overview").wait_for()
    time.sleep(3)


POSES: dict[str, tuple[str, tuple[int, int], Pose]] = {
    "home": ("light", DESKTOP_SIZE, home),
    "results": ("light", DESKTOP_SIZE, results),
    "results-dark": ("dark", DESKTOP_SIZE, results),
    "results-phone": ("light", PHONE_SIZE, results),
    "why": ("light", DESKTOP_SIZE, explanation),
    "cached": ("light", DESKTOP_SIZE, cached),
    "goods": ("light", DESKTOP_SIZE, products),
}

if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES_FOLDER)
