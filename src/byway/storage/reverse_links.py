"""Who links to this page? All links turned round, in one file that is memory-mapped.

crawl.db has links by the page they stand on, so to find those that lead to a page it must be read
whole: 3 s for a million pages. The file has them by target. It is made when that pays, and knows
how far it is: what was recorded since is read from crawl.db, so that no answer is old.
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
"""Numbers before the arrays: format, URLs, links, and those of `ReverseLinks`."""
MIN_NEW_VERSIONS = 20_000
"""Page versions to be read from crawl.db before a file is worth while: 40 ms."""
MAX_NEW_VERSIONS_SHARE = 0.25
"""... and how many there may be for each that the file has."""
LINKS_PER_SCAN = 1 << 23
"""Links of the file that are looked through at a time."""

SELECT_LAST_SEQUENCE = "select coalesce(max(sequence), 0) from page_version"
SELECT_FETCHED_AT_MICROS = (
    "select cast(fetched_at * 1e6 as integer) from page_version where sequence = ?"
)
COUNT_LINKS_ONLY_URLS = (
    "select coalesce(sum(url_count), 0) from state_count where state = 'links_only'"
)


@dataclass(frozen=True, slots=True)
class ReverseLinks:
    """For each URL the pages that link to it: those of `n` are `sources[starts[n]:starts[n + 1]]`.

    `sequence` is the last page version whose links are in it, and `fetched_at_micros` when that was
    fetched:
    in another crawl.db it was not.
    """

    starts: Longs
    sources: Ints
    sequence: int = 0
    fetched_at_micros: int = 0

    def edges_to(self, ids: Longs) -> Edges:
        """Sources and targets of every link to one of these."""
        ids = ids[ids < len(self.starts) - 1]
        first, counts = self.starts[ids], self.starts[ids + 1] - self.starts[ids]
        ends = np.cumsum(counts)
        within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
        sources = self.sources[np.repeat(first, counts) + within]
        return sources, np.repeat(ids, counts).astype(np.int32)

    def in_degrees(self, excluded: NDArray[np.bool_]) -> Longs:
        """How many pages link to each URL, but for those that are left out."""
        counts = np.diff(self.starts)
        if not excluded.any():
            return counts
        for start in range(0, len(self.sources), LINKS_PER_SCAN):
            gone = np.flatnonzero(excluded[self.sources[start : start + LINKS_PER_SCAN]]) + start
            targets = np.searchsorted(self.starts, gone, side="right") - 1
            counts -= np.bincount(targets, minlength=len(counts))
        return counts


NO_REVERSE_LINKS = ReverseLinks(np.zeros(1, np.int64), np.zeros(0, np.int32))
"""What is turned round when there is no file: all is yet to be read."""


def open_reverse_links(
    db: sqlite3.Connection,
    path: Path,
    edges: Callable[[], Iterator[Edges]],
    size: int,
    min_new_versions: int = MIN_NEW_VERSIONS,
) -> ReverseLinks:
    """The links that are in the file, which is made anew when it is far behind."""
    last, walked = (
        int(db.execute(sql).fetchone()[0]) for sql in (SELECT_LAST_SEQUENCE, COUNT_LINKS_ONLY_URLS)
    )
    if walked:  # these have links but no versions, so nobody could tell which are new
        return NO_REVERSE_LINKS
    found = _load(path)
    if found.fetched_at_micros != _moment(db, found.sequence):
        found = NO_REVERSE_LINKS
    if last - found.sequence <= max(min_new_versions, MAX_NEW_VERSIONS_SHARE * found.sequence):
        return found
    try:
        _save(path, edges, size, (last, _moment(db, last)))
    except OSError as error:
        log.info("links are not turned round: %s", error)
        return found
    return _load(path)


def _moment(db: sqlite3.Connection, sequence: int) -> int:
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
    place = 8 * (HEADER_INTS + size + 1)
    # An empty file cannot be mapped.
    none = np.zeros(0, np.int32)
    sources = np.memmap(path, np.int32, "r", place, (links,)) if links else none
    return ReverseLinks(starts, sources, *stamp)


def _save(
    path: Path, edges: Callable[[], Iterator[Edges]], size: int, stamp: tuple[int, int]
) -> None:
    """Two passes over all links: how many lead to each URL, and then each to its place."""
    starts = np.zeros(size + 1, np.int64)
    for _, targets in edges():
        starts[1:] += np.bincount(np.abs(targets), minlength=size)
    np.cumsum(starts, out=starts)
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as file:
            np.array([FORMAT_VERSION, size, starts[-1], *stamp], np.int64).tofile(file)
            starts.tofile(file)
            file.truncate(file.tell() + 4 * int(starts[-1]))
        if starts[-1]:
            _place(draft, edges, starts)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _place(draft: Path, edges: Callable[[], Iterator[Edges]], starts: Longs) -> None:
    place = 8 * (HEADER_INTS + len(starts))
    found = np.memmap(draft, np.int32, "r+", place, (int(starts[-1]),))
    free = starts[:-1].copy()
    for sources, targets in edges():
        # Numbers that hold both sort three times as fast as an argsort of the one.
        pairs = np.sort(np.abs(targets).astype(np.int64) << 32 | sources)
        ordered = pairs >> 32
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        counts = np.diff(first, append=len(ordered))
        which = ordered[first]
        places = np.repeat(free[which] - first, counts) + np.arange(len(ordered))
        found[places] = pairs & 0xFFFFFFFF
        free[which] += counts
    found.flush()
