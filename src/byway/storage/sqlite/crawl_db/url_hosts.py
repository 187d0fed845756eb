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

FORMAT = 1
HEADER = 3
"""Numbers before the array: format, URLs, and the hash of the last one."""
LEAST = 20_000
"""New URLs that are worth writing the file anew."""
ROWS = 100_000

NEWER = "select id, host from url where id >= ?"
HASH = "select hash from url where id = ?"
NOTHING = np.zeros(0, np.int32)


def owners(db: sqlite3.Connection, size: int, path: Path | None, least: int = LEAST) -> Ints:
    """The host's number of every URL below `size`, by its number; 0 where there is no URL.

    `path` is where they may be kept for the next time.
    """
    kept = _load(path, db)[:size] if path else NOTHING
    hosts = np.zeros(size, np.int32)
    hosts[: len(kept)] = kept
    cursor = db.execute(NEWER, (len(kept),))
    while rows := cursor.fetchmany(ROWS):
        ids, numbers = np.array(rows, np.int64).T
        known = ids < size
        hosts[ids[known]] = numbers[known]
    if path and size - len(kept) > least:
        _save(path, hosts, _hash(db, size - 1))
    return hosts


def _hash(db: sqlite3.Connection, id: int) -> int:
    """The hash of a URL: in another crawl.db, the number is another's."""
    row = db.execute(HASH, (id,)).fetchone()
    return int(row[0]) if row else 0


def _load(path: Path, db: sqlite3.Connection) -> Ints:
    try:
        format, size, hash = np.fromfile(path, np.int64, HEADER).tolist()
        hosts = np.fromfile(path, np.int32, offset=8 * HEADER)
    except (OSError, ValueError):
        return NOTHING
    whole = format == FORMAT and len(hosts) == size > 0
    return hosts if whole and hash == _hash(db, size - 1) else NOTHING


def _save(path: Path, hosts: Ints, hash: int) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as file:
            np.array([FORMAT, len(hosts), hash], np.int64).tofile(file)
            hosts.tofile(file)
        draft.replace(path)
    except OSError as error:
        log.info("hosts are not kept for the next time: %s", error)
    finally:
        draft.unlink(missing_ok=True)
