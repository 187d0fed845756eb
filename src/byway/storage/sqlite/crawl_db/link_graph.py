"""Who links to whom? The link graph, read out of crawl.db as arrays."""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from json import dumps
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from byway.core.model import Neighbour, Url, UrlId, UrlRecord, UrlState
from byway.core.model.candidates import Ids
from byway.core.url import url_hash
from byway.storage.reverse_links import (
    MIN_NEW_VERSIONS,
    NO_REVERSE_LINKS,
    Edges,
    ReverseLinks,
    open_reverse_links,
)
from byway.storage.sqlite.crawl_db.link_codec import unpack_links
from byway.storage.sqlite.crawl_db.url_hosts import host_ids_by_url
from byway.storage.sqlite.crawl_db.url_queries import RECORD_COLUMNS, record_from_row

T = TypeVar("T")

PAGES_PER_CHUNK = 20_000
"""Pages whose links are read at a time."""
MAX_IDS_PER_QUERY = 10_000
"""URLs that are asked for in one question."""
FULL_SCAN_DIVISOR = 20
"""When more than one URL in so many is asked for, reading all is faster."""
REDIRECT_DOUBLINGS = 5
"""After so many, 32 redirects in a row are followed; a crawl follows 10."""

SELECT_LINKS = "select source_id, target_ids from outlinks"
SELECT_LINKS_WITH_ANCHORS = (
    "select source_id, target_ids, anchor_texts from outlinks order by source_id"
)
SELECT_NEWER_PAGES = "select url_id from page_version where sequence > ?"
SELECT_NEWER_LINKS = f"{SELECT_LINKS} where source_id in ({SELECT_NEWER_PAGES})"
SELECT_PAGE_LINKS = "select target_ids, anchor_texts from outlinks where source_id = ?"
SELECT_LINKS_OF_PAGES = f"{SELECT_LINKS} where source_id in (select value from json_each(?))"
SELECT_IDS_IN_STATE = (
    "select id from url where state in (select value from json_each(?)) order by id"
)
SELECT_GIVEN_IDS_IN_STATE = """
select id from url where id in (select value from json_each(?))
and state in (select value from json_each(?)) order by id
"""
SELECT_RECORD = f"select {RECORD_COLUMNS} from url"
SELECT_RECORDS_BY_ID = f"{SELECT_RECORD} where id in (select value from json_each(?))"
SELECT_RECORD_BY_URL = f"{SELECT_RECORD} where url_hash = ? and url = ?"
SELECT_REDIRECTS = """
select id, redirect_target from url where state = 'redirected' and redirect_target is not null
"""
SELECT_IDS_BY_HASH = "select url, id from url where url_hash in (select value from json_each(?))"


