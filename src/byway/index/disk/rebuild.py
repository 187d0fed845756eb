"""Must an index be built beside the one that is asked, is there room for it, how far is it?"""

import math
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from byway.core.errors import DataError, NoRoom
from byway.core.model import Building
from byway.index.anchors.anchor_store import is_current
from byway.index.disk import generations
from byway.index.disk.checksums import check
from byway.index.disk.commit_marker import Committed
from byway.index.disk.generations import Built
from byway.index.tantivy_index import VERSION
from byway.storage.data_folder import Folder
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.documents import documents_to_read, documents_to_write

MEGABYTE = 1_000_000
FULL = ("No space left on device", "disk is full", "requested and")
"""What the system, SQLite and NumPy say of a disk that is full, and others repeat."""


def asked_by_us(folder: Path) -> Built:
    """What this code can ask: where an index was made by other code, the one that will replace it.

    That one grows while it is asked; what was made by other code cannot be read by this one.
    """
    now = generations.asked(folder)
    begun = generations.building(folder)
    return begun if begun and is_foreign(now.index) else now


def is_foreign(index: Path) -> bool:
    """Was this index made by other code?"""
    return committed_to(index).is_of_another_version()


def committed_to(index: Path) -> Committed:
    """What was last committed to this index, as far as this code can read it."""
    return Committed(index / "state.json", VERSION)


def begin_anew(folder: Folder, spare: int) -> None:
    """Begin documents and an index beside those that are asked; `spare` MB of disk stay free.

    Those that nobody could be answered from make room at once.
    """
    old = folder.built
    begun = generations.begin(folder.path, anew=True)
    documents_to_write(begun.documents).close()
    if _answers(old):
        require_room(folder, spare, _size(old.documents) + _size(old.index))
    else:
        generations.take_over(folder.path)


def is_made_anew(folder: Folder) -> bool:
    """Are documents being made anew, too, or were when somebody was killed?"""
    begun = folder.building
    return begun is not None and begun.documents != folder.built.documents


def to_build(folder: Folder, spare: int) -> Built | None:
    """What is to be built beside what is asked; begun now, if that was made by other code."""
    now, begun = folder.built, folder.building
    if begun and not is_foreign(begun.index):
        return begun
    if not is_foreign(now.index):
        generations.give_up(folder.path)
        return None
    require_room(folder, spare, _size(now.index))
    begun = generations.begin(folder.path, anew=False)
    _copy_anchors(now.index, begun.index)
    return begun


@contextmanager
def given_up_without_room(folder: Folder) -> Iterator[None]:
    """Where room ends in this block, what is being built is deleted, and the old index stays."""
    try:
        yield
    except NoRoom:
        generations.give_up(folder.path)
        raise
    except Exception as error:
        if folder.building is None or not any(word in str(error) for word in FULL):
            raise
        refusal = _no_room(folder)
        generations.give_up(folder.path)
        raise refusal from error


def require_room(folder: Folder, spare: int, needed: int = 0) -> None:
    """Refuse to go on building where less than `spare` MB of disk would be left."""
    free = shutil.disk_usage(folder.path).free
    if free - needed < spare * MEGABYTE:
        takes = f"the new index takes about {math.ceil(needed / MEGABYTE):,} MB, and "
        raise _no_room(folder, f"{takes if needed else ''}crawl.free_disk leaves {spare:,} MB; ")


def _no_room(folder: Folder, why: str = "") -> NoRoom:
    free = shutil.disk_usage(folder.path).free // MEGABYTE
    stays = "the old index stays; make room and begin again"
    return NoRoom(f"only {free:,} MB of disk are free in {folder.path}; {why}{stays}")


def how_far(folder: Folder, pages: int) -> Building | None:
    """How far what is being built is, if anything is; `pages` is the number of the last page."""
    begun = folder.building
    if begun is None:
        return None
    steps = [committed_to(begun.index).last()]
    if is_made_anew(folder):
        steps.append(_last(begun.documents))
    share = sum(steps) / len(steps) / max(1, pages)
    return Building(min(1.0, share), folder.is_writing("index"))


def _answers(old: Built) -> bool:
    """Is the old index whole, and is there anything in it?"""
    said = committed_to(old.index)
    try:
        check(old.index / "tantivy", whole=True)
        return bool(_last(old.documents) and (said.last() or said.is_of_another_version()))
    except DataError:
        return False


def _last(documents: Path) -> int:
    try:
        with closing(documents_to_read(documents)) as store:
            return store.last()
    except (DataError, sqlite3.OperationalError):
        return 0  # not there yet, or cannot be read


def _copy_anchors(old: Path, new: Path) -> None:
    """What links call pages is known already, so each page is indexed with all of it at once."""
    if is_current(old / "anchors.db"):
        with (
            closing(open_to_read(old / "anchors.db")) as known,
            closing(sqlite3.connect(new / "anchors.db")) as copy,
        ):
            known.backup(copy)


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())
