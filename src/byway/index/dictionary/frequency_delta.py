"""What was counted since the vocabulary was written? Kept beside it, word by word.

A commit adds the words of its pages alone, however many were counted before, and no crash takes
them. Searchers look here, too, so that words of a page are known as soon as it is.
"""

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from byway.index.dictionary.delta_db import DeltaReader
from byway.index.disk.checksums import damaged_file_error

SCHEMA = """
pragma journal_mode = wal;
pragma synchronous = normal;
create table if not exists word (word text primary key, count integer not null) without rowid;
create table if not exists larger (stamp integer not null);
"""
UPSERT_WORD_COUNT = (
    "insert into word values (?, ?) on conflict do update set count = count + excluded.count"
)
SELECT_WORDS_BY_PREFIX = """
select word, count from word where word >= ? and word < ? order by count desc, word limit ?
"""


class FrequencyDelta:
    """Counts that belong to a larger file, until that is written anew."""

    def __init__(self, path: Path, base_path: Path) -> None:
        self._path = path
        self._larger = base_path
        self._db: sqlite3.Connection | None = None
        self._asked = DeltaReader(self._path)
        self._most = 0

    @property
    def is_open_for_writing(self) -> bool:
        """Did anybody open it to count?"""
        return self._db is not None

    # Writing.

    def add(self, counts: Mapping[str, int]) -> None:
        """Count these, too; what was counted before the larger file was written is forgotten."""
        db = self._writing()
        try:
            db.execute("begin")
            db.executemany(UPSERT_WORD_COUNT, counts.items())
            db.execute("commit")
        except sqlite3.DatabaseError as error:
            raise damaged_file_error(self._path, str(error)) from error
        self._most += len(counts)

    def has_more_than(self, limit: int) -> bool:
        """Are there more words than that?"""
        if self._most > limit:  # as many as there were if none came twice
            (self._most,) = self._writing().execute("select count(*) from word").fetchone()
        return self._most > limit

    def read(self) -> Counter[str]:
        """All of it; nothing if the larger file has been written since."""
        if self._db is None and not self._path.exists():
            return Counter()
        return Counter(dict(self._writing().execute("select word, count from word")))

    def clear(self) -> None:
        """Forget all: it is in the larger file now."""
        if self._db is not None or self._path.exists():
            self._forget(self._writing())

    def close(self) -> None:
        """Let go of the file."""
        self._asked.close()
        if self._db is not None:
            self._db.close()
            self._db = None

    def _writing(self) -> sqlite3.Connection:
        if self._db is None:
            try:
                self._db = sqlite3.connect(self._path, isolation_level=None)
                self._db.executescript(SCHEMA)
                if self._db.execute("select stamp from larger").fetchone() != (self._stamp(),):
                    self._forget(self._db)
                (self._most,) = self._db.execute("select count(*) from word").fetchone()
            except sqlite3.DatabaseError as error:
                raise damaged_file_error(self._path, str(error)) from error
        return self._db

    def _forget(self, db: sqlite3.Connection) -> None:
        db.execute("begin")
        db.execute("delete from word")
        db.execute("delete from larger")
        db.execute("insert into larger values (?)", (self._stamp(),))
        db.execute("commit")
        self._most = 0

    def _stamp(self) -> int:
        """Which larger file is meant; 0 if there is none."""
        return self._larger.stat().st_mtime_ns if self._larger.exists() else 0

    # Reading.

    def counts_with_prefix(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """Words that begin like this with their counts, the most frequent first."""
        return self._asked.rows(SELECT_WORDS_BY_PREFIX, (prefix, prefix + chr(0x10FFFF), limit))

    def counts_for(self, words: Sequence[str]) -> list[tuple[str, int]]:
        """Those of these words that were counted, with their counts."""
        marks = ", ".join("?" * len(words))
        return self._asked.rows(f"select word, count from word where word in ({marks})", words)
