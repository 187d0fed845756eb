"""The demo site: three sites of the village, crawled, indexed and served with accounts."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from playwright.sync_api import Page, expect

from byway.app.accounts import open_accounts
from byway.core.model.account import Role
from byway.core.settings.schema import Settings
from byway.village import Village

BYWAY = [sys.executable, "-m", "byway"]
PASSWORD = "a good long phrase"
DEMO_SITES = ("encyclopaedia", "library", "manual")
LOOPBACK_SETTING = "crawl.allow_private=127.0.0.0/8"
CRAWL_SETTINGS = ("crawl.delay=0", "crawl.max_pages=150", LOOPBACK_SETTING)


@dataclass(frozen=True, slots=True)
class DemoSite:
    """A server over a crawled village, with accounts."""

    url: str
    data: Path
    village: Village
    account_numbers: "count[int]"

    def host(self, site: str) -> str:
        """The host of a site of the village, with its port."""
        return self.village.url(site).split("/")[2]

    def log_in(self, page: Page, role: Role = Role.USER) -> str:
        """Log in with a new account; returns its name."""
        name = f"ada{next(self.account_numbers)}"
        with open_accounts(self.data, Settings()) as accounts:
            accounts.create(name, PASSWORD, role)
        page.goto(f"{self.url}login")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("link", name=name)).to_be_visible()
        return name


@contextmanager
def served_demo(data: Path) -> Iterator[DemoSite]:
    """Crawl, index and serve the demo sites."""
    with Village() as village:
        seeds = [village.url(name) for name in DEMO_SITES]
        options = [option for setting in CRAWL_SETTINGS for option in ("--set", setting)]
        for command in (["crawl", *options, *seeds], ["index"]):
            typed = [*BYWAY, *command, "--data", str(data)]
            subprocess.run(typed, check=True, capture_output=True, timeout=200)
        with _serve(data) as url:
            yield DemoSite(url, data, village, count())


@contextmanager
def _serve(data: Path) -> Iterator[str]:
    typed = [*BYWAY, "serve", "--set", LOOPBACK_SETTING, "--port", "0", "--data", str(data)]
    with subprocess.Popen(typed, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        yield first_url(process.stderr.readline())
        process.terminate()
        process.wait(30)


def first_url(line: str) -> str:
    """The URL in a line that the server prints."""
    found = re.search(r"http://\S+", line)
    assert found, line
    return found.group()
