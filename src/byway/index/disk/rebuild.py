"""Must an index be built beside the one that is asked, is there room for it, how far is it?"""

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
from byway.index.tantivy_index import INDEX_VERSION
from byway.storage.data_folder import DataFolder
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.documents import open_documents_to_read, open_documents_to_write

BYTES_PER_MB = 1_000_000
DISK_FULL_MESSAGES = ("No space left on device", "disk is full", "requested and")
"""What the system, SQLite and NumPy say of a disk that is full, and others repeat."""


def readable_generation(folder: Path) -> Generation:
    """What this code can ask: where an index was made by other code, the one that will replace it.

    That one grows while it is asked; what was made by other code cannot be read by this one.
    """
    now = generations.live_generation(folder)
    begun = generations.building_generation(folder)
    return begun if begun and is_incompatible(now.index) else now


def is_incompatible(index: Path) -> bool:
    """Was this index made by other code?"""
    return open_commit_marker(index).is_incompatible()


def open_commit_marker(index: Path) -> CommitMarker:
    """What was last committed to this index, as far as this code can read it."""
    return CommitMarker(index / "state.json", INDEX_VERSION)


def begin_full_rebuild(folder: DataFolder, min_free_mb: int) -> None:
    """Begin documents and an index beside those that are asked; `min_free_mb` MB of disk stay free.

    Those that nobody could be answered from make room at once.
    """
    old = folder.live_generation
    begun = generations.begin_generation(folder.path, new_documents=True)
    open_documents_to_write(begun.documents).close()
    if _answers(old):
        require_disk_space(folder, min_free_mb, _size(old.documents) + _size(old.index))
    else:
        generations.promote(folder.path)


def is_full_rebuild(folder: DataFolder) -> bool:
    """Are documents being made anew, too, or were when somebody was killed?"""
    begun = folder.building_generation
    return begun is not None and begun.documents != folder.live_generation.documents


def resume_or_begin_rebuild(folder: DataFolder, min_free_mb: int) -> Generation | None:
    """What is to be built beside what is asked; begun now, if that was made by other code."""
    now, begun = folder.live_generation, folder.building_generation
    if begun and not is_incompatible(begun.index):
        return begun
    if not is_incompatible(now.index):
        generations.abandon(folder.path)
        return None
    require_disk_space(folder, min_free_mb, _size(now.index))
    begun = generations.begin_generation(folder.path, new_documents=False)
    _copy_anchors(now.index, begun.index)
    return begun


@contextmanager
def abandon_on_full_disk(folder: DataFolder) -> Iterator[None]:
    """Where room ends in this block, what is being built is deleted, and the old index stays."""
    try:
        yield
    except DiskFullError:
        generations.abandon(folder.path)
        raise
    except Exception as error:
        if folder.building_generation is None or not any(
            word in str(error) for word in DISK_FULL_MESSAGES
        ):
            raise
        refusal = _no_room(folder)
        generations.abandon(folder.path)
        raise refusal from error


def require_disk_space(folder: DataFolder, min_free_mb: int, needed_bytes: int = 0) -> None:
    """Refuse to go on building where less than `min_free_mb` MB of disk would be left."""
    free = shutil.disk_usage(folder.path).free
    if free - needed_bytes < min_free_mb * BYTES_PER_MB:
        takes = f"the new index takes about {math.ceil(needed_bytes / BYTES_PER_MB):,} MB, and "
        raise _no_room(
            folder,
            f"{takes if needed_bytes else ''}crawl.min_free_disk_mb leaves {min_free_mb:,} MB; ",
        )


def _no_room(folder: DataFolder, why: str = "") -> DiskFullError:
    free = shutil.disk_usage(folder.path).free // BYTES_PER_MB
    stays = "the old index stays; make room and begin again"
    return DiskFullError(f"only {free:,} MB of disk are free in {folder.path}; {why}{stays}")


def rebuild_progress(folder: DataFolder, last_sequence: int) -> RebuildProgress | None:
    """How far what is being built is, if anything is; `last_sequence` is the number of the last
    page.
    """
    begun = folder.building_generation
    if begun is None:
        return None
    steps = [open_commit_marker(begun.index).committed_sequence()]
    if is_full_rebuild(folder):
        steps.append(_last(begun.documents))
    share = sum(steps) / len(steps) / max(1, last_sequence)
    return RebuildProgress(min(1.0, share), folder.is_locked("index"))


def _answers(old: Generation) -> bool:
    """Is the old index whole, and is there anything in it?"""
    said = open_commit_marker(old.index)
    try:
        verify_checksums(old.index / "tantivy", full=True)
        return bool(_last(old.documents) and (said.committed_sequence() or said.is_incompatible()))
    except DataError:
        return False


def _last(documents: Path) -> int:
    try:
        with closing(open_documents_to_read(documents)) as store:
            return store.last_sequence()
    except (DataError, sqlite3.OperationalError):
        return 0  # not there yet, or cannot be read


def _copy_anchors(old: Path, new: Path) -> None:
    """What links call pages is known already, so each page is indexed with all of it at once."""
    if is_current(old / "anchors.db"):
        with (
            closing(open_to_read(old / "anchors.db", version=None)) as known,
            closing(sqlite3.connect(new / "anchors.db")) as copy,
        ):
            known.backup(copy)


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())
