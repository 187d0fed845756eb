"""The links of a page, small: targets as 32-bit numbers, anchors as one compressed text.

A row for each link would be thirty times as many rows, and PageRank would have to read them one
by one; so it reads arrays.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import zstandard
from numpy.typing import NDArray

from byway.model import Link, Url, UrlId

CHUNK = 20_000
"""Pages whose links are read at a time."""

ALL_LINKS = "select source, targets from link"
LINKS_OF = "select targets, anchors from link where source = ?"
ALL_HOSTS = "select id, host from url"


def pack_links(links: Sequence[Link], numbers: Mapping[Url, int]) -> tuple[bytes, bytes]:
    """Targets and anchors of the links whose target has a number; nofollow is a minus sign."""
    known = [link for link in links if link.target in numbers]
    signed = [-numbers[link.target] if link.nofollow else numbers[link.target] for link in known]
    anchors = "\n".join(" ".join(link.anchor.split()) for link in known)
    return np.array(signed, np.int32).tobytes(), zstandard.compress(anchors.encode(), 1)


class SqliteGraph:
    """Who links to whom, out of crawl.db."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def edges(self) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        cursor = self._db.execute(ALL_LINKS)
        while rows := cursor.fetchmany(CHUNK):
            targets = np.frombuffer(b"".join(row[1] for row in rows), np.int32)
            counts = [len(row[1]) // 4 for row in rows]
            sources = np.repeat(np.array([row[0] for row in rows], np.int32), counts)
            follow = targets > 0
            yield sources[follow], targets[follow]

    def links_of(self, ids: Sequence[UrlId]) -> Iterator[tuple[UrlId, list[tuple[int, str]]]]:
        for id in ids:
            row = self._db.execute(LINKS_OF, (id,)).fetchone()
            if row:
                targets = np.frombuffer(row[0], np.int32).tolist()
                anchors = zstandard.decompress(row[1]).decode().split("\n")
                yield id, list(zip(targets, anchors, strict=False))

    def size(self) -> int:
        return int(self._db.execute("select coalesce(max(id), 0) + 1 from url").fetchone()[0])

    def hosts(self) -> NDArray[np.int32]:
        hosts = np.zeros(self.size(), np.int32)
        cursor = self._db.execute(ALL_HOSTS)
        while rows := cursor.fetchmany(100_000):
            ids, numbers = np.array(rows, np.int64).T
            known = ids < len(hosts)
            hosts[ids[known]] = numbers[known]
        return hosts
