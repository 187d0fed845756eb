"""Anchor store: the anchor texts of the links to each page, in anchors.db.

Indexing a batch of pages adds the anchor texts of their outgoing links. So when a page is indexed,
the anchor texts of its incoming links are known if the linking pages were crawled first. The store
keeps the texts each page contributed and subtracts them when its links change. Pages whose anchor
texts have changed are indexed again. Derived from crawl.db.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from json import dumps
from pathlib import Path

import numpy as np

from byway.core.model import UrlId
from byway.core.ports import LinkGraph, PageLinks
from byway.core.sqlite_file import open_sqlite_to_read, open_sqlite_to_write
from byway.index.anchors.anchor_texts import AnchorChanges, AnchorTexts, collect_anchor_texts

ANCHORS_FILE = "anchors.db"
"""The name of the anchor store's file in the index folder."""
SCHEMA_VERSION = 3
SCHEMA = """
-- An anchor text of the links to a page, its hash, and the number of links with it.
create table if not exists anchor (
    target_id integer not null,
    text_hash integer not null,
    text text not null,
    link_count integer not null,
    primary key (target_id, text_hash)
) without rowid;
-- The anchors that a page contributed when its links were last read: packed targets and hashes.
create table if not exists source_anchors (
    source_id integer primary key, packed_keys blob not null
);
-- A 64-bit hash of the anchors that a page was indexed with.
create table if not exists indexed_anchors (
    target_id integer primary key, anchors_hash integer not null
);
-- Indexed pages whose anchors may have changed.
create table if not exists changed_target (target_id integer primary key);
-- Linked URLs that redirect to a page.
create table if not exists redirect (source_id integer primary key, target_id integer not null);
create index if not exists redirect_target on redirect (target_id);
create table if not exists progress (
    one integer primary key check (one = 1), last_sequence integer
);
"""
UPSERT_ANCHOR = (
    "insert into anchor (target_id, text_hash, text, link_count) values (?, ?, ?, ?) "
    "on conflict do update set link_count = link_count + excluded.link_count"
)
DECREMENT_ANCHOR = (
    "update anchor set link_count = link_count - ?3 where target_id = ?1 and text_hash = ?2"
)
DELETE_UNUSED_ANCHOR = (
    "delete from anchor where target_id = ? and text_hash = ? and link_count <= 0"
)
INSERT_CHANGED_TARGET = """
insert or ignore into changed_target
select target_id from indexed_anchors
where target_id in (?1, (select target_id from redirect where source_id = ?1))
"""
DELETE_CHANGED_TARGET = "delete from changed_target where target_id = ?"
SELECT_TARGETS_WITH_ANCHORS = (
    "select distinct target_id from anchor where target_id in (select value from json_each(?))"
)
SELECT_TOP_ANCHORS = """
select text, sum(link_count) as links from anchor
where target_id in (select ?1 union all select source_id from redirect where target_id = ?1)
group by text_hash order by links desc, text limit ?2
"""
SELECT_CHANGED_TARGETS = (
    "select target_id, anchors_hash from changed_target left join indexed_anchors using (target_id)"
)
SELECT_SOURCE_ANCHORS = "select packed_keys from source_anchors where source_id = ?"
SELECT_REDIRECTS = "select source_id, target_id from redirect"
DELETE_REDIRECT = "delete from redirect where source_id = ? and target_id = ?"

MAX_ANCHORS_PER_PAGE = 50
"""Maximum number of anchor texts indexed per page."""
MAX_ANCHOR_CHARS_PER_PAGE = 2000
"""Maximum total length of the anchor texts indexed per page, in characters."""

AnchorCounts = tuple[tuple[str, int], ...]


