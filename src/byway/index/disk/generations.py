"""Which documents and which index are asked, and which are being built to take their place?

    generation.json       names those that are live; without it, documents.db and index/ are
    next_generation.json  names those that are being built beside them

What is built gets names that nothing ever had, and keeps them: in the end the second file is
renamed to the first, and whoever looks then asks the new ones. So who has the old ones open never
sees a part of the new ones, and who is killed leaves either the old ones or the new ones to ask.
"""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from byway.core.errors import DataError
from byway.storage.durable import atomic_write, sync_folder

LIVE_MARKER_FILE, BUILDING_MARKER_FILE = "generation.json", "next_generation.json"
GENERATION_FILE_PATTERN = re.compile(
    r"(documents(-[0-9a-f]{8})?\.db|index(-[0-9a-f]{8})?)(-wal|-shm)?"
)
"""What documents and indexes are called, and what SQLite puts beside its files."""


@dataclass(frozen=True, slots=True)
class Generation:
    """Documents, and an index of them."""

    documents: Path
    index: Path


def live_generation(folder: Path) -> Generation:
    """Those that questions go to."""
    return _named_in(folder / LIVE_MARKER_FILE) or Generation(
        folder / "documents.db", folder / "index"
    )


def building_generation(folder: Path) -> Generation | None:
    """Those that are being built, or were when somebody was killed; None if there are none."""
    return _named_in(folder / BUILDING_MARKER_FILE)


def begin_generation(folder: Path, new_documents: bool) -> Generation:
    """Begin another index beside the one that is asked; of other documents if those are made anew.

    What was begun before is given up. This and what follows needs the folder's `index` lock, and
    where documents are made anew its `crawl` lock too.
    """
    mark = token_hex(4)
    documents = (
        folder / f"documents-{mark}.db" if new_documents else live_generation(folder).documents
    )
    begun = Generation(documents, folder / f"index-{mark}")
    begun.index.mkdir()
    _write(folder / BUILDING_MARKER_FILE, begun)
    delete_unused(folder)
    return begun


def promote(folder: Path) -> None:
    """What was built is asked from now on, and what was asked is deleted."""
    (folder / BUILDING_MARKER_FILE).replace(folder / LIVE_MARKER_FILE)
    sync_folder(folder)  # the old ones must not be gone before this is known for good
    delete_unused(folder)


def abandon(folder: Path) -> None:
    """Delete what is being built."""
    (folder / BUILDING_MARKER_FILE).unlink(missing_ok=True)
    delete_unused(folder)


def delete_unused(folder: Path) -> None:
    """Delete what is neither asked nor being built: somebody was killed before doing so."""
    begun, named = building_generation(folder), live_generation(folder)
    kept = {named.documents.name, named.index.name}
    kept |= {begun.documents.name, begun.index.name} if begun else set()
    for path in folder.iterdir():
        if (called := GENERATION_FILE_PATTERN.fullmatch(path.name)) and called[1] not in kept:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)  # who closes a database deletes what is beside it


def _named_in(path: Path) -> Generation | None:
    try:
        said = json.loads(path.read_text())
        names = str(said["documents"]), str(said["index"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(path, str(error)) from error
    if not all(map(GENERATION_FILE_PATTERN.fullmatch, names)):
        raise _damaged(path, "no names of ours")
    return Generation(path.parent / names[0], path.parent / names[1])


def _damaged(path: Path, why: str) -> DataError:
    return DataError(f"{path} is damaged ({why}); delete it and run `byway index --rebuild`")


def _write(path: Path, built: Generation) -> None:
    said = {"documents": built.documents.name, "index": built.index.name}
    with atomic_write(path) as file:
        file.write(json.dumps(said).encode())
