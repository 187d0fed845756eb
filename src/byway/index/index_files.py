"""Files of one index: opening, commits and checksums.

`state.json`, the commit marker, holds the version, the last sequence number and the names of the
frequency files. `commit.json` exists during a commit and holds all that is needed to finish it
after a crash. Any process may open the files for search, only the lock holder for writing. Each of
tantivy's files ends with a footer that holds a CRC-32 of the bytes before it.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from struct import unpack
from typing import Any, Generic, TypeVar
from zlib import crc32

import numpy as np
import tantivy
from numpy.typing import NDArray

from byway.core.errors import DataError
from byway.core.files import atomic_write
from byway.core.messages import Damage
from byway.core.model import UrlId
from byway.core.settings.schema import IndexSettings
from byway.core.sqlite_file import open_sqlite_to_read
from byway.index.forward_index import ForwardWriter
from byway.index.schema import INDEX_VERSION, register_tokenizers

TANTIVY_FOOTER_MAGIC = 1337
"""The last four bytes of each of tantivy's files, as an integer."""
TANTIVY_FOLDER = "tantivy"
"""The subfolder of the index with tantivy's files."""
READ_BLOCK_BYTES = 1 << 20
TRUNCATION = Damage("truncated")
Content = TypeVar("Content")
COMMIT_MARKER_FILE = "state.json"
"""The name of the marker file, the same in all index versions, so that old ones are recognized."""
COMMIT_LOG_FILE = "commit.json"
"""The name of the file that exists during a commit."""
FrequencyFiles = tuple[str, str]
"""The names of the frequency files of a commit."""


def damaged_file_error(path: Path, damage: Damage | BaseException) -> DataError:
    """The error for an index file that cannot be trusted."""
    detail = damage if isinstance(damage, Damage) else str(damage)
    return DataError("index.damaged_file", path=path, damage=detail)


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

    def frequency_files(self) -> FrequencyFiles | tuple[()]:
        """The names of the frequency files of the last commit; none before the first."""
        names = () if self.is_incompatible() else self._read().get("frequencies")
        return (names[0], names[1]) if names else ()

    def stamp(self) -> int:
        """A number that changes with each commit."""
        self._read()
        return self._stamp

    def is_incompatible(self) -> bool:
        """Whether the index has another version."""
        return bool(self._read().get("version", INDEX_VERSION) != INDEX_VERSION)

    def write(self, sequence: int, frequency_files: FrequencyFiles | tuple[()] = ()) -> None:
        """Mark everything up to this sequence number as committed."""
        state = {
            "version": INDEX_VERSION,
            "sequence": sequence,
            "frequencies": frequency_files,
        }
        with atomic_write(self._path) as file:
            file.write(json.dumps(state).encode())

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


class PanicGuard:
    """Context manager that turns a panic in tantivy into the error for a damaged file.

    tantivy trusts the files it has written, so a panic means that one of them is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None and type(error).__name__ == "PanicException":
            raise damaged_file_error(self._path, error) from error


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

    @property
    def is_open(self) -> bool:
        """Whether the tantivy index is open."""
        return self._index is not None

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
            self._finish_commit()
        return self._writers

    def commit(self, frequency_files: FrequencyFiles) -> None:
        """Commit all changes; `mark_committed` must follow."""
        writer, forward = self.open_for_writing()
        rows = forward.sync_terms()
        log = {
            "version": INDEX_VERSION,
            "opstamp": self._opstamp(),
            "frequencies": frequency_files,
            "rows": [(id, *row) for id, row in rows.items()],
        }
        with atomic_write(self._folder / COMMIT_LOG_FILE) as file:
            file.write(json.dumps(log).encode())
        writer.commit()
        forward.apply(rows)

    def mark_committed(self, sequence: int, frequency_files: FrequencyFiles) -> None:
        """Write the commit marker, and make the commit visible to searches."""
        self._commit_marker.write(sequence, frequency_files)
        (self._folder / COMMIT_LOG_FILE).unlink(missing_ok=True)
        if self._index:
            self._index.reload()

    def _finish_commit(self) -> None:
        """Finish a commit that a crash interrupted after tantivy's part of it, or forget it.

        The sequence number stays as it was: its documents are added again, since the dictionary and
        the suggestions may lack them.
        """
        path = self._folder / COMMIT_LOG_FILE
        if not path.exists() or self._writers is None:
            return
        try:
            log = json.loads(path.read_text())
            rows = {UrlId(id): (start, length) for id, start, length in log["rows"]}
            files: FrequencyFiles = (log["frequencies"][0], log["frequencies"][1])
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise damaged_file_error(path, error) from error
        if log["version"] == INDEX_VERSION and log["opstamp"] != self._opstamp():
            self._writers[1].apply(rows)
            self._commit_marker.write(self._commit_marker.committed_sequence(), files)
        path.unlink()

    def _opstamp(self) -> int:
        """tantivy's number of the last commit; merging segments does not change it."""
        return int(json.loads((self.tantivy_path / "meta.json").read_text())["opstamp"])

    def close(self) -> None:
        """Close the files; uncommitted changes are dropped."""
        if self._writers is not None:
            writer, forward = self._writers
            writer.rollback()
            forward.close()
        self._index = self._writers = None


