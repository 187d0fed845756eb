"""Beside `byway up`, which holds the index as long as it runs, pages are removed all the same."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from cli.called import byway, refused
from cli.conftest import LOOPBACK
from pace import slowness, until
from running import Running, running

from byway.cli.support.account_setup import accounts_of
from byway.core.model.account import Role, Use
from byway.core.settings.schema import Settings
from byway.storage.data_folder import Folder
from byway.village import Village

LOCAL = ("--delay", "0", "--allow-private", LOOPBACK)
SCOPE = (*LOCAL, "--set", "crawl.tries=1", "--pages", "12")


@pytest.fixture
def up(tmp_path: Path, village: Village) -> Iterator[Running]:
    """`byway up` when its crawl is over, and all it kept can be found."""
    with running(tmp_path, village.url("manual"), *SCOPE) as up:
        up.wait_until_findable()
        yield up


def finds(up: Running, text: str) -> list[str]:
    return [hit["url"] for hit in up.search(text)["hits"]]


def gone_soon(up: Running, url: str) -> bool:
    """Can it not be found any more, within two seconds?"""
    return until(lambda: url not in finds(up, "the"), 2 * slowness(time.perf_counter))


@pytest.mark.alone
def test_a_page_is_removed_and_let_in_again_where_up_serves(tmp_path: Path, up: Running) -> None:
    url = finds(up, "the")[0]
    ran = byway("remove", url, "--json", "--data", tmp_path)
    told = json.loads(ran.out)
    assert (ran.code, told["pages"], told["done"]) == (0, 1, True)
    assert gone_soon(up, url)
    assert byway("remove", "--undo", url, "--data", tmp_path).code == 0
    ran = byway("crawl", *SCOPE, "--data", tmp_path)
    indexer = Folder(tmp_path).writer("index")
    assert f"process {indexer} indexes what came; it can be found in a moment" in ran.out
    assert "next: byway index" not in ran.out
    assert until(lambda: url in finds(up, "the"))


@pytest.mark.alone
def test_a_program_removes_a_page_where_up_serves(tmp_path: Path, up: Running) -> None:
    with accounts_of(Folder(tmp_path), Settings()) as accounts:
        assert accounts
        admin = accounts.make("ada", "a good long phrase", Role.ADMIN)
        key = accounts.make_key(admin, "test", Use.ADMIN)
    url = finds(up, "the")[0]
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    body = json.dumps({"urls": [url]}).encode()
    with urlopen(Request(f"{up.url}api/v1/removed", body, headers), timeout=30) as reply:
        assert json.load(reply) == {"urls": 1, "pages": 1, "done": True}
    assert gone_soon(up, url)


def test_what_was_removed_beside_an_indexer_stays_out_when_all_is_killed(
    tmp_path: Path, up: Running
) -> None:
    url = finds(up, "the")[0]
    assert byway("remove", url, "--data", tmp_path).code == 0
    up.kill_everything()
    assert byway("index", "--data", tmp_path).out == "0 documents indexed\n"
    told = json.loads(byway("search", "--json", "the", "--limit", 100, "--data", tmp_path).out)
    assert told["hits"] and url not in [hit["url"] for hit in told["hits"]]


def test_who_indexes_where_up_does_is_told_so(tmp_path: Path, up: Running) -> None:
    ran = byway("index", "--data", tmp_path)
    assert (ran.code, ran.err) == (0, "")
    indexer = Folder(tmp_path).writer("index")
    assert ran.out == (f"process {indexer} indexes what is crawled as it comes; all is indexed\n")
    says = refused("index", "--rebuild", "--data", tmp_path, code=1)
    assert f"(process {indexer}) is writing the index" in says


def test_while_the_crawl_of_up_runs_a_removal_names_the_way_out(
    tmp_path: Path, village: Village
) -> None:
    with running(tmp_path, village.url("manual"), "--delay", "1", *LOCAL[2:]) as up:
        assert until(lambda: up.status()["indexed"])
        url = finds(up, "the")[0]
        says = refused("remove", url, "--data", tmp_path, code=1)
        assert re.search(rf"a crawl \(process \d+\) is running in {tmp_path}; wait until", says)
        assert f"`byway stop --data {tmp_path}`" in says
        assert url in finds(up, "the")
