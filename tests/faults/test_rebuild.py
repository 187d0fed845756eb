"""An index that is built anew: the old one answers until the new one stands, whoever is killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from cli.runner import byway, error_line
from contract.backends import embedded_backend

from byway.app.engine import Engine
from byway.app.search import search_session
from byway.core.errors import DataError
from byway.core.model import DiscoveredUrl, Outcome, Page, Query, UrlState
from byway.core.settings.schema import IndexSettings, Settings
from byway.core.url import normalize
from byway.index.schema import INDEX_VERSION
from byway.index.sharded_index import ShardedIndex
from byway.search.rank.position_features import position_features
from byway.storage.sqlite.storage import SqliteStorage

PAGES = 300
SMALL = ("--set", "index.batch_size=20")
HTML = (
    "<title>alpha {n}</title><h1>beta {n}</h1><p>Apples number {n}, and {words}: those who sell "
    "them say that they are good for you, and those who grow them say nothing at all of it.</p>"
)
LOOK = 0.01
"""Seconds between two looks at how far it is; a batch takes several times as long."""
RULE = 'title = "h1"\n\n[match]\ncss = "h1"\n'
"""With it, pages are called beta."""


def keep(path: Path, first: int, count: int) -> None:
    """Keep pages, as a crawl would."""
    with embedded_backend(path) as backend:
        urls = [normalize(f"http://h{n}.org/") for n in range(first, first + count)]
        backend.frontier.add(DiscoveredUrl(url) for url in urls)
        outcomes = []
        for n, visit in enumerate(backend.frontier.lease(count, now=1e9), first):
            body = HTML.format(n=n, words=" ".join(f"word{n * m}" for m in range(50))).encode()
            kind = (("Content-Type", "text/html; charset=utf-8"),)
            page = Page(visit.url, 1.0, 200, kind, body, visit.id)
            (place,) = backend.pages.append([(page, visit.url.encode())])
            digest = visit.url.encode()
            outcomes.append(Outcome(visit, UrlState.KEPT, page=page, location=place, digest=digest))
        backend.frontier.finish(outcomes)


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages called alpha, all of them findable."""
    path = tmp_path_factory.mktemp("rebuild") / "data"
    keep(path, 0, PAGES)
    Engine(path, Settings()).index()
    assert titles(path) == {"alpha"}
    return path


@pytest.fixture
def data(indexed: Path, tmp_path: Path) -> Path:
    """A copy of it, and a rule by which pages are called beta once they are read again."""
    path = shutil.copytree(indexed, tmp_path / "data")
    (path / "sites").mkdir()
    (path / "sites/fruit.toml").write_text(RULE)
    return path


def titles(path: Path, pages: int = PAGES) -> set[str]:
    """What pages are called, of which all must be found."""
    with search_session(SqliteStorage(path), Settings()) as asked:
        found = asked.search(Query("apples", max_hits=20))
        assert found.total == asked.status().indexed == pages
        return {hit.title.split()[0] for hit in found.hits}


def there(path: Path) -> list[str]:
    """Documents, indexes and what names them, in the folder."""
    names = [
        one.name
        for one in path.iterdir()
        if one.name.startswith(("documents", "index", "generation", "next_generation"))
    ]
    beside = (".lock", "-wal", "-shm", ".log")
    return sorted(name for name in names if not name.endswith(beside))


def share(path: Path) -> float | None:
    """How far a new index is; None if there is none."""
    with search_session(SqliteStorage(path), Settings()) as asked:
        building = asked.status().rebuild
        return building.progress if building else None