def has_intact_commit(folder: Path) -> bool:
    """Whether the index has a commit, of any version, and a shard without a damaged file."""
    marker = CommitMarker(folder)
    try:
        if not (marker.committed_sequence() or marker.is_incompatible()):
            return False
    except DataError:
        return False
    return any(map(_is_intact, folder.rglob(TANTIVY_FOLDER)))


def _is_intact(folder: Path) -> bool:
    try:
        verify_checksums(folder, full=True)
    except DataError:
        return False
    return True


def verify_checksums(folder: Path, full: bool = False) -> None:
    """Raise if a file of a tantivy index is truncated or, with `full`, altered."""
    try:
        files = list(_segment_files(folder))
    except (ValueError, KeyError, TypeError) as error:
        raise damaged_file_error(folder / "meta.json", error) from error
    for path in files:
        try:
            damage = _find_damage(path, full)
        except FileNotFoundError:
            continue  # a merge has replaced it since
        if damage:
            raise damaged_file_error(path, damage)


def _segment_files(folder: Path) -> Iterator[Path]:
    """The files of the live segments, without leftovers from a crash."""
    meta = folder / "meta.json"
    if not meta.exists():
        return
    for segment in json.loads(meta.read_text())["segments"]:
        name = segment["segment_id"].replace("-", "")
        deletes = segment["deletes"]
        for path in sorted(folder.glob(f"{name}.*")):
            if path.suffix != ".del" or (deletes and path.stem == f"{name}.{deletes['opstamp']}"):
                yield path


def _find_damage(path: Path, full: bool) -> Damage:
    """A description of the damage to a file; empty if it is intact."""
    size = path.stat().st_size
    with path.open("rb") as file:
        if size < 8:
            return TRUNCATION
        file.seek(size - 8)
        footer_size, magic = unpack("<II", file.read())
        if magic != TANTIVY_FOOTER_MAGIC or footer_size > size - 8:
            return TRUNCATION
        file.seek(size - 8 - footer_size)
        try:
            expected = json.loads(file.read(footer_size))["crc"]
        except (ValueError, KeyError, TypeError):
            return Damage("bad_footer")
        if not full:
            return Damage()
        file.seek(0)
        bytes_left, checksum = size - 8 - footer_size, 0
        while bytes_left and (block := file.read(min(bytes_left, READ_BLOCK_BYTES))):
            checksum, bytes_left = crc32(block, checksum), bytes_left - len(block)
    return Damage() if checksum == expected else Damage("bad_checksum")


class ReloadedFile(Generic[Content]):
    """The content of a file, loaded again whenever the file is replaced."""

    def __init__(self, path: Path, empty: Content, load: Callable[[Path], Content]) -> None:
        self._path = path
        self._load = load
        self._loaded = 0, empty

    def read(self) -> Content:
        """The content; replaced as one value, since several threads may read."""
        try:
            stamp = os.stat(self._path).st_mtime_ns  # noqa: PTH116, called at every search
            if stamp != self._loaded[0]:
                self._loaded = stamp, self._load(self._path)
        except FileNotFoundError:  # not written yet, or its generation was deleted
            pass
        except (ValueError, EOFError, IndexError, KeyError) as error:
            raise damaged_file_error(self._path, error) from error
        return self._loaded[1]


def map_array(path: Path) -> NDArray[np.void]:
    """The array in an .npy file, mapped into memory. Plain: slicing a memmap is slower."""
    return np.asarray(np.load(path, mmap_mode="r"))


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
                self._db = open_sqlite_to_read(self._path, version=None)
            return self._db.execute(sql, values).fetchall()
        except sqlite3.OperationalError:
            return []
        except DataError:
            if self._path.exists():
                raise
            return []  # its generation was deleted just now
        except sqlite3.DatabaseError as error:
            raise damaged_file_error(self._path, error) from error

    def close(self) -> None:
        """Close the database."""
        if self._db is not None:
            self._db.close()
            self._db = None
