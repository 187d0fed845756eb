"""SQLite delta of document frequencies counted since the term dictionary was last written.

A commit adds only the words of its own pages, and a crash loses no committed counts. Searches read
the delta too, so the words of a page can be searched for together with the page.
"""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from byway.index.disk.checksums import damaged_file_error
from byway.storage.sqlite.crawl_db.schema import open_to_read

SCHEMA = """
pragma journal_mode = wal;
pragma synchronous = normal;
create table if not exists term_count (
    term text primary key, document_frequency integer not null
) without rowid;
-- The modification time of the dictionary file that these counts come on top of.
create table if not exists base_file (mtime_ns integer not null);
"""
UPSERT_TERM_COUNT = (
    "insert into term_count values (?, ?) on conflict do update "
    "set document_frequency = document_frequency + excluded.document_frequency"
)
SELECT_TERM_COUNTS = "select term, document_frequency from term_count"
SELECT_TERMS_BY_PREFIX = (
    f"{SELECT_TERM_COUNTS} where term >= ? and term < ? "
    "order by document_frequency desc, term limit ?"
)
COUNT_TERMS = "select count(*) from term_count"


class DeltaReader:
    """Read-only view of an SQLite delta that another process may fill, empty or delete."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None

    def rows(self, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """The rows of a query; none while the database is missing or busy."""
        try:
            if self._db is None:
                if not self._path.exists():
                    return []
                self._db = open_to_read(self._path, version=None)
            return self._db.execute(sql, values).fetchall()
        except sqlite3.OperationalError:
            return []
        except sqlite3.DatabaseError as error:
            raise damaged_file_error(self._path, error) from error

    def close(self) -> None:
        """Close the database."""
        if self._db is not None:
            self._db.close()
            self._db = None


class FrequencyDelta:
    """Document frequencies on top of a base file, until the next time it is written."""

    def __init__(self, path: Path, base_path: Path) -> None:
        self._path = path
        self._base_path = base_path
        self._db: sqlite3.Connection | None = None
        self._reader = DeltaReader(self._path)
        self._max_terms = 0
        """An upper bound of the number of terms."""

    @property
    def is_open_for_writing(self) -> bool:
        """Whether this process has written to the delta."""
        return self._db is not None

    # Writing.

    def add(self, counts: Mapping[str, int]) -> None:
        """Add counts; drop those from before the base file was last written."""
        db = self._open_for_writing()
        try:
            db.execute("begin")
            db.executemany(UPSERT_TERM_COUNT, counts.items())
            db.execute("commit")
        except sqlite3.DatabaseError as error:
            raise damaged_file_error(self._path, error) from error
        self._max_terms += len(counts)

    def has_more_than(self, limit: int) -> bool:
        """Whether it holds more words than `limit`."""
        if self._max_terms > limit:  # exact only if no word came twice
            (self._max_terms,) = self._open_for_writing().execute(COUNT_TERMS).fetchone()
        return self._max_terms > limit

    def read(self) -> Counter[str]:
        """All counts; none if the base file has been written since."""
        if self._db is None and not self._path.exists():
            return Counter()
        return Counter(dict(self._open_for_writing().execute(SELECT_TERM_COUNTS)))

    def clear(self) -> None:
        """Drop all counts: they are in the base file now."""
        if self._db is not None or self._path.exists():
            self._clear(self._open_for_writing())

    def close(self) -> None:
        """Close the database."""
        self._reader.close()
        if self._db is not None:
            self._db.close()
            self._db = None

    def _open_for_writing(self) -> sqlite3.Connection:
        if self._db is None:
            try:
                self._db = sqlite3.connect(self._path, isolation_level=None)
                self._db.executescript(SCHEMA)
                base = self._db.execute("select mtime_ns from base_file").fetchone()
                if base != (self._base_mtime(),):
                    self._clear(self._db)
                (self._max_terms,) = self._db.execute(COUNT_TERMS).fetchone()
            except sqlite3.DatabaseError as error:
                raise damaged_file_error(self._path, error) from error
        return self._db

    def _clear(self, db: sqlite3.Connection) -> None:
        db.execute("begin")
        db.execute("delete from term_count")
        db.execute("delete from base_file")
        db.execute("insert into base_file values (?)", (self._base_mtime(),))
        db.execute("commit")
        self._max_terms = 0

    def _base_mtime(self) -> int:
        """The modification time of the base file in ns; 0 if there is none."""
        return self._base_path.stat().st_mtime_ns if self._base_path.exists() else 0

    # Reading.

    def counts_with_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Words with this prefix and their counts, most frequent first."""
        return self._reader.rows(SELECT_TERMS_BY_PREFIX, (prefix, prefix + chr(0x10FFFF), limit))

    def counts_for(self, words: Sequence[str]) -> list[tuple[str, int]]:
        """The counts of these words; words without a count are left out."""
        marks = ", ".join("?" * len(words))
        return self._reader.rows(f"{SELECT_TERM_COUNTS} where term in ({marks})", words)