class SqliteAnchorStore:
    """The anchor store of the data folder; needs the folder's `index` lock."""

    def __init__(self, path: Path, graph: LinkGraph) -> None:
        """Open or create the file; a file with another schema version is replaced by an empty one.

        The index version changes with the schema version, so all pages are added again.
        """
        if path.exists() and not is_current(path):
            for suffix in ("", "-wal", "-shm"):
                path.with_name(path.name + suffix).unlink(missing_ok=True)
        self._db = open_sqlite_to_write(path, SCHEMA, SCHEMA_VERSION)
        self._db.execute("pragma synchronous = normal")
        self._db.execute("pragma secure_delete = on")  # overwrites the texts of removed pages
        self._graph = graph

    def update_sources(
        self, sequence: int, sources: Iterable[UrlId], removed: Iterable[UrlId] = ()
    ) -> None:
        row = self._db.execute("select last_sequence from progress").fetchone()
        if row and row[0] >= sequence:
            return
        changes = AnchorChanges()
        for id in sources:
            current = collect_anchor_texts(id, self._graph.outlinks(id))
            changes.record(id, current, self._packed_keys(id))
        for id in removed:
            changes.record(id, AnchorTexts(), self._packed_keys(id))
        with self._transaction():
            self._write(changes)
            self._db.execute("replace into progress values (1, ?)", (sequence,))

    def anchors_for(self, ids: Sequence[UrlId]) -> Mapping[UrlId, PageLinks]:
        return _anchors_for(self._db, self._graph, ids)

    def mark_indexed(self, anchors_hashes: Mapping[UrlId, int]) -> None:
        with self._transaction():
            rows = anchors_hashes.items()
            self._db.executemany("replace into indexed_anchors values (?, ?)", rows)
            self._db.executemany(DELETE_CHANGED_TARGET, _rows(anchors_hashes))

    def commit_changes(self) -> None:
        ends = self._graph.redirect_targets()
        redirects = np.flatnonzero(ends != np.arange(len(ends))).tolist()
        linked = [
            row[0] for row in self._db.execute(SELECT_TARGETS_WITH_ANCHORS, (dumps(redirects),))
        ]
        current = {(id, int(ends[id])) for id in linked}
        former = set(self._db.execute(SELECT_REDIRECTS))
        with self._transaction():
            self._db.executemany(DELETE_REDIRECT, former - current)
            self._db.executemany("insert into redirect values (?, ?)", current - former)
            self._db.executemany(INSERT_CHANGED_TARGET, _rows(end for _, end in current ^ former))

    def pages_with_changed_anchors(self, limit: int) -> list[UrlId]:
        changed: list[UrlId] = []
        unchanged: list[int] = []
        for id, indexed_hash in self._db.execute(SELECT_CHANGED_TARGETS):
            current = PageLinks(_top_anchors(self._db, id)).anchors_hash
            if indexed_hash in (None, current):
                unchanged.append(id)
            else:
                changed.append(UrlId(id))
            if len(changed) >= limit:
                break
        with self._transaction():
            self._db.executemany(DELETE_CHANGED_TARGET, _rows(unchanged))
        return changed

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _packed_keys(self, source: UrlId) -> bytes:
        """The packed anchor texts that a page has contributed so far."""
        row = self._db.execute(SELECT_SOURCE_ANCHORS, (source,)).fetchone()
        return bytes(row[0]) if row else b""

    def _write(self, changes: AnchorChanges) -> None:
        added = [(*key, changes.texts[key], links) for key, links in changes.added.items()]
        removed = [(*key, links) for key, links in changes.removed.items()]
        self._db.executemany(DECREMENT_ANCHOR, removed)
        self._db.executemany(UPSERT_ANCHOR, sorted(added))
        self._db.executemany(DELETE_UNUSED_ANCHOR, changes.removed)
        self._db.executemany(
            INSERT_CHANGED_TARGET, _rows({target for target, _ in changes.added | changes.removed})
        )
        self._db.executemany(
            "replace into source_anchors values (?, ?)", changes.packed_by_source.items()
        )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("begin immediate")
        with self._db:
            yield


class AnchorReader:
    """The anchor texts of pages, read-only, beside the process that updates them."""

    def __init__(self, path: Path, graph: LinkGraph) -> None:
        self._db = open_sqlite_to_read(path, version=None)
        self._graph = graph

    def anchors_for(self, ids: Sequence[UrlId]) -> Mapping[UrlId, PageLinks]:
        """The anchor texts and link targets of these pages."""
        return _anchors_for(self._db, self._graph, ids)

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def _anchors_for(
    db: sqlite3.Connection, graph: LinkGraph, ids: Sequence[UrlId]
) -> dict[UrlId, PageLinks]:
    return {id: PageLinks(_top_anchors(db, id), graph.target_hashes(id)) for id in ids}


def read_anchors(path: Path, id: UrlId) -> AnchorCounts:
    """The anchor texts of a page with link counts, read-only; empty without a current file."""
    if not is_current(path):
        return ()
    with closing(open_sqlite_to_read(path, version=None)) as db:
        return _top_anchors(db, id)


def is_current(path: Path) -> bool:
    """Whether the file exists and has the current schema version."""
    if not path.exists():
        return False
    with closing(open_sqlite_to_read(path, version=None)) as db:
        return bool(db.execute("pragma user_version").fetchone() == (SCHEMA_VERSION,))


def copy_anchors(old: Path, new: Path) -> None:
    """Copy the anchor texts of an older file, so that a rebuild indexes each page once."""
    if is_current(old):
        with (
            closing(open_sqlite_to_read(old, version=None)) as source,
            closing(sqlite3.connect(new)) as copy,
        ):
            source.backup(copy)


def _top_anchors(db: sqlite3.Connection, id: UrlId) -> AnchorCounts:
    """The most frequent anchor texts of a page, with rounded link counts.

    Rounded, because one more link is rarely a reason to index the page again.
    """
    anchors: list[tuple[str, int]] = []
    chars_left = MAX_ANCHOR_CHARS_PER_PAGE
    for text, links in db.execute(SELECT_TOP_ANCHORS, (id, MAX_ANCHORS_PER_PAGE)):
        chars_left -= len(text)
        if chars_left < 0:
            break
        anchors.append((text, _round_link_count(links)))
    return tuple(sorted(anchors, key=lambda anchor: (-anchor[1], anchor[0])))


def _round_link_count(links: int) -> int:
    """Round to 1, 2, 8, 32 …: the lowest link count with the same weight in the index."""
    steps = links.bit_length() // 2
    return 1 << max(0, 2 * steps - 1)


def _rows(ids: Iterable[int]) -> list[tuple[int]]:
    return [(id,) for id in ids]
