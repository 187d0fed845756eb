"""Host ids by URL id, cached in a file.

Reading them all from crawl.db takes over a second for three million URLs. A URL keeps its id and
its host forever, so the file stays valid; newer URLs are read from crawl.db.
"""

import logging
import os
import sqlite3
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

log = logging.getLogger(__name__)

Ints = NDArray[np.int32]

FORMAT_VERSION = 1
HEADER_INTS = 3
"""Integers before the array: format, URLs, and the hash of the last URL."""
MIN_NEW_URLS = 20_000
"""Minimum number of new URLs for a rewrite of the file."""
ROWS_PER_FETCH = 100_000

SELECT_NEWER_HOST_IDS = "select id, host_id from url where id >= ?"
SELECT_URL_HASH = "select url_hash from url where id = ?"
NO_HOST_IDS = np.zeros(0, np.int32)


def host_ids_by_url(
    db: sqlite3.Connection, size: int, path: Path | None, min_new_urls: int = MIN_NEW_URLS
) -> Ints:
    """The host id of every URL id below `size`; 0 if there is no such URL.

    `path` is the cache file.
    """
    cached = _load(path, db)[:size] if path else NO_HOST_IDS
    hosts = np.zeros(size, np.int32)
    hosts[: len(cached)] = cached
    cursor = db.execute(SELECT_NEWER_HOST_IDS, (len(cached),))
    while rows := cursor.fetchmany(ROWS_PER_FETCH):
        ids, numbers = np.array(rows, np.int64).T
        known = ids < size
        hosts[ids[known]] = numbers[known]
    if path and size - len(cached) > min_new_urls:
        _save(path, hosts, _hash(db, size - 1))
    return hosts


def _hash(db: sqlite3.Connection, id: int) -> int:
    """The hash of a URL, to detect a file from another crawl.db."""
    row = db.execute(SELECT_URL_HASH, (id,)).fetchone()
    return int(row[0]) if row else 0


def _load(path: Path, db: sqlite3.Connection) -> Ints:
    try:
        format, size, hash = np.fromfile(path, np.int64, HEADER_INTS).tolist()
        hosts = np.fromfile(path, np.int32, offset=8 * HEADER_INTS)
    except (OSError, ValueError):
        return NO_HOST_IDS
    is_valid = format == FORMAT_VERSION and len(hosts) == size > 0
    return hosts if is_valid and hash == _hash(db, size - 1) else NO_HOST_IDS


def _save(path: Path, hosts: Ints, hash: int) -> None:
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            np.array([FORMAT_VERSION, len(hosts), hash], np.int64).tofile(file)
            hosts.tofile(file)
        temporary.replace(path)
    except OSError as error:
        log.info("hosts are not kept for the next time: %s", error)
    finally:
        temporary.unlink(missing_ok=True)
