"""What do other pages call this one? Anchor texts by the page they lead to, in anchors.db.

While a batch of pages is indexed, their links are taken in, so the texts of a page's incoming
links are at hand when the page itself is indexed, however few there are then. What links said
before is remembered, and taken back when they say so no longer. Pages that have come to be called
otherwise are indexed again. Derived from crawl.db.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from json import dumps
from pathlib import Path

import numpy as np

from byway.core.model import UrlId
from byway.core.ports import LinkGraph, PageLinks
from byway.core.url import url_hash
from byway.index.anchors.anchor_texts import AnchorChanges, AnchorTexts, collect_anchor_texts
from byway.storage.sqlite.crawl_db.schema import open_to_read, open_to_write

SCHEMA_VERSION = 2
SCHEMA = """
-- A text that links to `target` have, the sign that stands for it, and how many links that is.
create table if not exists anchor (
    target integer not null,
    sign integer not null,
    text text not null,
    links integer not null,
    primary key (target, sign)
) without rowid;
-- What the links of a page said when they were last looked at: targets and signs, packed.
create table if not exists said (source integer primary key, names blob not null);
-- What an indexed page was called then, as 64 bits.
create table if not exists called (target integer primary key, names integer not null);
-- Indexed pages that may be called otherwise now.
create table if not exists changed (target integer primary key);
-- URLs that links lead to and that lead on to a page.
create table if not exists leads (source integer primary key, target integer not null);
create index if not exists leads_target on leads (target);
create table if not exists learnt (one integer primary key check (one = 1), sequence integer);
"""
UPSERT_ANCHOR = (
    "insert into anchor (target, sign, text, links) values (?, ?, ?, ?) "
    "on conflict do update set links = links + excluded.links"
)
DECREMENT_ANCHOR = "update anchor set links = links - ?3 where target = ?1 and sign = ?2"
DELETE_UNUSED_ANCHOR = "delete from anchor where target = ? and sign = ? and links <= 0"
INSERT_CHANGED_TARGET = """
insert or ignore into changed
select target from called where target in (?1, (select target from leads where source = ?1))
"""
SELECT_TARGETS_WITH_ANCHORS = (
    "select distinct target from anchor where target in (select value from json_each(?))"
)
SELECT_TOP_ANCHORS = """
select text, sum(links) as each from anchor
where target in (select ?1 union all select source from leads where target = ?1)
group by sign order by each desc, text limit ?2
"""
SELECT_CHANGED_TARGETS = "select target, names from changed left join called using (target)"

MAX_ANCHORS_PER_PAGE = 50
"""Texts of one page that are indexed, at most ..."""
MAX_ANCHOR_CHARS_PER_PAGE = 2000
"""... and characters."""

AnchorCounts = tuple[tuple[str, int], ...]


class SqliteAnchorStore:
    """The anchor store of the data folder; needs the folder's `index` lock."""

    def __init__(self, path: Path, graph: LinkGraph) -> None:
        """A file of other code is made anew: that has indexed nothing, or its index would be."""
        if path.exists() and not is_current(path):
            for end in ("", "-wal", "-shm"):
                path.with_name(path.name + end).unlink(missing_ok=True)
        self._db = open_to_write(path, SCHEMA, SCHEMA_VERSION)
        self._db.execute("pragma synchronous = normal")
        self._db.execute("pragma secure_delete = on")  # what a removed page said is overwritten
        self._graph = graph

    def update_sources(
        self, sequence: int, sources: Iterable[UrlId], removed: Iterable[UrlId] = ()
    ) -> None:
        row = self._db.execute("select sequence from learnt").fetchone()
        if row and row[0] >= sequence:
            return
        change = AnchorChanges()
        for id in sources:
            change.record(id, collect_anchor_texts(id, self._graph.outlinks(id)), self._before(id))
        for id in removed:
            change.record(id, AnchorTexts(), self._before(id))
        with self._transaction():
            self._write(change)
            self._db.execute("replace into learnt values (1, ?)", (sequence,))

    def anchors_for(self, ids: Sequence[UrlId]) -> Mapping[UrlId, PageLinks]:
        return {id: PageLinks(_names(self._db, id), self._targets(id)) for id in ids}

    def mark_indexed(self, page_links: Mapping[UrlId, PageLinks]) -> None:
        with self._transaction():
            signs = ((id, _sign(one.anchors)) for id, one in page_links.items())
            self._db.executemany("replace into called values (?, ?)", signs)
            self._db.executemany("delete from changed where target = ?", _rows(page_links))

    def commit_changes(self) -> None:
        ends = self._graph.redirect_targets()
        redirects = np.flatnonzero(ends != np.arange(len(ends))).tolist()
        called = [
            row[0] for row in self._db.execute(SELECT_TARGETS_WITH_ANCHORS, (dumps(redirects),))
        ]
        now = {(id, int(ends[id])) for id in called}
        before = set(self._db.execute("select source, target from leads"))
        with self._transaction():
            self._db.executemany("delete from leads where source = ? and target = ?", before - now)
            self._db.executemany("insert into leads values (?, ?)", now - before)
            self._db.executemany(INSERT_CHANGED_TARGET, _rows(end for _, end in now ^ before))

    def pages_with_changed_anchors(self, limit: int) -> list[UrlId]:
        found: list[UrlId] = []
        same: list[int] = []
        for id, names in self._db.execute(SELECT_CHANGED_TARGETS):
            if names is None or names == _sign(_names(self._db, id)):
                same.append(id)
            else:
                found.append(UrlId(id))
            if len(found) >= limit:
                break
        with self._transaction():
            self._db.executemany("delete from changed where target = ?", _rows(same))
        return found

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _targets(self, id: UrlId) -> tuple[int, ...]:
        return tuple(sorted({link.id for link in self._graph.outlinks(id)}))

    def _before(self, source: UrlId) -> bytes:
        """What its links said when they were last looked at, packed."""
        row = self._db.execute("select names from said where source = ?", (source,)).fetchone()
        return bytes(row[0]) if row else b""

    def _write(self, change: AnchorChanges) -> None:
        more = [(*name, change.texts[name], links) for name, links in change.added.items()]
        less = [(*name, links) for name, links in change.removed.items()]
        self._db.executemany(DECREMENT_ANCHOR, less)
        self._db.executemany(UPSERT_ANCHOR, sorted(more))
        self._db.executemany(DELETE_UNUSED_ANCHOR, change.removed)
        self._db.executemany(
            INSERT_CHANGED_TARGET, _rows({target for target, _ in change.added | change.removed})
        )
        self._db.executemany("replace into said values (?, ?)", change.packed_by_source.items())

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("begin immediate")
        with self._db:
            yield


