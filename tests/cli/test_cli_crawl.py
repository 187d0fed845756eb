"""Hosts that never answer are given up soon; hosts that have answered are waited for."""

import http.server
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import LOOPBACK_NETWORK
from cli.runner import byway
from serving import QuickShutdownServer

from byway.app.processes.crawl_progress import CrawlSnapshot
from byway.cli.support.progress import progress_text
from byway.core.messages import Reason
from byway.core.model.crawl_progress import CrawlProgress
from byway.core.settings.schema import CrawlSettings
from byway.crawl.politeness import next_retry_at
from byway.storage.sqlite.crawl_db.schema import open_to_write
from byway.storage.sqlite.storage import SqliteStorage
from byway.village import Village

LOCAL = ("--delay", "0", "--allow-private", LOOPBACK_NETWORK)


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address at which nobody listens, as long as the test lasts."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{taken.getsockname()[1]}"


def test_a_crawl_without_any_answer_ends_soon_with_the_cure(tmp_path: Path, nobody: str) -> None:
    begun = time.monotonic()
    ran = byway("crawl", nobody, *LOCAL, "--set", "crawl.max_retries=1", "--data", tmp_path)
    assert time.monotonic() - begun < 40  # and not the eleven minutes that others are left alone
    first, *_, last = ran.stderr.splitlines()
    refused = f"{nobody}: robots.txt could not be fetched: connection refused by {nobody}; "
    assert first == f"{refused}next attempt in 5 s"
    assert last.startswith(f"byway: No host responded: {refused[:-2]}. Check the URL")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "unreachable: 1" in re.sub(r" +", ": ", byway("status", "--data", tmp_path).stdout)


def test_a_crawl_without_any_answer_fails_with_json_too(tmp_path: Path, nobody: str) -> None:
    quick = ("--set", "crawl.max_retries=1", "--set", "crawl.retry_delay=0.1", "--json")
    log = tmp_path / "visits.log"
    ran = byway("crawl", nobody, *LOCAL, *quick, "--log-file", log, "--data", tmp_path / "data")
    assert (ran.exit_code, '"failed": 2' in ran.stdout) == (1, True)
    assert f"waiting reason=note.waiting cause=host_failed host={nobody} " in log.read_text()
    assert "byway: No host responded: " in ran.stderr


@pytest.mark.parametrize(
    ("hosts", "said"), [(4, "1 more host"), (5, "2 more hosts"), (120, "at least 97 more hosts")]
)
def test_hosts_that_did_not_answer_are_counted(
    tmp_path: Path, nobody: str, hosts: int, said: str
) -> None:
    port = nobody.rpartition(":")[2]
    named = [f"127.0.0.{n}:{port}" for n in range(1, hosts + 1)]
    ran = byway("crawl", *named, *LOCAL, "--set", "crawl.max_retries=0", "--data", tmp_path)
    assert ran.exit_code == 1
    assert f"; and {said}. Check the URL" in ran.stderr


def test_a_dead_seed_beside_a_live_one_is_given_up_soon(
    tmp_path: Path, nobody: str, village: Village
) -> None:
    few = ("--depth", 0, "--concurrency", 1)  # so that the live one answers first
    dead = [nobody, nobody.replace("127.0.0.1", "127.0.0.2")]
    begun = time.monotonic()
    also = (*LOCAL, *few, "--set", "crawl.max_retries=1", "--data", tmp_path)
    ran = byway("crawl", village.url("library"), *dead, *also)
    assert time.monotonic() - begun < 40  # and not eleven minutes
    assert ran.exit_code == 0 and " kept in total, " in ran.stdout
    last = ran.stderr.splitlines()[-1]
    assert last.startswith("2 hosts did not respond: ") and last.endswith(
        "; the next `byway crawl` tries them again"
    )
    assert f"{nobody}: robots.txt could not be fetched: connection refused by {nobody};" in last
    again = byway("crawl", *LOCAL, "--set", "crawl.max_retries=0", "--data", tmp_path)
    assert again.exit_code == 1 and all(f"refused by {host}" in again.stderr for host in dead)


