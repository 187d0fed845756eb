"""What was committed to the index last? A small file says it, and each commit writes it anew."""

import json
import os
from pathlib import Path
from typing import Any

from byway.index.disk.checksums import damaged_file_error
from byway.storage.durable import atomic_write


class CommitMarker:
    """The last commit to an index. One of another version counts for nothing."""

    def __init__(self, path: Path, version: int) -> None:
        self._path = path
        self._version = version
        self._stamp = 0
        self._said: dict[str, Any] = {}

    def committed_sequence(self) -> int:
        """Its sequence number; 0 if there is none."""
        said = self._read()
        return int(said["sequence"]) if said.get("version") == self._version else 0

    def stamp(self) -> int:
        """Another number after each commit."""
        self._read()
        return self._stamp

    def is_incompatible(self) -> bool:
        """Was it made by other code than this?"""
        return bool(self._read().get("version", self._version) != self._version)

    def write(self, sequence: int) -> None:
        """All is written up to this sequence number."""
        with atomic_write(self._path) as file:
            file.write(json.dumps({"version": self._version, "sequence": sequence}).encode())

    def _read(self) -> dict[str, Any]:
        try:
            stamp = os.stat(self._path).st_mtime_ns  # noqa: PTH116, asked at every search
            if stamp != self._stamp:
                self._said = json.loads(self._path.read_text())
                self._stamp = stamp
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise damaged_file_error(self._path, str(error)) from error
        return self._said
