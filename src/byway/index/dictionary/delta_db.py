"""What is known beside arrays that are seldom written? A small database, asked while it fills."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from byway.index.disk.checksums import damaged_file_error
from byway.storage.sqlite.crawl_db.schema import open_to_read


class DeltaReader:
    """Reads such a database, which somebody else may fill, empty or take away meanwhile."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db: sqlite3.Connection | None = None

    def rows(self, sql: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """What it has; nothing where it is not there, or not just now."""
        try:
            if self._db is None:
                if not self._path.exists():
                    return []
                self._db = open_to_read(self._path, version=None)
            return self._db.execute(sql, values).fetchall()
        except sqlite3.OperationalError:
            return []
        except sqlite3.DatabaseError as error:
            raise damaged_file_error(self._path, str(error)) from error

    def close(self) -> None:
        """Let go of it."""
        if self._db is not None:
            self._db.close()
            self._db = None