def read_anchors(path: Path, id: UrlId) -> AnchorCounts:
    """What links call a page, and how many do, for who only reads; nothing before the first."""
    if not is_current(path):
        return ()
    with closing(open_to_read(path, version=None)) as db:
        return _names(db, id)


def is_current(path: Path) -> bool:
    """Is there such a file, and did this code write it?"""
    if not path.exists():
        return False
    with closing(open_to_read(path, version=None)) as db:
        return bool(db.execute("pragma user_version").fetchone() == (SCHEMA_VERSION,))


def _names(db: sqlite3.Connection, id: UrlId) -> AnchorCounts:
    """What links call a page, and about how many do: another one is seldom a reason to index it."""
    kept: list[tuple[str, int]] = []
    room = MAX_ANCHOR_CHARS_PER_PAGE
    for text, links in db.execute(SELECT_TOP_ANCHORS, (id, MAX_ANCHORS_PER_PAGE)):
        room -= len(text)
        if room < 0:
            break
        kept.append((text, _about(links)))
    return tuple(sorted(kept, key=lambda one: (-one[1], one[0])))


def _about(links: int) -> int:
    """1, 2, 8, 32 …: the fewest that count as much in the index."""
    steps = links.bit_length() // 2
    return 1 << max(0, 2 * steps - 1)


def _sign(anchors: AnchorCounts) -> int:
    """64 bits for what a page is called."""
    return url_hash("\n".join(f"{links} {text}" for text, links in anchors))


def _rows(ids: Iterable[int]) -> list[tuple[int]]:
    return [(id,) for id in ids]
