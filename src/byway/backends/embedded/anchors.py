"""What do other pages call this one? Anchor texts by the page they lead to, in anchors.db.

While a batch of pages is indexed, their links are taken in, so the texts of a page's incoming
links are at hand when the page itself is indexed, however few there are then. When a page has
come to be called by twice as many names, it is indexed again. Derived from crawl.db.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from json import dumps
from pathlib import Path

import numpy as np

from byway.backends.embedded.database import open_to_read, open_to_write
from byway.model import UrlId
from byway.ports import Linked, LinkGraph

VERSION = 1
SCHEMA = """
-- A text that links to `target` have, and how many links that is. A page that has changed is
-- counted again; what counts is only whether that is one, a few or many.
create table if not exists anchor (
    target integer not null,
    text text not null,
    links integer not null,
    primary key (target, text)
) without rowid;
-- How many texts a page had when it was last indexed, if it ever was, and how many it has.
create table if not exists called (
    target integer primary key,
    indexed integer,
    texts integer not null default 0
);
create index if not exists called_more on called (target)
    where texts > indexed and texts >= 2 * indexed;
create table if not exists learnt (one integer primary key check (one = 1), sequence integer);
"""
LEARN = (
    "insert into anchor (target, text, links) values (?, ?, ?) "
    "on conflict do update set links = links + excluded.links"
)
CALL = (
    "insert into called (target, texts) "
    "values (?1, (select count(*) from anchor where target = ?1)) "
    "on conflict do update set texts = excluded.texts"
)
CALLED = "select distinct target from anchor where target in (select value from json_each(?))"
PASS_ON = (
    "insert into anchor (target, text, links) select ?, text, links from anchor where target = ? "
    "on conflict do update set links = links + excluded.links"
)
FORGET = ("delete from anchor where target = ?", "delete from called where target = ?")
MOST_FREQUENT = "select text, links from anchor where target = ? order by links desc, text limit ?"
INDEXED = (
    "insert into called (target, indexed) values (?, 0) on conflict do update set indexed = texts"
)
GROWN = "select target from called where texts > indexed and texts >= 2 * indexed limit ?"

MOST = 50
"""Texts of one page that are indexed, at most ..."""
ALL_IN_ALL = 2000
"""... and characters."""
LONGEST = 200
EMPTY = re.compile(
    r"(?i)\W*(next|prev(ious)?|back|home|up|top|here|click here|more|read more|index|contents|link"
    r"|skip to .*|https?://.*|\d+|вперед|назад|далее|главная|здесь|weiter|zurück|hier|mehr)?\W*"
)
"""Texts that say where a link leads from here, and nothing of what is there."""


class SqliteAnchors:
    """The anchor store of the data folder; needs the folder's `index` lock."""

    def __init__(self, path: Path, graph: LinkGraph) -> None:
        self._db = open_to_write(path, SCHEMA, VERSION)
        self._db.execute("pragma synchronous = normal")
        self._graph = graph

    def learn(self, sequence: int, sources: Iterable[UrlId]) -> None:
        row = self._db.execute("select sequence from learnt").fetchone()
        if row and row[0] >= sequence:
            return
        found: Counter[tuple[int, str]] = Counter()
        for source in sources:
            for link in self._graph.outgoing(source):
                text = link.anchor[:LONGEST]
                if not link.nofollow and link.id != source and not EMPTY.fullmatch(text):
                    found[link.id, text] += 1
        self._write(sequence, found)

    def of(self, ids: Sequence[UrlId]) -> Mapping[UrlId, Linked]:
        linked = {id: Linked(_kept(self._db, id), self._targets(id)) for id in ids}
        with self._db:
            self._db.execute("begin")
            self._db.executemany(INDEXED, [(id,) for id in linked])
        return linked

    def pass_on(self) -> None:
        ends = self._graph.ends()
        redirects = np.flatnonzero(ends != np.arange(len(ends))).tolist()
        called = [row[0] for row in self._db.execute(CALLED, (dumps(redirects),))]
        with self._db:
            self._db.execute("begin")
            for id in called:
                end = int(ends[id])
                self._db.execute(PASS_ON, (end, id))
                for sql in FORGET:
                    self._db.execute(sql, (id,))
                self._db.execute(CALL, (end,))

    def grown(self, limit: int) -> list[UrlId]:
        return [UrlId(row[0]) for row in self._db.execute(GROWN, (limit,))]

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _targets(self, id: UrlId) -> tuple[int, ...]:
        return tuple(sorted({link.id for link in self._graph.outgoing(id)}))

    def _write(self, sequence: int, found: Mapping[tuple[int, str], int]) -> None:
        try:
            self._db.execute("begin immediate")
            self._db.executemany(LEARN, ((*key, count) for key, count in sorted(found.items())))
            self._db.executemany(CALL, [(target,) for target in {key[0] for key in found}])
            self._db.execute("replace into learnt values (1, ?)", (sequence,))
            self._db.execute("commit")
        except sqlite3.Error:
            self._db.execute("rollback")
            raise


def anchors_to(path: Path, id: UrlId) -> tuple[tuple[str, int], ...]:
    """What links call a page, and how many do, for who only reads; nothing before the first."""
    if not path.exists():
        return ()
    with closing(open_to_read(path)) as db:
        return _kept(db, id)


def _kept(db: sqlite3.Connection, id: UrlId) -> tuple[tuple[str, int], ...]:
    kept: list[tuple[str, int]] = []
    room = ALL_IN_ALL
    for text, links in db.execute(MOST_FREQUENT, (id, MOST)):
        room -= len(text)
        if room < 0:
            break
        kept.append((text, links))
    return tuple(kept)
