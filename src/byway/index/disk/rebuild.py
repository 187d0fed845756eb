"""Index rebuild: detection, disk space check, progress, and abandoning it on a full disk."""

import errno
import math
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from byway.core.errors import DataError, DiskFullError
from byway.core.model import RebuildProgress
from byway.index.anchors.anchor_store import is_current
from byway.index.disk import generations
from byway.index.disk.checksums import verify_checksums
from byway.index.disk.commit_marker import CommitMarker
from byway.index.disk.generations import Generation
from byway.storage.data_folder import DataFolder
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.documents import open_documents_to_read, open_documents_to_write

BYTES_PER_MB = 1_000_000
DISK_FULL_MESSAGES = ("No space left on device", "disk is full", "requested and")
"""Error texts of the system, SQLite and NumPy for a full disk: some libraries drop the errno."""


def readable_generation(folder: Path) -> Generation:
    """The live generation, or the one being built if this code cannot search the live one."""
    live = generations.live_generation(folder)
    building = generations.building_generation(folder)
    return building if building and is_incompatible(live.index) else live


def is_incompatible(index: Path) -> bool:
    """Whether the version of this index differs from `INDEX_VERSION`."""
    return open_commit_marker(index).is_incompatible()


def open_commit_marker(index: Path) -> CommitMarker:
    """The commit marker of this index."""
    return CommitMarker(index)


def begin_full_rebuild(folder: DataFolder, min_free_mb: int) -> None:
    """Begin a new document store and index; at least `min_free_mb` MB of disk stay free.

    A live generation that cannot be searched is deleted at once.
    """
    live = folder.live_generation
    new = generations.begin_generation(folder.path, new_documents=True)
    open_documents_to_write(new.documents).close()
    if _is_searchable(live):
        require_disk_space(folder, min_free_mb, _size(live.documents) + _size(live.index))
    else:
        generations.promote(folder.path)


def is_full_rebuild(folder: DataFolder) -> bool:
    """Whether the generation being built, or interrupted, has its own document store."""
    building = folder.building_generation
    return building is not None and building.documents != folder.live_generation.documents


def resume_or_begin_rebuild(folder: DataFolder, min_free_mb: int) -> Generation | None:
    """The generation to build; begun now if the live index is incompatible, None if not needed."""
    live, building = folder.live_generation, folder.building_generation
    if building and not is_incompatible(building.index):
        return building
    if not is_incompatible(live.index):
        generations.abandon(folder.path)
        return None
    require_disk_space(folder, min_free_mb, _size(live.index))
    new = generations.begin_generation(folder.path, new_documents=False)
    _copy_anchors(live.index, new.index)
    return new


@contextmanager
def abandon_on_full_disk(folder: DataFolder) -> Iterator[None]:
    """Delete the generation that is being built if the disk fills up; the live one stays."""
    try:
        yield
    except DiskFullError:
        generations.abandon(folder.path)
        raise
    except Exception as error:
        if folder.building_generation is None or not _means_full_disk(error):
            raise
        refusal = DiskFullError("index.disk_full", path=folder.path, free_mb=_free_mb(folder))
        generations.abandon(folder.path)
        raise refusal from error


def _means_full_disk(error: Exception) -> bool:
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return True
    return any(text in str(error) for text in DISK_FULL_MESSAGES)


def require_disk_space(folder: DataFolder, min_free_mb: int, needed_bytes: int = 0) -> None:
    """Raise `DiskFullError` if less than `min_free_mb` MB of disk would be left."""
    free = shutil.disk_usage(folder.path).free
    if free - needed_bytes >= min_free_mb * BYTES_PER_MB:
        return
    if needed_bytes:
        raise DiskFullError(
            "index.disk_full_for_rebuild",
            path=folder.path,
            free_mb=_free_mb(folder),
            needed_mb=math.ceil(needed_bytes / BYTES_PER_MB),
            min_free_mb=min_free_mb,
        )
    raise DiskFullError(
        "index.disk_limit_reached",
        path=folder.path,
        free_mb=_free_mb(folder),
        min_free_mb=min_free_mb,
    )


def _free_mb(folder: DataFolder) -> int:
    return shutil.disk_usage(folder.path).free // BYTES_PER_MB


def rebuild_progress(folder: DataFolder, last_sequence: int) -> RebuildProgress | None:
    """The progress of the rebuild; `last_sequence` is the number of the last page."""
    building = folder.building_generation
    if building is None:
        return None
    steps = [open_commit_marker(building.index).committed_sequence()]
    if is_full_rebuild(folder):
        steps.append(_last_document(building.documents))
    share = sum(steps) / len(steps) / max(1, last_sequence)
    return RebuildProgress(min(1.0, share), folder.is_locked("index"))


def _is_searchable(generation: Generation) -> bool:
    """Whether the index is undamaged and not empty."""
    marker = open_commit_marker(generation.index)
    try:
        verify_checksums(generation.index / "tantivy", full=True)
        has_commit = marker.committed_sequence() or marker.is_incompatible()
        return bool(_last_document(generation.documents) and has_commit)
    except DataError:
        return False


def _last_document(documents: Path) -> int:
    try:
        with closing(open_documents_to_read(documents)) as store:
            return store.last_sequence()
    except (DataError, sqlite3.OperationalError):
        return 0  # does not exist yet, or cannot be read


def _copy_anchors(old: Path, new: Path) -> None:
    """Copy the known anchor texts, so that each page is indexed once, with all of its anchors."""
    if is_current(old / "anchors.db"):
        with (
            closing(open_to_read(old / "anchors.db", version=None)) as source,
            closing(sqlite3.connect(new / "anchors.db")) as copy,
        ):
            source.backup(copy)


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())
