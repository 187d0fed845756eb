"""Whose URL is it? The host of every URL by number, in a file that only ever grows.

To read them all out of crawl.db takes over a second for three million URLs. A URL keeps its number
and its host for good, so what the file has stays right; what is newer is read besides.
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
"""Numbers before the array: format, URLs, and the hash of the last one."""
MIN_NEW_URLS = 20_000
"""New URLs that are worth writing the file anew."""
ROWS_PER_FETCH = 100_000

SELECT_NEWER_HOST_IDS = "select id, host_id from url where id >= ?"
SELECT_URL_HASH = "select url_hash from url where id = ?"
NO_HOST_IDS = np.zeros(0, np.int32)


def host_ids_by_url(
    db: sqlite3.Connection, size: int, path: Path | None, min_new_urls: int = MIN_NEW_URLS
) -> Ints:
    """The host's number of every URL below `size`, by its number; 0 where there is no URL.

    `path` is where they may be kept for the next time.
    """
    kept = _load(path, db)[:size] if path else NO_HOST_IDS
    hosts = np.zeros(size, np.int32)
    hosts[: len(kept)] = kept
    cursor = db.execute(SELECT_NEWER_HOST_IDS, (len(kept),))
    while rows := cursor.fetchmany(ROWS_PER_FETCH):
        ids, numbers = np.array(rows, np.int64).T
        known = ids < size
        hosts[ids[known]] = numbers[known]
    if path and size - len(kept) > min_new_urls:
        _save(path, hosts, _hash(db, size - 1))
    return hosts


def _hash(db: sqlite3.Connection, id: int) -> int:
    """The hash of a URL: in another crawl.db, the number is another's."""
    row = db.execute(SELECT_URL_HASH, (id,)).fetchone()
    return int(row[0]) if row else 0


def _load(path: Path, db: sqlite3.Connection) -> Ints:
    try:
        format, size, hash = np.fromfile(path, np.int64, HEADER_INTS).tolist()
        hosts = np.fromfile(path, np.int32, offset=8 * HEADER_INTS)
    except (OSError, ValueError):
        return NO_HOST_IDS
    whole = format == FORMAT_VERSION and len(hosts) == size > 0
    return hosts if whole and hash == _hash(db, size - 1) else NO_HOST_IDS


def _save(path: Path, hosts: Ints, hash: int) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as file:
            np.array([FORMAT_VERSION, len(hosts), hash], np.int64).tofile(file)
            hosts.tofile(file)
        draft.replace(path)
    except OSError as error:
        log.info("hosts are not kept for the next time: %s", error)
    finally:
        draft.unlink(missing_ok=True)