class SqliteLinkGraph:
    """Who links to whom, out of crawl.db."""

    def __init__(
        self,
        db: sqlite3.Connection,
        folder: Path | None = None,
        min_new_versions: int = MIN_NEW_VERSIONS,
    ) -> None:
        """`folder`: where links may be kept turned round, from `min_new_versions` pages on.

        Then `db` must be a snapshot.
        """
        self._db = db
        self._folder = folder
        self._least = min_new_versions
        self._ends: NDArray[np.int32] | None = None

    def edges(self, nofollow: bool = False) -> Iterator[Edges]:
        for sources, targets in self._signed_edges():
            follow = targets > 0
            yield (sources, np.abs(targets)) if nofollow else (sources[follow], targets[follow])

    def size(self) -> int:
        return int(self._db.execute("select coalesce(max(id), 0) + 1 from url").fetchone()[0])

    def host_ids(self) -> NDArray[np.int32]:
        return host_ids_by_url(
            self._db, self.size(), self._folder and self._folder / "hosts.owners"
        )

    def outlinks(self, id: UrlId) -> list[Neighbour]:
        row = self._db.execute(SELECT_PAGE_LINKS, (int(id),)).fetchone()
        return unpack_links(*row) if row else []

    def inlinks(self, id: UrlId) -> Iterator[Neighbour]:
        sources, _ = self.edges_to(np.array([id], np.int64))
        for source in np.sort(sources).tolist():
            for link in self.outlinks(UrlId(source)):
                if link.id == id:
                    yield link._replace(id=UrlId(source))

    def edges_to(self, ids: Ids) -> Edges:
        # A link added after we looked may lead further than we know: the last place is for those.
        wanted = np.zeros(self.size() + 1, bool)
        wanted[ids[ids < len(wanted) - 1]] = True
        turned = self._turned()
        sources, targets = turned.edges_to(np.flatnonzero(wanted))
        still = ~self._since(turned)[sources]
        found = [(sources[still], targets[still])]
        for sources, signed in self._signed_edges(turned):
            targets = np.abs(signed)
            leads = wanted[np.minimum(targets, len(wanted) - 1)]
            found.append((sources[leads], targets[leads]))
        return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])

    def edges_from(self, ids: Ids) -> Edges:
        found = [(np.zeros(0, np.int32), np.zeros(0, np.int32))]
        for some in _batches(ids.tolist()):
            found += self._read_edges(self._db.execute(SELECT_LINKS_OF_PAGES, (dumps(some),)))
        sources, targets = (np.concatenate(ends) for ends in zip(*found, strict=True))
        return sources[targets > 0], targets[targets > 0]

    def redirect_targets(self) -> NDArray[np.int32]:
        # A snapshot does not change.
        if self._ends is None or self._folder is None:
            self._ends = self._follow_redirects()
        return self._ends

    def in_degrees(self) -> NDArray[np.int32]:
        turned = self._turned()
        counts = np.zeros(self.size(), np.int32)
        before = turned.in_degrees(self._since(turned))[: len(counts)]
        counts[: len(before)] = before
        for _, signed in self._signed_edges(turned):
            counted = np.bincount(np.abs(signed), minlength=len(counts))
            counts += counted[: len(counts)].astype(np.int32)
        return counts

    def all_outlinks(self) -> Iterator[tuple[UrlId, list[Neighbour]]]:
        for source, targets, anchors in self._db.execute(SELECT_LINKS_WITH_ANCHORS):
            yield UrlId(source), unpack_links(targets, anchors)

    def url_records(self, ids: Iterable[UrlId]) -> Mapping[UrlId, UrlRecord]:
        found = {}
        for some in _batches(map(int, ids)):
            for row in self._db.execute(SELECT_RECORDS_BY_ID, (dumps(some),)):
                found[UrlId(row[1])] = record_from_row(row)
        return found

    def ids_in_state(self, *states: UrlState, among: Ids | None = None) -> Ids:
        if among is None or len(among) > self.size() // FULL_SCAN_DIVISOR:
            found = _ids(self._db.execute(SELECT_IDS_IN_STATE, (dumps(states),)))
            return found if among is None else found[np.isin(found, among)]
        asked = (
            self._db.execute(SELECT_GIVEN_IDS_IN_STATE, (dumps(some), dumps(states)))
            for some in _batches(np.sort(among).tolist())
        )
        return _ids(chain.from_iterable(asked))

    def find_url(self, url: Url) -> UrlRecord | None:
        row = self._db.execute(SELECT_RECORD_BY_URL, (url_hash(url), url)).fetchone()
        return record_from_row(row) if row else None

    def host_names(self) -> Mapping[int, str]:
        return dict(self._db.execute("select id, name from host"))

    def _signed_edges(self, besides: ReverseLinks = NO_REVERSE_LINKS) -> Iterator[Edges]:
        """Sources and targets in chunks; a minus sign before the target is nofollow."""
        if besides is NO_REVERSE_LINKS:
            cursor = self._db.execute(SELECT_LINKS)
        else:
            cursor = self._db.execute(SELECT_NEWER_LINKS, (besides.sequence,))
        return self._read_edges(cursor)

    def _read_edges(self, cursor: sqlite3.Cursor) -> Iterator[Edges]:
        while rows := cursor.fetchmany(PAGES_PER_CHUNK):
            targets = np.frombuffer(b"".join(row[1] for row in rows), np.int32)
            counts = [len(row[1]) // 4 for row in rows]
            sources = np.repeat(np.array([row[0] for row in rows], np.int32), counts)
            yield sources, targets

    def _follow_redirects(self) -> NDArray[np.int32]:
        steps = np.arange(self.size(), dtype=np.int32)
        for some in _batches(self._db.execute(SELECT_REDIRECTS)):
            targets = {id: Url(target) for id, target in some if id < len(steps)}
            numbers = self._numbers(targets.values())
            ids = np.fromiter(targets, np.int64)
            steps[ids] = [numbers.get(target, id) for id, target in targets.items()]
        ends = steps
        for _ in range(REDIRECT_DOUBLINGS):
            ends = ends[ends]
        arrived = steps[ends] == ends
        return np.where(arrived, ends, np.arange(len(ends), dtype=np.int32))

    def _numbers(self, urls: Iterable[Url]) -> Mapping[Url, int]:
        """The numbers of these URLs, of those that we have heard of."""
        hashes = dumps([url_hash(url) for url in urls])
        return {Url(url): id for url, id in self._db.execute(SELECT_IDS_BY_HASH, (hashes,))}

    def _turned(self) -> ReverseLinks:
        if self._folder is None:
            return NO_REVERSE_LINKS
        path = self._folder / "links.turned"
        return open_reverse_links(self._db, path, self._signed_edges, self.size(), self._least)

    def _since(self, turned: ReverseLinks) -> NDArray[np.bool_]:
        """By URL number: may its links have changed since they were turned round?"""
        changed = np.zeros(self.size(), bool)
        if turned is not NO_REVERSE_LINKS:
            changed[
                [row[0] for row in self._db.execute(SELECT_NEWER_PAGES, (turned.sequence,))]
            ] = True
        return changed


def _ids(rows: Iterable[tuple[int]]) -> Ids:
    return np.fromiter(chain.from_iterable(rows), np.int64)


def _batches(asked: Iterable[T]) -> Iterator[list[T]]:
    asked = iter(asked)
    while some := list(islice(asked, MAX_IDS_PER_QUERY)):
        yield some
