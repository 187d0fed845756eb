"""Other commands beside `byway up`, which locks the index while it runs."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from cli.conftest import LOOPBACK_NETWORK
from cli.runner import byway, error_line
from pace import slowness, wait_until
from running import UpProcess, run_up

from byway.app.accounts import open_accounts
from byway.core.messages import t
from byway.core.model.account import ApiKeyScope, Role
from byway.core.settings.schema import Settings
from byway.storage.sqlite.storage import SqliteStorage
from byway.village import Village

LOCAL = ("--delay", "0", "--allow-private", LOOPBACK_NETWORK)
SCOPE = (*LOCAL, "--set", "crawl.max_retries=0", "--pages", "12")


@pytest.fixture
def up(tmp_path: Path, village: Village) -> Iterator[UpProcess]:
    """`byway up` when its crawl is over, and all it kept can be found."""
    with run_up(tmp_path, village.url("manual"), *SCOPE) as up:
        up.wait_until_indexed()
        yield up


def finds(up: UpProcess, text: str) -> list[str]:
    return [hit["url"] for hit in up.search(text)["hits"]]


def gone_soon(up: UpProcess, url: str) -> bool:
    """Can it not be found any more, within two seconds?"""
    return wait_until(lambda: url not in finds(up, "the"), 2 * slowness(time.perf_counter))


@pytest.mark.alone
def test_a_page_is_removed_and_restored_beside_up(tmp_path: Path, up: UpProcess) -> None:
    url = finds(up, "the")[0]
    ran = byway("remove", url, "--json", "--data", tmp_path)
    told = json.loads(ran.stdout)
    assert (ran.exit_code, told["pages"], told["is_complete"]) == (0, 1, True)
    assert gone_soon(up, url)
    assert byway("remove", "--undo", url, "--data", tmp_path).exit_code == 0
    ran = byway("crawl", *SCOPE, "--data", tmp_path)
    indexer = SqliteStorage(tmp_path).writer_pid("index")
    assert t("cli.crawl.indexer_running", pid=indexer) in ran.stdout
    assert "Next: byway index" not in ran.stdout
    assert wait_until(lambda: url in finds(up, "the"))


@pytest.mark.alone
def test_the_api_removes_a_page_of_up(tmp_path: Path, up: UpProcess) -> None:
    with open_accounts(tmp_path, Settings()) as accounts:
        admin = accounts.create("ada", "a good long phrase", Role.ADMIN)
        key = accounts.create_key(admin, "test", ApiKeyScope.ADMIN)
    url = finds(up, "the")[0]
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    body = json.dumps({"urls": [url]}).encode()
    with urlopen(Request(f"{up.url}api/v1/removed", body, headers), timeout=30) as reply:
        assert json.load(reply) == {"urls": 1, "pages": 1, "is_complete": True}
    assert gone_soon(up, url)


def test_a_page_removed_beside_an_indexer_stays_removed_after_a_kill(
    tmp_path: Path, up: UpProcess
) -> None:
    url = finds(up, "the")[0]
    assert byway("remove", url, "--data", tmp_path).exit_code == 0
    up.kill_all()
    assert byway("index", "--data", tmp_path).stdout == "0 documents indexed\n"
    told = json.loads(byway("search", "--json", "the", "--limit", 100, "--data", tmp_path).stdout)
    assert told["hits"] and url not in [hit["url"] for hit in told["hits"]]


def test_index_beside_up_names_the_running_indexer(tmp_path: Path, up: UpProcess) -> None:
    ran = byway("index", "--data", tmp_path)
    assert (ran.exit_code, ran.stderr) == (0, "")
    indexer = SqliteStorage(tmp_path).writer_pid("index")
    assert ran.stdout == (t("cli.index.other_indexer_done", pid=indexer) + "\n")
    says = error_line("index", "--rebuild", "--data", tmp_path, exit_code=1)
    assert f"byway process ({indexer}) is writing the index" in says


def test_a_removal_during_the_crawl_of_up_is_refused_with_the_cure(
    tmp_path: Path, village: Village
) -> None:
    with run_up(tmp_path, village.url("manual"), "--delay", "1", *LOCAL[2:]) as up:
        assert wait_until(lambda: up.status()["indexed"])
        url = finds(up, "the")[0]
        says = error_line("remove", url, "--data", tmp_path, exit_code=1)
        assert re.search(rf"A crawl \(process \d+\) is running in {tmp_path}. Wait until", says)
        assert f"`byway stop --data {tmp_path}`" in says
        assert url in finds(up, "the")
