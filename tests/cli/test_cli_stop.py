"""`byway stop` ends a crawl, and nothing but the crawl."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.conftest import LOOPBACK_NETWORK
from cli.runner import byway
from running import run_up

from byway.core.messages import t
from byway.storage.sqlite.storage import SqliteStorage
from byway.village import Village

SLOWLY = ("--delay", "1", "--allow-private", LOOPBACK_NETWORK)


def wait_for(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_up_keeps_serving_when_its_crawl_is_stopped(tmp_path: Path, village: Village) -> None:
    with run_up(tmp_path, village.url("manual"), *SLOWLY) as up:
        wait_for(lambda: up.status()["indexed"])
        ran = byway("stop", "--data", tmp_path)
        assert (ran.exit_code, ran.stdout) == (0, "")
        assert (
            "The crawl has stopped." in ran.stderr and t("cli.stop.indexer_running") in ran.stderr
        )
        assert not up.status()["crawling"]
        assert up.search("the")["hits"]
        assert byway("stop", "--data", tmp_path).stderr == f"No crawl is running in {tmp_path}.\n"
        up.send_signal(signal.SIGUSR1)  # as one does who saw the crawl a moment ago
        time.sleep(0.5)
        assert up.search("the")["hits"]
        assert up.interrupt() == 0


@pytest.mark.parametrize("moment", ["at once", "when pages come"])
def test_the_crawl_of_up_can_be_stopped_at_any_moment(
    tmp_path: Path, village: Village, moment: str
) -> None:
    with run_up(tmp_path, village.url("manual"), *SLOWLY) as up:
        wait_for(
            SqliteStorage(tmp_path).crawler_pid
            if moment == "at once"
            else lambda: up.status()["pages"]
        )
        assert byway("stop", "--data", tmp_path).exit_code == 0
        wait_for(lambda: not up.status()["crawling"])


def crawling(data: Path, village: Village) -> list[str]:
    typed = [sys.executable, "-m", "byway", "crawl", village.url("manual"), *SLOWLY]
    return [*typed, "--data", str(data)]


EARLY = """
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
os.kill(os.getpid(), signal.SIGUSR1)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Starts a command that has been told to stop, which it hears when it listens."""


def test_a_crawl_can_be_stopped_before_it_has_started(tmp_path: Path, village: Village) -> None:
    typed = [sys.executable, "-c", EARLY, *crawling(tmp_path, village)]
    crawl = subprocess.run(typed, capture_output=True, text=True, timeout=30, check=True)
    assert crawl.stderr == t("cli.crawl.stopping") + "\n"
    assert (
        crawl.stdout
        == "stopped, with 1 URL still queued: 0 pages fetched in this run, 0 kept in total\n"
    )


def test_a_stopped_crawl_command_does_not_mention_serving(tmp_path: Path, village: Village) -> None:
    with subprocess.Popen(crawling(tmp_path, village), stderr=subprocess.PIPE) as crawl:
        wait_for(SqliteStorage(tmp_path).crawler_pid)
        ran = byway("stop", "--data", tmp_path)
        assert t("cli.stop.stopped") in ran.stderr
        assert "served" not in ran.stderr
        assert crawl.wait(30) == 0
