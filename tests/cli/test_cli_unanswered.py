"""A crawl that nobody answers says so soon; one that somebody answers waits for the others."""

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.called import byway
from cli.conftest import LOOPBACK

from byway.cli.live import described
from byway.crawl.recorder import Progress
from byway.crawl.schedule import try_again_at
from byway.settings import CrawlSettings
from byway.village import Village

LOCAL = ("--delay", "0", "--allow-private", LOOPBACK)


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address at which nobody listens, as long as the test lasts."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


def test_a_crawl_that_nobody_answers_ends_soon_with_the_cure(tmp_path: Path, nobody: str) -> None:
    begun = time.monotonic()
    ran = byway("crawl", nobody, *LOCAL, "--set", "crawl.tries=2", "--data", tmp_path)
    assert time.monotonic() - begun < 40  # and not the eleven minutes that others are left alone
    first, *_, last = ran.err.splitlines()
    refused = f"{nobody}: robots.txt did not come: connection refused by {nobody}; "
    assert first == f"{refused}trying again in 5 s"
    assert last.startswith(f"byway: nobody answered: {refused}check the address")
    assert (ran.code, ran.out) == (1, "")
    assert "unreachable: 1" in re.sub(r" +", ": ", byway("status", "--data", tmp_path).out)


def test_a_crawl_that_nobody_answers_says_so_in_json_too(tmp_path: Path, nobody: str) -> None:
    quick = ("--set", "crawl.tries=2", "--set", "crawl.retry_after=0.1", "--json")
    log = tmp_path / "visits.log"
    ran = byway("crawl", nobody, *LOCAL, *quick, "--log", log, "--data", tmp_path / "data")
    assert (ran.code, '"failed": 2' in ran.out) == (1, True)
    assert f"connection refused by {nobody}; trying again in 0 s\n" in log.read_text()
    assert "byway: nobody answered: " in ran.err


@pytest.mark.parametrize(
    ("hosts", "said"), [(4, "1 more host"), (5, "2 more hosts"), (120, "at least 97 more hosts")]
)
def test_hosts_that_did_not_answer_are_counted(
    tmp_path: Path, nobody: str, hosts: int, said: str
) -> None:
    port = nobody.rpartition(":")[2]
    named = [f"127.0.0.{n}:{port}" for n in range(1, hosts + 1)]
    ran = byway("crawl", *named, *LOCAL, "--set", "crawl.tries=1", "--data", tmp_path)
    assert ran.code == 1
    assert f"; and {said}; check the address" in ran.err


def test_a_crawl_that_somebody_answers_waits_for_the_others(
    tmp_path: Path, nobody: str, village: Village
) -> None:
    typed = [sys.executable, "-m", "byway", "crawl", village.url("library"), nobody, *LOCAL]
    with subprocess.Popen(
        [*typed, "--data", str(tmp_path)], stderr=subprocess.PIPE, text=True
    ) as crawl:
        try:
            assert crawl.stderr
            waits = (int(found[1]) for line in crawl.stderr if (found := AGAIN.search(line)))
            # It may have failed before the library answered; then it is tried again soon, once.
            assert next(wait for wait in waits if wait != 5) > 500
            assert crawl.poll() is None
        finally:
            crawl.send_signal(signal.SIGTERM)
            crawl.wait(20)


AGAIN = re.compile(r"trying again in (\d+) s")


def test_a_host_that_answered_before_is_left_its_time(tmp_path: Path) -> None:
    alone = ("--depth", 0, "--set", "crawl.sitemaps=false", "--data", tmp_path)
    settings = ("--set", "crawl.tries=2", "--set", "crawl.retry_after=8", *alone)
    with Village() as village:
        url = village.url("library")
        assert byway("crawl", url, *LOCAL, *settings).code == 0
    ran = byway("crawl", f"{url}never-seen.html", *LOCAL, *settings)
    assert re.search(r"; trying again in [678] s\n", ran.err), ran.err
    assert ran.code == 1


def test_tries_come_soon_only_where_nobody_has_answered() -> None:
    settings = CrawlSettings()
    waits = [try_again_at(settings, n, 0.0, 0.0, soon=True) for n in range(3)]
    assert waits == [5.0, 20.0, None]
    assert [try_again_at(settings, n, 0.0, 0.0) for n in range(3)] == [60.0, 240.0, None]
    brief = CrawlSettings(retry_after=2)
    assert try_again_at(brief, 0, 0.0, 0.0, soon=True) == 2.0


def test_who_watches_sees_what_is_waited_for() -> None:
    now = Progress(waiting="a.org: connection refused by a.org:80; trying again in 5 s")
    assert described(now, 0.0, (), None).endswith(", a.org: connection refused by a.org:80; "
                                                  "trying again in 5 s")  # fmt: skip
