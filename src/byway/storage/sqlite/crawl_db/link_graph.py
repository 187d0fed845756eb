"""The link graph of crawl.db, as arrays."""

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
from byway.storage.sqlite.crawl_db.url_catalog import RECORD_COLUMNS, record_from_row
from byway.storage.sqlite.crawl_db.url_hosts import host_ids_by_url
from byway.storage.sqlite.crawl_db.visit_results import unpack_links

T = TypeVar("T")

PAGES_PER_CHUNK = 20_000
"""Pages whose links are read at a time."""
MAX_IDS_PER_QUERY = 10_000
"""URL ids per SQL query."""
FULL_SCAN_DIVISOR = 20
"""A full scan is faster if more than one in this many URLs is requested."""
MAX_CACHED_HASHES = 200_000
"""URL hashes cached in memory: most links point to URLs that were linked before."""
REDIRECT_DOUBLINGS = 5
"""Doubling steps for redirect chains: five resolve 32 redirects, and a crawl follows only 10."""

SELECT_LINKS = "select source_id, target_ids from outlinks"
SELECT_LINKS_WITH_ANCHORS = (
    "select source_id, target_ids, anchor_texts from outlinks order by source_id"
)
SELECT_NEWER_PAGES = "select url_id from page_version where sequence > ?"
SELECT_NEWER_LINKS = f"{SELECT_LINKS} where source_id in ({SELECT_NEWER_PAGES})"
SELECT_PAGE_LINKS = "select target_ids, anchor_texts from outlinks where source_id = ?"
SELECT_TARGETS = "select target_ids from outlinks where source_id = ?"
SELECT_URL_HASHES = "select id, url_hash from url where id in (select value from json_each(?))"
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
    """The link graph port on crawl.db."""

    def __init__(
        self,
        db: sqlite3.Connection,
        folder: Path | None = None,
        min_new_versions: int = MIN_NEW_VERSIONS,
    ) -> None:
        """`folder`: where reverse links may be cached, given at least `min_new_versions` pages.

        With a folder, `db` must be a snapshot.
        """
        self._db = db
        self._folder = folder
        self._min_new_versions = min_new_versions
        self._redirect_targets: NDArray[np.int32] | None = None
        self._url_hashes: dict[int, int] = {}

    def edges(self, nofollow: bool = False) -> Iterator[Edges]:
        for sources, targets in self._signed_edges():
            follow = targets > 0
            yield (sources, np.abs(targets)) if nofollow else (sources[follow], targets[follow])

    def size(self) -> int:
        return int(self._db.execute("select coalesce(max(id), 0) + 1 from url").fetchone()[0])

    def host_ids(self) -> NDArray[np.int32]:
        return host_ids_by_url(
            self._db, self.size(), self._folder and self._folder / "url_hosts.bin"
        )

    def outlinks(self, id: UrlId) -> list[Neighbour]:
        row = self._db.execute(SELECT_PAGE_LINKS, (int(id),)).fetchone()
        return unpack_links(*row) if row else []

    def target_hashes(self, id: UrlId) -> tuple[int, ...]:
        row = self._db.execute(SELECT_TARGETS, (int(id),)).fetchone()
        ids = np.unique(np.abs(np.frombuffer(row[0], np.int32))).tolist() if row else []
        unknown = [id for id in ids if id not in self._url_hashes]
        if unknown:
            if len(self._url_hashes) > MAX_CACHED_HASHES:
                self._url_hashes.clear()
                unknown = ids
            self._url_hashes.update(self._db.execute(SELECT_URL_HASHES, (dumps(unknown),)))
        return tuple(self._url_hashes[id] for id in ids if id in self._url_hashes)

    def inlinks(self, id: UrlId) -> Iterator[Neighbour]:
        sources, _ = self.edges_to(np.array([id], np.int64))
        for source in np.sort(sources).tolist():
            for link in self.outlinks(UrlId(source)):
                if link.id == id:
                    yield link._replace(id=UrlId(source))

    def edges_to(self, ids: Ids) -> Edges:
        # A link added after `size` was read may have a larger target: the last slot is for those.
        wanted = np.zeros(self.size() + 1, bool)
        wanted[ids[ids < len(wanted) - 1]] = True
        reverse = self._reverse_links()
        sources, targets = reverse.edges_to(np.flatnonzero(wanted))
        current = ~self._changed_since(reverse)[sources]
        found = [(sources[current], targets[current])]
        for sources, signed in self._signed_edges(reverse):
            targets = np.abs(signed)
            matches = wanted[np.minimum(targets, len(wanted) - 1)]
            found.append((sources[matches], targets[matches]))
        return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])

    def edges_from(self, ids: Ids) -> Edges:
        found = [(np.zeros(0, np.int32), np.zeros(0, np.int32))]
        for batch in _batches(ids.tolist()):
            found += self._read_edges(self._db.execute(SELECT_LINKS_OF_PAGES, (dumps(batch),)))
        sources, targets = (np.concatenate(ends) for ends in zip(*found, strict=True))
        return sources[targets > 0], targets[targets > 0]

    def redirect_targets(self) -> NDArray[np.int32]:
        # A snapshot does not change.
        if self._redirect_targets is None or self._folder is None:
            self._redirect_targets = self._follow_redirects()
        return self._redirect_targets

    def in_degrees(self) -> NDArray[np.int32]:
        reverse = self._reverse_links()
        counts = np.zeros(self.size(), np.int32)
        before = reverse.in_degrees(self._changed_since(reverse))[: len(counts)]
        counts[: len(before)] = before
        for _, signed in self._signed_edges(reverse):
            counted = np.bincount(np.abs(signed), minlength=len(counts))
            counts += counted[: len(counts)].astype(np.int32)
        return counts

    def all_outlinks(self) -> Iterator[tuple[UrlId, list[Neighbour]]]:
        for source, targets, anchors in self._db.execute(SELECT_LINKS_WITH_ANCHORS):
            yield UrlId(source), unpack_links(targets, anchors)

    def url_records(self, ids: Iterable[UrlId]) -> Mapping[UrlId, UrlRecord]:
        found = {}
        for batch in _batches(map(int, ids)):
            for row in self._db.execute(SELECT_RECORDS_BY_ID, (dumps(batch),)):
                found[UrlId(row[1])] = record_from_row(row)
        return found

    def ids_in_state(self, *states: UrlState, among: Ids | None = None) -> Ids:
        if among is None or len(among) > self.size() // FULL_SCAN_DIVISOR:
            found = _ids(self._db.execute(SELECT_IDS_IN_STATE, (dumps(states),)))
            return found if among is None else found[np.isin(found, among)]
        cursors = (
            self._db.execute(SELECT_GIVEN_IDS_IN_STATE, (dumps(batch), dumps(states)))
            for batch in _batches(np.sort(among).tolist())
        )
        return _ids(chain.from_iterable(cursors))

    def find_url(self, url: Url) -> UrlRecord | None:
        row = self._db.execute(SELECT_RECORD_BY_URL, (url_hash(url), url)).fetchone()
        return record_from_row(row) if row else None

    def host_names(self) -> Mapping[int, str]:
        return dict(self._db.execute("select id, name from host"))

    def _signed_edges(self, newer_than: ReverseLinks = NO_REVERSE_LINKS) -> Iterator[Edges]:
        """Sources and targets in chunks; nofollow targets are negative."""
        if newer_than is NO_REVERSE_LINKS:
            cursor = self._db.execute(SELECT_LINKS)
        else:
            cursor = self._db.execute(SELECT_NEWER_LINKS, (newer_than.sequence,))
        return self._read_edges(cursor)

    def _read_edges(self, cursor: sqlite3.Cursor) -> Iterator[Edges]:
        while rows := cursor.fetchmany(PAGES_PER_CHUNK):
            targets = np.frombuffer(b"".join(row[1] for row in rows), np.int32)
            counts = [len(row[1]) // 4 for row in rows]
            sources = np.repeat(np.array([row[0] for row in rows], np.int32), counts)
            yield sources, targets

    def _follow_redirects(self) -> NDArray[np.int32]:
        steps = np.arange(self.size(), dtype=np.int32)
        for batch in _batches(self._db.execute(SELECT_REDIRECTS)):
            targets = {id: Url(target) for id, target in batch if id < len(steps)}
            numbers = self._ids_of(targets.values())
            ids = np.fromiter(targets, np.int64)
            steps[ids] = [numbers.get(target, id) for id, target in targets.items()]
        ends = steps
        for _ in range(REDIRECT_DOUBLINGS):
            ends = ends[ends]
        is_final = steps[ends] == ends
        return np.where(is_final, ends, np.arange(len(ends), dtype=np.int32))

    def _ids_of(self, urls: Iterable[Url]) -> Mapping[Url, int]:
        """The ids of the known URLs among these."""
        hashes = dumps([url_hash(url) for url in urls])
        return {Url(url): id for url, id in self._db.execute(SELECT_IDS_BY_HASH, (hashes,))}

    def _reverse_links(self) -> ReverseLinks:
        if self._folder is None:
            return NO_REVERSE_LINKS
        path = self._folder / "reverse_links.bin"
        return open_reverse_links(
            self._db, path, self._signed_edges, self.size(), self._min_new_versions
        )

    def _changed_since(self, reverse: ReverseLinks) -> NDArray[np.bool_]:
        """A mask by URL id: true if links may have changed since the reverse links were written."""
        changed = np.zeros(self.size(), bool)
        if reverse is not NO_REVERSE_LINKS:
            changed[
                [row[0] for row in self._db.execute(SELECT_NEWER_PAGES, (reverse.sequence,))]
            ] = True
        return changed


def _ids(rows: Iterable[tuple[int]]) -> Ids:
    return np.fromiter(chain.from_iterable(rows), np.int64)


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    items = iter(items)
    while batch := list(islice(items, MAX_IDS_PER_QUERY)):
        yield batch
