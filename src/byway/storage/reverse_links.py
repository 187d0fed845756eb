"""Reverse links: the inlinks of every URL in one memory-mapped file.

crawl.db stores links by source, so finding the inlinks of a page means reading all of it: 3 s for a
million pages. The file is ordered by target. It is written if it saves time, and records the last
page version it includes; newer links are read from crawl.db, so that no result is stale.
"""

import logging
import os
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

log = logging.getLogger(__name__)

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Edges = tuple[Ints, Ints]

FORMAT_VERSION = 1
HEADER_INTS = 5
"""Integers before the arrays: format, URLs, links, and the two fields of `ReverseLinks`."""
MIN_NEW_VERSIONS = 20_000
"""Minimum number of new page versions for a rewrite; reading fewer takes 40 ms."""
MAX_NEW_VERSIONS_SHARE = 0.25
"""Maximum ratio of new page versions to those in the file before it is rewritten."""
LINKS_PER_SCAN = 1 << 23
"""Links scanned at a time."""

SELECT_LAST_SEQUENCE = "select coalesce(max(sequence), 0) from page_version"
SELECT_FETCHED_AT_MICROS = (
    "select cast(fetched_at * 1e6 as integer) from page_version where sequence = ?"
)
COUNT_LINKS_ONLY_URLS = (
    "select coalesce(sum(url_count), 0) from state_count where state = 'links_only'"
)


@dataclass(frozen=True, slots=True)
class ReverseLinks:
    """The sources of all links by target; for target `n`, `sources[starts[n]:starts[n + 1]]`.

    `sequence` is the last page version included. `fetched_at_micros` is when it was fetched, which
    tells whether the file belongs to this crawl.db.
    """

    starts: Longs
    sources: Ints
    sequence: int = 0
    fetched_at_micros: int = 0

    def edges_to(self, ids: Longs) -> Edges:
        """Sources and targets of all links to these URLs."""
        ids = ids[ids < len(self.starts) - 1]
        first, counts = self.starts[ids], self.starts[ids + 1] - self.starts[ids]
        ends = np.cumsum(counts)
        within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
        sources = self.sources[np.repeat(first, counts) + within]
        return sources, np.repeat(ids, counts).astype(np.int32)

    def in_degrees(self, excluded: NDArray[np.bool_]) -> Longs:
        """Number of links to each URL, excluding links from `excluded` sources."""
        counts = np.diff(self.starts)
        if not excluded.any():
            return counts
        for start in range(0, len(self.sources), LINKS_PER_SCAN):
            found = np.flatnonzero(excluded[self.sources[start : start + LINKS_PER_SCAN]]) + start
            targets = np.searchsorted(self.starts, found, side="right") - 1
            counts -= np.bincount(targets, minlength=len(counts))
        return counts


NO_REVERSE_LINKS = ReverseLinks(np.zeros(1, np.int64), np.zeros(0, np.int32))
"""Placeholder for a missing file: all links are read from crawl.db."""


def open_reverse_links(
    db: sqlite3.Connection,
    path: Path,
    edges: Callable[[], Iterator[Edges]],
    size: int,
    min_new_versions: int = MIN_NEW_VERSIONS,
) -> ReverseLinks:
    """The reverse links in the file, after a rewrite if too many versions are newer."""
    last, links_only_urls = (
        int(db.execute(sql).fetchone()[0]) for sql in (SELECT_LAST_SEQUENCE, COUNT_LINKS_ONLY_URLS)
    )
    if links_only_urls:  # these URLs have links but no page versions, so new links cannot be found
        return NO_REVERSE_LINKS
    found = _load(path)
    if found.fetched_at_micros != _fetched_at_micros(db, found.sequence):
        found = NO_REVERSE_LINKS
    if last - found.sequence <= max(min_new_versions, MAX_NEW_VERSIONS_SHARE * found.sequence):
        return found
    try:
        _save(path, edges, size, (last, _fetched_at_micros(db, last)))
    except OSError as error:
        log.info("links are not turned round: %s", error)
        return found
    return _load(path)


def _fetched_at_micros(db: sqlite3.Connection, sequence: int) -> int:
    row = db.execute(SELECT_FETCHED_AT_MICROS, (sequence,)).fetchone()
    return int(row[0]) if row else 0


def _load(path: Path) -> ReverseLinks:
    try:
        format, size, links, *stamp = np.fromfile(path, np.int64, HEADER_INTS).tolist()
        if (
            format != FORMAT_VERSION
            or path.stat().st_size != 8 * (HEADER_INTS + size + 1) + 4 * links
        ):
            raise ValueError(f"{path} is damaged")
        starts = np.fromfile(path, np.int64, size + 1, offset=8 * HEADER_INTS)
    except (OSError, ValueError):
        return NO_REVERSE_LINKS
    offset = 8 * (HEADER_INTS + size + 1)
    # An empty array cannot be mapped.
    empty = np.zeros(0, np.int32)
    sources = np.memmap(path, np.int32, "r", offset, (links,)) if links else empty
    return ReverseLinks(starts, sources, *stamp)


def _save(
    path: Path, edges: Callable[[], Iterator[Edges]], size: int, stamp: tuple[int, int]
) -> None:
    """Write the file in two passes over all links: count per target, then fill (counting sort)."""
    starts = np.zeros(size + 1, np.int64)
    for _, targets in edges():
        starts[1:] += np.bincount(np.abs(targets), minlength=size)
    np.cumsum(starts, out=starts)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            np.array([FORMAT_VERSION, size, starts[-1], *stamp], np.int64).tofile(file)
            starts.tofile(file)
            file.truncate(file.tell() + 4 * int(starts[-1]))
        if starts[-1]:
            _fill_sources(temporary, edges, starts)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _fill_sources(temporary: Path, edges: Callable[[], Iterator[Edges]], starts: Longs) -> None:
    offset = 8 * (HEADER_INTS + len(starts))
    found = np.memmap(temporary, np.int32, "r+", offset, (int(starts[-1]),))
    free = starts[:-1].copy()
    for sources, targets in edges():
        # Sorting packed pairs is three times as fast as an argsort of the targets.
        pairs = np.sort(np.abs(targets).astype(np.int64) << 32 | sources)
        ordered = pairs >> 32
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        counts = np.diff(first, append=len(ordered))
        distinct = ordered[first]
        places = np.repeat(free[distinct] - first, counts) + np.arange(len(ordered))
        found[places] = pairs & 0xFFFFFFFF
        free[distinct] += counts
    found.flush()
