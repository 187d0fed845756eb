"""What do other pages call this one, and what is left of it when they do so no longer?"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from byway.core.model import Neighbour, UrlId
from byway.index.anchors.anchor_store import SqliteAnchors, anchors_to, is_current
from byway.index.disk import generations
from byway.index.disk.rebuild import to_build
from byway.storage.data_folder import Folder
from byway.storage.memory.stores import MemoryGraph

HOME, SHOP = UrlId(1), UrlId(2)
NAME = "a very unusual cheap shoe shop"


@pytest.fixture
def graph() -> MemoryGraph:
    graph = MemoryGraph()
    graph.neighbours[HOME] = [Neighbour(SHOP, NAME, False)]
    return graph


@pytest.fixture
def anchors(tmp_path: Path, graph: MemoryGraph) -> Iterator[SqliteAnchors]:
    with closing(SqliteAnchors(tmp_path / "anchors.db", graph)) as anchors:
        anchors.learn(1, [HOME])
        yield anchors


def test_what_a_removed_page_said_is_not_left_in_the_file(
    anchors: SqliteAnchors, tmp_path: Path
) -> None:
    assert anchors_to(tmp_path / "anchors.db", SHOP) == ((NAME, 1),)
    anchors.learn(2, [], gone=[HOME])
    assert anchors_to(tmp_path / "anchors.db", SHOP) == ()
    anchors.close()
    assert NAME.encode() not in (tmp_path / "anchors.db").read_bytes()


def test_about_as_many_links_are_no_reason_to_index_a_page_again(
    anchors: SqliteAnchors, graph: MemoryGraph
) -> None:
    anchors.indexed(anchors.of([SHOP]))
    for sequence, links, renamed in ((2, 2, True), (3, 7, False), (4, 8, True), (5, 9, False)):
        graph.neighbours[HOME] = [Neighbour(SHOP, NAME, False)] * links
        anchors.learn(sequence, [HOME])
        assert bool(anchors.renamed(10)) is renamed, links
        anchors.indexed(anchors.of([SHOP]))


def test_names_that_older_code_has_kept_are_learnt_anew(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.create()
    old = folder.index / "anchors.db"
    with closing(sqlite3.connect(old)) as db:
        db.execute("create table anchor (target integer, text text, links integer)")
        db.execute("insert into anchor values (2, 'shop', 1)")
        db.execute("pragma user_version = 1")
        db.commit()
    assert not is_current(old)
    assert anchors_to(old, SHOP) == ()
    (folder.index / "state.json").write_text('{"version": 1, "sequence": 1}')
    begun = to_build(folder, 0)
    assert begun is not None
    SqliteAnchors(begun.index / "anchors.db", MemoryGraph()).close()
    generations.give_up(folder.path)


def test_names_of_older_code_that_has_indexed_nothing_are_no_obstacle(
    tmp_path: Path, graph: MemoryGraph
) -> None:
    path = tmp_path / "anchors.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma journal_mode = wal")
        db.execute("create table anchor (target integer, text text, links integer)")
        db.execute("pragma user_version = 1")
    with closing(SqliteAnchors(path, graph)) as anchors:
        anchors.learn(1, [HOME])
        assert anchors_to(path, SHOP) == ((NAME, 1),)
    with closing(SqliteAnchors(path, graph)):
        assert anchors_to(path, SHOP) == ((NAME, 1),)
