"""Shard processes: they index what one process indexes, whoever is killed."""

import os
import shutil
import signal
from pathlib import Path

import pytest
from faults.test_rebuild import keep

from byway.app.engine import Engine
from byway.app.search import search_session
from byway.app.storage import open_generations
from byway.core.model import Query
from byway.core.settings.schema import IndexSettings, Settings
from byway.index.shard_map import read_shard_map
from byway.storage.sqlite.storage import SqliteStorage

PAGES = 300
QUERIES = ("alpha", "apples number 7", '"good for you"', "site:h3.org", "word44", "alhpa", "-beta")
KILLS = int(os.environ.get("KILLS", "2"))


def shard_pids() -> list[int]:
    """The shard processes that this process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command = (path / "cmdline").read_bytes()
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if b"byway.app.processes.shard_process" in command and parent == os.getpid():
            found.append(int(path.name))
    return sorted(found)


def index(path: Path, shards: int, kill: int = -1) -> int:
    """Index all pages in parallel, and kill one shard process after the first batch."""
    settings = Settings(index=IndexSettings(shards=shards, batch_size=20, writer_memory_mb=30))
    storage, was_killed = SqliteStorage(path), kill < 0
    generation = open_generations(storage, settings).live()
    totals: list[int] = []
    with storage.write_lock("index"), generation.open_for_update() as stores:
        for done in generation.index_in_parallel(stores, 1):
            totals.append(done)
            if not was_killed:
                os.kill(shard_pids()[kill % shards], signal.SIGKILL)
                was_killed = True
        assert stores.index.committed_sequence() == stores.documents.last_sequence()
    assert shard_pids() == []
    return max(totals)


def answers(path: Path) -> list[tuple[int, list[tuple[str, float]]]]:
    with search_session(SqliteStorage(path), Settings()) as session:
        results = [session.search(Query(text, 50)) for text in QUERIES]
        return [(one.total, [(hit.url, hit.score) for hit in one.hits]) for one in results]


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an index that one process has built."""
    path = tmp_path_factory.mktemp("shards") / "data"
    keep(path, 0, PAGES)
    Engine(path, Settings()).index()
    return path


@pytest.fixture
def unindexed(indexed: Path, tmp_path: Path) -> Path:
    """The same documents without an index."""
    path = shutil.copytree(indexed, tmp_path / "data")
    shutil.rmtree(path / "index")
    return path


def test_shard_processes_build_the_same_index(indexed: Path, unindexed: Path) -> None:
    assert index(unindexed, 3) == PAGES
    shard_map = read_shard_map(unindexed / "index")
    assert shard_map and shard_map.shards == 3
    assert answers(unindexed) == answers(indexed)


@pytest.mark.parametrize("kill", range(KILLS))
def test_a_killed_shard_process_costs_nothing(indexed: Path, unindexed: Path, kill: int) -> None:
    index(unindexed, 2, kill)
    assert answers(unindexed) == answers(indexed)