@pytest.fixture
def falling() -> Iterator[str]:
    """A host that answers for its robots.txt, and for nothing else."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/robots.txt":
                self.send_error(404)
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = QuickShutdownServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_host_that_has_answered_is_waited_for(tmp_path: Path, nobody: str, falling: str) -> None:
    settings = ("--set", "crawl.sitemaps=false", "--set", "crawl.favicons=false")
    with crawling(falling, nobody, *LOCAL, *settings, "--data", str(tmp_path)) as crawl:
        told = waits_for(tmp_path)
        while told["seconds"] <= 20:  # the other may have failed before anybody had answered
            time.sleep(0.2)
            told = waits_for(tmp_path)
        assert told["reason"]["text"].startswith(f"{falling}: ") and told["seconds"] <= 60
        assert crawl.poll() is None
    assert status(tmp_path)["states"] == {"unreachable": 2}


def test_a_host_that_answered_before_gets_the_normal_retry_delay(tmp_path: Path) -> None:
    alone = ("--depth", 0, "--set", "crawl.sitemaps=false", "--data", tmp_path)
    settings = ("--set", "crawl.max_retries=1", "--set", "crawl.retry_delay=8", *alone)
    with Village() as village:
        url = village.url("library")
        assert byway("crawl", url, *LOCAL, *settings).exit_code == 0
    ran = byway("crawl", f"{url}never-seen.html", *LOCAL, *settings)
    assert re.search(r"; next attempt in [678] s\n", ran.stderr), ran.stderr
    assert ran.exit_code == 1


def test_retries_are_fast_only_before_the_first_answer() -> None:
    settings = CrawlSettings()
    waits = [next_retry_at(settings, n, 0.0, 0.0, retry_soon=True) for n in range(3)]
    assert waits == [5.0, 20.0, None]
    assert [next_retry_at(settings, n, 0.0, 0.0) for n in range(3)] == [60.0, 240.0, None]
    brief = CrawlSettings(retry_delay=2)
    assert next_retry_at(brief, 0, 0.0, 0.0, retry_soon=True) == 2.0


@contextmanager
def crawling(*words: str) -> Iterator[subprocess.Popen[str]]:
    """A crawl in a process of its own, which is stopped at the end."""
    typed = [sys.executable, "-m", "byway", "crawl", *words]
    with subprocess.Popen(typed, stderr=subprocess.PIPE, text=True) as crawl:
        try:
            yield crawl
        finally:
            crawl.send_signal(signal.SIGTERM)
            crawl.wait(20)


def status(data: Path) -> dict[str, Any]:
    ran = byway("status", "--json", "--data", data)
    told: dict[str, Any] = json.loads(ran.stdout) if ran.exit_code == 0 else {"crawl_wait": None}
    return told


def waits_for(data: Path) -> dict[str, Any]:
    """What a crawl says that it waits for, within some seconds."""
    end = time.monotonic() + 30
    while (waiting := status(data)["crawl_wait"]) is None:
        assert time.monotonic() < end, status(data)
        time.sleep(0.2)
    found: dict[str, Any] = waiting
    return found


def test_status_and_log_show_what_a_crawl_waits_for(tmp_path: Path, falling: str) -> None:
    data = ("--data", str(tmp_path))
    with crawling(falling, *LOCAL, "--set", "crawl.retry_delay=300", *data):
        told = waits_for(tmp_path)
        assert told["seconds"] > 20
        refused = told["reason"]["text"]
        assert refused.startswith(f"{falling}: ")
        shown = byway("status", *data).stdout
        assert re.search(rf"\nwaiting  {re.escape(refused)}; next attempt in \d+ s\n", shown)
    assert status(tmp_path)["crawl_wait"] is None
    with crawling(*LOCAL, *data) as again:  # in which nobody has failed yet
        assert again.stderr
        line = again.stderr.readline()
        assert re.match(rf"{re.escape(refused)}; next attempt in \d+ s\n", line), line
        assert waits_for(tmp_path)["reason"]["text"] == refused


def test_a_host_in_backoff_is_named_in_the_next_run(tmp_path: Path, nobody: str) -> None:
    data = ("--data", str(tmp_path))
    assert byway("crawl", nobody, *LOCAL, "--set", "crawl.max_retries=0", *data).exit_code == 1
    with closing(open_to_write(tmp_path / "crawl.db")) as db:
        db.execute("update host set crawl_delay = 400")  # as after nine failures in a row
    with crawling(*LOCAL, *data) as again:
        told = waits_for(tmp_path)
        assert (
            told["reason"]["text"].startswith(f"{nobody}: ")
            and "connection refused" in told["reason"]["text"]
        )
        assert 300 < told["seconds"] <= 400
        assert again.stderr
        assert "connection refused" in again.stderr.readline()


def test_the_wait_of_a_killed_crawl_is_not_shown(tmp_path: Path) -> None:
    folder = SqliteStorage(tmp_path)
    folder.create()
    reason = Reason("host_failed", host="a.org", cause=Reason("no_answer", seconds=30))
    folder.set_crawl_wait(reason, time.time() + 60)
    assert folder.crawl_wait() is None
    with folder.write_lock("crawl"):
        told = folder.crawl_wait()
    assert told and told[0] == reason


def test_the_progress_line_shows_what_is_waited_for() -> None:
    refused = Reason(
        "host_failed", host="a.org", cause=Reason("connection_refused", address="a.org:80")
    )
    now = CrawlProgress(wait_reason=Reason("note.waiting", cause=refused, seconds=5))
    shown = progress_text(CrawlSnapshot(now, 0.0, (), None))
    assert shown.endswith(", a.org: connection refused by a.org:80; next attempt in 5 s")
