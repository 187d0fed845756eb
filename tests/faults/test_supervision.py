"""kill -9 of each process of `byway up`: it is started again, reported, and nothing is lost."""

import os
import signal
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from cli.runner import byway
from pace import slowness, wait_until
from running import UpProcess, is_alive, query_rows, recorded_pages, run_up
from web.account_site import UserBrowser
from web.fake_site import HttpBrowser

from byway.app.processes.local_runner import STABLE_SECONDS
from byway.core.model import ProcessState, RunState
from byway.storage.process_states import FileProcessStates
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.village import Village

KILLS = int(os.environ.get("KILLS", "1"))
"""How often each process is killed."""
PROCESSES = ("crawl", "indexer", "web-1", "extraction-1")
RESTART_SECONDS = 8.0
"""Within this time a killed process runs again, and the web server answers."""


def options(village: Village, delay: float) -> list[str]:
    seeds = [village.url(name) for name in ("manual", "encyclopaedia", "library")]
    limits = ["--set", "crawl.max_retries=0", "--set", "extract.workers=1"]
    return [*seeds, "--delay", str(delay), "--allow-private", "127.0.0.0/8", *limits]


def state_of(data: Path, name: str) -> ProcessState | None:
    states = {state.name: state for state in FileProcessStates(data).read()}
    return states.get(name)


def wait_until_running(data: Path, name: str, former_pid: int = 0) -> ProcessState:
    """The state of a process that runs, and is another than the one before."""

    def running() -> bool:
        state = state_of(data, name)
        return state is not None and state.pid not in (0, former_pid)

    assert wait_until(running), f"{name}: {state_of(data, name)}"
    state = state_of(data, name)
    assert state
    return state


def kill(data: Path, name: str, is_stable: bool = True) -> float:
    """kill -9; returns the time of it when the process runs again.

    `is_stable`: only when it has run so long that it is started again without delay.
    """
    before = wait_until_running(data, name)
    if is_stable and before.restarts:
        time.sleep(max(0.0, before.running_since + STABLE_SECONDS + 0.1 - time.time()))
    os.kill(before.pid, signal.SIGKILL)
    killed_at = time.monotonic()
    after = wait_until_running(data, name, before.pid)
    assert after.state is RunState.RUNNING
    assert (after.restarts, after.exit_code) == (before.restarts + 1, -signal.SIGKILL)
    return killed_at


def kept_urls(data: Path) -> set[str]:
    with closing(open_to_read(data / "crawl.db")) as db:
        return {url for (url,) in query_rows(db, "select url from url where state = 'kept'")}


def check_reports(up: UpProcess, data: Path, name: str) -> None:
    """The API and the health check tell of the restart."""
    state = state_of(data, name)
    (told,) = [one for one in up.status()["processes"] if one["name"] == name]
    assert state and told["restarts"] >= 1 and told["exit_code"] == -signal.SIGKILL
    (health,) = [one for one in up.health()["processes"] if one["name"] == name]
    assert health["restarts"] >= 1


@pytest.mark.alone
def test_each_killed_process_is_started_again_and_nothing_is_lost(
    tmp_path: Path, village: Village
) -> None:
    took: dict[str, list[float]] = {name: [] for name in PROCESSES}
    data = tmp_path / "killed"
    with run_up(data, *options(village, delay=1.0)) as up:
        admin = UserBrowser(HttpBrowser(up.url))
        admin.register(up.invitation())
        for _ in range(KILLS):
            for name in PROCESSES:
                killed_at = kill(data, name)
                check_reports(up, data, name)  # a new web server must answer
                took[name].append(time.monotonic() - killed_at)
        shown = byway("status", "--data", data).stdout
        page = admin.get("/admin").text
        for name in PROCESSES:
            assert f"<code>{name}</code>" in page and f"  {name} " in shown
        assert "1 restart" in shown and "last exit code -9" in shown and "last exit code -9" in page
        assert up.status()["crawling"]
        assert up.interrupt() == 0
    print({name: [round(seconds, 1) for seconds in all] for name, all in took.items()})
    slowest = max(max(seconds) for seconds in took.values())
    assert slowest < RESTART_SECONDS * slowness(time.perf_counter)

    with run_up(data, *options(village, delay=0)) as up:
        up.wait_until_indexed()
        assert up.status()["indexed"] == len(kept_urls(data))
        assert up.interrupt() == 0
    byway("crawl", *options(village, delay=0), "--data", tmp_path / "whole")
    assert kept_urls(data) == kept_urls(tmp_path / "whole")
    counts = Counter(url for _, url in recorded_pages(data))
    assert [url for url, count in counts.items() if count > 1] == []


def test_a_restarting_crawl_can_be_stopped(tmp_path: Path, village: Village) -> None:
    with run_up(tmp_path, *options(village, delay=1.0)) as up:
        for _ in range(3):  # so that the next restart takes a while
            kill(tmp_path, "crawl", is_stable=False)
        before = wait_until_running(tmp_path, "crawl")
        os.kill(before.pid, signal.SIGKILL)
        assert wait_until(
            lambda: (state := state_of(tmp_path, "crawl")) and state.state is RunState.RESTARTING
        )
        assert byway("stop", "--data", tmp_path).exit_code == 0
        assert wait_until(
            lambda: (state := state_of(tmp_path, "crawl")) and state.state is RunState.ENDED
        )
        assert not up.status()["crawling"]
        assert up.interrupt() == 0
    assert not is_alive(before.pid)
