"""`byway stop` ends a crawl, and nothing but the crawl."""

import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.called import byway
from cli.conftest import LOOPBACK
from running import running

from byway.backends.embedded.folder import Folder
from byway.village import Village

SLOWLY = ("--delay", "1", "--allow-private", LOOPBACK)


def wait_for(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_where_up_crawls_the_page_is_served_on(tmp_path: Path, village: Village) -> None:
    with running(tmp_path, village.url("manual"), *SLOWLY) as up:
        wait_for(lambda: up.status()["indexed"])
        ran = byway("stop", "--data", tmp_path)
        assert (ran.code, ran.out) == (0, "")
        assert "the crawl is stopped" in ran.err and "`byway up` is served on" in ran.err
        assert not up.status()["crawling"]
        assert up.search("the")["hits"]
        assert byway("stop", "--data", tmp_path).err == "no crawl is running here\n"
        assert up.interrupt() == 0


@pytest.mark.parametrize("moment", ["at once", "when pages come"])
def test_up_may_be_told_at_any_moment(tmp_path: Path, village: Village, moment: str) -> None:
    with running(tmp_path, village.url("manual"), *SLOWLY) as up:
        wait_for(Folder(tmp_path).crawler if moment == "at once" else lambda: up.status()["pages"])
        assert byway("stop", "--data", tmp_path).code == 0
        wait_for(lambda: not up.status()["crawling"])


def test_what_serves_nothing_is_not_said_to(tmp_path: Path, village: Village) -> None:

    typed = [sys.executable, "-m", "byway", "crawl", village.url("manual"), *SLOWLY]
    with subprocess.Popen([*typed, "--data", str(tmp_path)], stderr=subprocess.PIPE) as crawl:
        wait_for(Folder(tmp_path).crawler)
        ran = byway("stop", "--data", tmp_path)
        assert re.search("the crawl is stopped; `byway crawl` goes on", ran.err)
        assert "served" not in ran.err
        assert crawl.wait(30) == 0
