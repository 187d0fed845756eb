"""Anchor store: adding, removing and replacing the anchor texts of pages."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from byway.app.storage.disk_generations import DiskGenerations
from byway.core.model import Neighbour, UrlId
from byway.core.settings.schema import Settings
from byway.index.anchors.anchor_store import SqliteAnchorStore, is_current, read_anchors
from byway.storage.memory.link_graph import MemoryLinkGraph
from byway.storage.sqlite.storage import SqliteStorage

HOME, SHOP = UrlId(1), UrlId(2)
TEXT = "a very unusual cheap shoe shop"


@pytest.fixture
def graph() -> MemoryLinkGraph:
    graph = MemoryLinkGraph()
    graph.links_by_source[HOME] = [Neighbour(SHOP, TEXT, False)]
    return graph


@pytest.fixture
def anchors(tmp_path: Path, graph: MemoryLinkGraph) -> Iterator[SqliteAnchorStore]:
    with closing(SqliteAnchorStore(tmp_path / "anchors.db", graph)) as anchors:
        anchors.update_sources(1, [HOME])
        yield anchors


def test_anchor_texts_of_a_removed_page_are_overwritten_in_the_file(
    anchors: SqliteAnchorStore, tmp_path: Path
) -> None:
    assert read_anchors(tmp_path / "anchors.db", SHOP) == ((TEXT, 1),)
    anchors.update_sources(2, [], removed=[HOME])
    assert read_anchors(tmp_path / "anchors.db", SHOP) == ()
    anchors.close()
    assert TEXT.encode() not in (tmp_path / "anchors.db").read_bytes()


def test_a_page_is_reindexed_only_when_its_rounded_link_count_changes(
    anchors: SqliteAnchorStore, graph: MemoryLinkGraph
) -> None:
    anchors.mark_indexed({SHOP: anchors.anchors_for([SHOP])[SHOP].anchors_hash})
    for sequence, links, is_changed in ((2, 2, True), (3, 7, False), (4, 8, True), (5, 9, False)):
        graph.links_by_source[HOME] = [Neighbour(SHOP, TEXT, False)] * links
        anchors.update_sources(sequence, [HOME])
        assert bool(anchors.pages_with_changed_anchors(10)) is is_changed, links
        anchors.mark_indexed({SHOP: anchors.anchors_for([SHOP])[SHOP].anchors_hash})


def test_anchors_of_an_older_version_are_not_copied_to_a_new_index(tmp_path: Path) -> None:
    folder = SqliteStorage(tmp_path)
    folder.create()
    old = folder.index / "anchors.db"
    with closing(sqlite3.connect(old)) as db:
        db.execute("create table anchor (target integer, text text, links integer)")
        db.execute("insert into anchor values (2, 'shop', 1)")
        db.execute("pragma user_version = 1")
        db.commit()
    assert not is_current(old)
    assert read_anchors(old, SHOP) == ()
    (folder.index / "state.json").write_text('{"version": 1, "sequence": 1}')
    rebuilt = DiskGenerations(folder, Settings()).rebuild()
    assert rebuilt is not None
    with rebuilt.open_for_update() as stores:
        assert stores.anchors.anchors_for([SHOP])[SHOP].anchors == ()


def test_an_anchor_file_of_an_older_version_is_replaced(
    tmp_path: Path, graph: MemoryLinkGraph
) -> None:
    path = tmp_path / "anchors.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma journal_mode = wal")
        db.execute("create table anchor (target integer, text text, links integer)")
        db.execute("pragma user_version = 1")
    with closing(SqliteAnchorStore(path, graph)) as anchors:
        anchors.update_sources(1, [HOME])
        assert read_anchors(path, SHOP) == ((TEXT, 1),)
    with closing(SqliteAnchorStore(path, graph)):
        assert read_anchors(path, SHOP) == ((TEXT, 1),)
