"""Commit marker (`state.json`): index version and sequence number of the last commit."""

import json
import os
from pathlib import Path
from typing import Any

from byway.index.disk.checksums import damaged_file_error
from byway.index.schema import INDEX_VERSION
from byway.storage.durable import atomic_write

COMMIT_MARKER_FILE = "state.json"
"""Keeps its name in all versions of the index: it is how an older index is recognized."""


class CommitMarker:
    """The last commit to the index in a folder. An index with another version counts as empty."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / COMMIT_MARKER_FILE
        self._stamp = 0
        self._state: dict[str, Any] = {}

    def committed_sequence(self) -> int:
        """The sequence number of the last commit; 0 if there is none."""
        state = self._read()
        return int(state["sequence"]) if state.get("version") == INDEX_VERSION else 0

    def stamp(self) -> int:
        """A number that changes with each commit."""
        self._read()
        return self._stamp

    def is_incompatible(self) -> bool:
        """Whether the index has another version."""
        return bool(self._read().get("version", INDEX_VERSION) != INDEX_VERSION)

    def write(self, sequence: int) -> None:
        """Mark everything up to this sequence number as committed."""
        with atomic_write(self._path) as file:
            file.write(json.dumps({"version": INDEX_VERSION, "sequence": sequence}).encode())

    def _read(self) -> dict[str, Any]:
        try:
            stamp = os.stat(self._path).st_mtime_ns  # noqa: PTH116, called at every search
            if stamp != self._stamp:
                self._state = json.loads(self._path.read_text())
                self._stamp = stamp
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise damaged_file_error(self._path, error) from error
        return self._state