@contextmanager
def working(path: Path, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """`byway index` as a process of its own, killed with all it started if it is still there."""
    process = subprocess.Popen(
        [sys.executable, "-m", "byway", "index", "--data", str(path), *SMALL, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def kill_at(path: Path, enough: float, *words: str) -> None:
    """kill -9 for `byway index` as soon as that much of the new index is done."""
    with working(path, *words) as process:
        while (done := share(path)) is None or done < enough:
            assert process.poll() is None, process.stdout and process.stdout.read()
            time.sleep(LOOK)
        os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def asking(path: Path) -> Iterator[list[str]]:
    """Somebody asks all the while in another process; the list is what is wrong, in the end."""
    said: list[str] = []
    typed = [sys.executable, str(Path(__file__).with_name("asking.py")), str(path), str(PAGES)]
    with subprocess.Popen(typed, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "right: long\n"
        try:
            yield said
        finally:
            process.kill()
            said += process.stdout.read().splitlines()


def test_who_asks_during_a_rebuild_always_gets_a_whole_answer(data: Path) -> None:
    with asking(data) as said:
        for step in range(3):  # alpha to beta, and back, and to beta
            with working(data, "--rebuild") as process:
                assert process.wait(60) == 0
            rule = data / "sites/fruit.toml"
            rule.unlink() if step == 0 else rule.write_text(RULE)
        time.sleep(0.5)
    assert {line for line in said[:-1] if not line.startswith("right: ")} == set()
    assert len(said) > 20
    assert titles(data) == {"beta"}
    assert len(there(data)) == 3


@pytest.mark.parametrize("enough", [0.0, 0.1, 0.4, 0.7, 0.95])
def test_a_rebuild_that_is_killed_leaves_the_old_index_and_goes_on(
    data: Path, enough: float
) -> None:
    kill_at(data, enough, "--rebuild")
    assert titles(data) == {"alpha"}
    building = json.loads(byway("status", "--json", "--data", data).stdout)["rebuild"]
    assert building["progress"] >= enough and not building["is_running"]
    assert "`byway index` continues it" in byway("status", "--data", data).stdout
    keep(data, PAGES, 5)  # and meanwhile there are more pages
    assert byway("index", "--data", data).exit_code == 0
    assert titles(data, PAGES + 5) == {"beta"}
    names = there(data)
    assert len(names) == 3 and "generation.json" in names


def test_a_rebuild_after_one_that_was_killed_begins_again(data: Path) -> None:
    kill_at(data, 0.6, "--rebuild")
    before = there(data)
    (data / "sites/fruit.toml").unlink()
    assert byway("index", "--rebuild", "--data", data).stdout == f"{PAGES} documents indexed\n"
    assert titles(data) == {"alpha"}
    assert len(there(data)) == 3 and not {*there(data)} & {*before}


def test_how_far_it_is_can_be_seen(data: Path) -> None:
    seen = []
    with working(data, "--rebuild") as process:
        while process.poll() is None:
            with search_session(SqliteStorage(data), Settings()) as asked:
                status = asked.status()
            assert status.indexed == PAGES
            if status.rebuild and status.rebuild.is_running:
                assert not status.crawling
                seen.append(status.rebuild.progress)
            time.sleep(LOOK)
    assert seen == sorted(seen) and 0 < max(seen) <= 1
    assert share(data) is None


def test_who_stops_a_crawl_stops_no_rebuild(data: Path) -> None:
    with working(data, "--rebuild") as process:
        while share(data) is None:
            assert process.poll() is None
            time.sleep(LOOK)
        assert byway("stop", "--data", data).stderr == f"No crawl is running in {data}.\n"
        assert json.loads(byway("report", "--json", "--data", data).stdout)["crawling"] is False
        assert process.wait(60) == 0
    assert titles(data) == {"beta"}


def test_what_somebody_killed_could_not_delete_is_deleted(data: Path) -> None:
    for name in ("documents-0123abcd.db", "documents-0123abcd.db-wal"):
        (data / name).write_bytes(b"old")
    (data / "index-0123abcd/tantivy").mkdir(parents=True)
    (data / "index.log").write_text("of somebody else")
    assert byway("index", "--data", data).exit_code == 0
    assert there(data) == ["documents.db", "index"]
    assert (data / "index.log").exists()


def test_where_a_crawl_runs_what_is_left_of_a_rebuild_goes(
    data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kill_at(data, 0.3, "--rebuild")
    engine = Engine(data, Settings())
    with engine.storage.write_lock("crawl"):
        assert engine.index().documents == 0
    assert "`byway index --rebuild` starts it again" in caplog.text
    assert (there(data), titles(data)) == (["documents.db", "index"], {"alpha"})


# Little room.


def test_without_room_nothing_is_begun(data: Path) -> None:
    little = ("--set", "crawl.min_free_disk_mb=1000000000", "--data", data)
    says = error_line("index", "--rebuild", *little, exit_code=1)
    assert says.startswith("Only ") and "The old index is unchanged" in says
    assert (there(data), titles(data)) == (["documents.db", "index"], {"alpha"})


@pytest.mark.parametrize("enough", [0.1, 0.7])
def test_where_room_ends_the_new_index_goes_and_the_old_one_stays(
    data: Path, enough: float
) -> None:
    kill_at(data, enough, "--rebuild")
    says = error_line(
        "index", "--set", "crawl.min_free_disk_mb=1000000000", "--data", data, exit_code=1
    )
    assert "MB of disk space is free" in says
    assert "crawl.min_free_disk_mb reserves 1,000,000,000 MB" in says
    assert (there(data), titles(data)) == (["documents.db", "index"], {"alpha"})


# What other code, or nobody, can read.


def made_by_other_code(data: Path) -> None:
    said = {"version": INDEX_VERSION - 1, "sequence": PAGES}
    for marker in (data / "index").rglob("state.json"):
        marker.write_text(json.dumps(said))


def test_an_index_of_another_version_stays_until_the_new_one_stands(data: Path) -> None:
    made_by_other_code(data)
    with search_session(SqliteStorage(data), Settings()) as asked:
        assert asked.search(Query("apples")).total == 0
        before = sorted((data / "index/shard-0/tantivy").iterdir())
        kill_at(data, 0.3)
        assert sorted((data / "index/shard-0/tantivy").iterdir()) == before
        some = asked.search(Query("apples")).total
        assert 0.3 * PAGES <= some < PAGES  # this code can read only what is new
        assert byway("index", "--data", data).exit_code == 0
        assert asked.search(Query("apples")).total == PAGES
    assert titles(data) == {"alpha"}  # documents were not made anew
    assert there(data)[:2] == ["documents.db", "generation.json"] and len(there(data)) == 3


def test_an_index_of_another_version_is_never_filled(data: Path) -> None:
    made_by_other_code(data)
    index = ShardedIndex(data / "index", IndexSettings(), position_features)
    with closing(index), pytest.raises(DataError) as refused:
        index.remove([])
    assert refused.value.code == "index.other_version"
    assert json.loads((data / "index/state.json").read_text())["version"] == INDEX_VERSION - 1


def test_who_follows_a_crawl_builds_an_index_of_another_version_anew(data: Path) -> None:
    made_by_other_code(data)
    Engine(data, Settings()).follow_crawl(lambda seconds: True)
    assert titles(data) == {"alpha"}
    assert len(there(data)) == 3


def test_who_has_the_old_index_open_keeps_it_where_the_new_one_is_of_another_version(
    data: Path,
) -> None:
    with search_session(SqliteStorage(data), Settings()) as asked:
        assert asked.search(Query("apples")).total == PAGES
        assert byway("index", "--rebuild", "--data", data).exit_code == 0
        state = SqliteStorage(data).index / "state.json"
        state.write_text(json.dumps({"version": INDEX_VERSION + 1, "sequence": PAGES}))
        found = asked.search(Query("apples"))
        assert (found.total, found.hits[0].title.split()[0]) == (PAGES, "alpha")


def test_an_index_of_another_version_is_not_opened_at_each_question(data: Path) -> None:
    with search_session(SqliteStorage(data), Settings()) as asked:
        asked.search(Query("apples"))
        assert byway("index", "--rebuild", "--data", data).exit_code == 0
        state = SqliteStorage(data).index / "state.json"
        ours = state.read_text()
        state.write_text(json.dumps({"version": INDEX_VERSION + 1, "sequence": PAGES}))
        with opened_databases() as opened:
            for _ in range(20):
                assert asked.search(Query("apples")).hits[0].title.startswith("alpha")
            assert opened == []
            state.write_text(ours)  # as if it were built by this code after all
            assert asked.search(Query("apples")).hits[0].title.startswith("beta")
            assert opened
            assert len(opened) == len({*opened})


@contextmanager
def opened_databases() -> Iterator[list[str]]:
    """The databases that this process opens within the block."""
    opened: list[str] = []
    listening = True

    def hear(event: str, arguments: tuple[object, ...]) -> None:
        if listening and event == "sqlite3.connect":
            opened.append(str(arguments[0]))

    sys.addaudithook(hear)  # for good; so it must know when to be quiet
    yield opened
    listening = False


def test_a_damaged_index_makes_room_at_once(data: Path) -> None:
    next((data / "index/shard-0/tantivy").glob("*.store")).write_bytes(b"")
    assert "is damaged" in error_line("search", "apples", "--data", data, exit_code=1)
    with working(data, "--rebuild") as process:
        while not (data / "generation.json").exists():
            assert process.poll() is None
            time.sleep(LOOK)
        os.killpg(process.pid, signal.SIGKILL)
    assert byway("search", "apples", "--data", data).exit_code == 0  # with what there is by now
    assert byway("index", "--data", data).exit_code == 0
    assert titles(data) == {"beta"}
    assert len(there(data)) == 3


def test_damaged_names_are_refused_with_the_cure(data: Path) -> None:
    for said in ("{", "{}", '{"documents": "../../other", "index": "index"}'):
        (data / "generation.json").write_text(said)
        says = error_line("status", "--data", data, exit_code=1)
        assert says.startswith(f"{data}/generation.json is damaged (")
        assert says.endswith("Delete it and run `byway index --rebuild`.")
    (data / "generation.json").unlink()
    assert titles(data) == {"alpha"}
