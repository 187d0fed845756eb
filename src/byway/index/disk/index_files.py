"""Files of one index and its commit marker (`state.json`): version and last sequence number.

Any process may open the files for search, only the lock holder for writing."""

import json
import os
from pathlib import Path
from typing import Any

import tantivy

from byway.core.errors import DataError
from byway.core.files import atomic_write
from byway.core.settings.schema import IndexSettings
from byway.index.disk.checksums import (
    TANTIVY_FOLDER,
    PanicGuard,
    damaged_file_error,
    verify_checksums,
)
from byway.index.forward.writer import ForwardWriter
from byway.index.schema import INDEX_VERSION, register_tokenizers

COMMIT_MARKER_FILE = "state.json"
"""Keeps its name in all index versions, so that an older index is recognized."""


class CommitMarker:
    """The last commit to the index in a folder. An index of another version counts as empty."""

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


IndexWriters = tuple[tantivy.IndexWriter, ForwardWriter]


class IndexFiles:
    """The files of one index; each is opened when it is first needed."""

    def __init__(
        self,
        folder: Path,
        settings: IndexSettings,
        schema: tantivy.Schema,
        commit_marker: CommitMarker,
    ) -> None:
        self._folder = folder
        self.tantivy_path = folder / TANTIVY_FOLDER
        """The folder of tantivy's files."""
        self._settings = settings
        self._schema = schema
        self._commit_marker = commit_marker
        self._index: tantivy.Index | None = None
        self._writers: IndexWriters | None = None
        self.began_empty = False
        """Whether the index was empty when opened; if so, the forward index has every page."""

    def open_for_search(self) -> tantivy.Index | None:
        """The tantivy index; None while there is none."""
        if self._index is None and self._commit_marker.committed_sequence():
            verify_checksums(self.tantivy_path)
            try:
                with PanicGuard(self.tantivy_path):
                    self._index = register_tokenizers(tantivy.Index.open(str(self.tantivy_path)))
            except ValueError as error:
                if self._commit_marker.committed_sequence():
                    raise damaged_file_error(self.tantivy_path, error) from error
                return None  # deleted just now, since another generation went live
        return self._index

    def open_for_writing(self) -> IndexWriters:
        """The writers of tantivy and the forward index."""
        if self._writers is None:
            if self._commit_marker.is_incompatible():
                raise DataError("index.other_version", path=self._folder)
            self.tantivy_path.mkdir(parents=True, exist_ok=True)
            verify_checksums(self.tantivy_path, full=True)
            try:
                self._index = register_tokenizers(
                    tantivy.Index(self._schema, str(self.tantivy_path))
                )
            except ValueError as error:
                raise damaged_file_error(self.tantivy_path, error) from error
            self.began_empty = not self._index.searcher().num_docs
            heap_bytes = self._settings.writer_memory_mb * 1_000_000
            writer = self._index.writer(heap_bytes, self._settings.threads)
            self._writers = writer, ForwardWriter(self._folder)
        return self._writers

    def refresh(self) -> None:
        """Make the last commit visible to searches."""
        if self._index:
            self._index.reload()

    def close(self) -> None:
        """Close the files; uncommitted changes are dropped."""
        if self._writers is not None:
            writer, forward = self._writers
            writer.rollback()
            forward.close()
        self._index = self._writers = None


def has_intact_commit(folder: Path) -> bool:
    """Whether the index has a commit, of any version, and no damaged file."""
    marker = CommitMarker(folder)
    try:
        verify_checksums(folder / TANTIVY_FOLDER, full=True)
        return bool(marker.committed_sequence() or marker.is_incompatible())
    except DataError:
        return False
