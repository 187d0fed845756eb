"""Generations: the live documents and index, and the ones being built to replace them.

    generation.json       names the live generation; without it, documents.db and index/ are live
    next_generation.json  names the generation that is being built

A new generation gets names that were never used before and keeps them. When it is complete,
next_generation.json is renamed to generation.json. So a reader that has the old generation open
never sees a part of the new one, and a crash leaves one of the two live.
"""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from byway.core.errors import DataError
from byway.core.files import atomic_write, sync_folder
from byway.core.model.message import Damage, Message

LIVE_MARKER_FILE, BUILDING_MARKER_FILE = "generation.json", "next_generation.json"
FORMER_LIVE_MARKER_FILE = "built.json"
"""The former name of the live marker. A folder that has it is refused: the default names would be
taken as live, and the generation it names would be deleted as unused."""
GENERATION_FILE_PATTERN = re.compile(
    r"(documents(-[0-9a-f]{8})?\.db|index(-[0-9a-f]{8})?)(-wal|-shm)?"
)
"""Names of document stores and indexes, with the -wal and -shm files of SQLite."""


@dataclass(frozen=True, slots=True)
class Generation:
    """A document store and the index of its documents."""

    documents: Path
    index: Path


def live_generation(folder: Path) -> Generation:
    """The generation used for searching."""
    if generation := _read(folder / LIVE_MARKER_FILE):
        return generation
    former = folder / FORMER_LIVE_MARKER_FILE
    if former.exists():
        raise _damaged_marker(former, Damage("older_version"))
    return Generation(folder / "documents.db", folder / "index")


def building_generation(folder: Path) -> Generation | None:
    """The generation being built, perhaps by a process that was killed; None if there is none."""
    return _read(folder / BUILDING_MARKER_FILE)


def begin_generation(folder: Path, new_documents: bool) -> Generation:
    """Begin a new index, and with `new_documents` a new document store, beside the live ones.

    A generation begun earlier is abandoned. This and the functions below need the folder's `index`
    lock, and with `new_documents` its `crawl` lock too.
    """
    suffix = token_hex(4)
    documents = (
        folder / f"documents-{suffix}.db" if new_documents else live_generation(folder).documents
    )
    generation = Generation(documents, folder / f"index-{suffix}")
    generation.index.mkdir()
    _write(folder / BUILDING_MARKER_FILE, generation)
    delete_unused(folder)
    return generation


def promote(folder: Path) -> None:
    """Make the completed generation live, and delete the old one."""
    (folder / BUILDING_MARKER_FILE).replace(folder / LIVE_MARKER_FILE)
    sync_folder(folder)  # before the old generation is deleted
    delete_unused(folder)


def abandon(folder: Path) -> None:
    """Delete the generation that is being built."""
    (folder / BUILDING_MARKER_FILE).unlink(missing_ok=True)
    delete_unused(folder)


def delete_unused(folder: Path) -> None:
    """Delete generations left by a killed process: neither live nor being built."""
    building, live = building_generation(folder), live_generation(folder)
    used = {live.documents.name, live.index.name}
    used |= {building.documents.name, building.index.name} if building else set()
    for path in folder.iterdir():
        if (match := GENERATION_FILE_PATTERN.fullmatch(path.name)) and match[1] not in used:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)  # SQLite deletes -wal and -shm by itself on close


def _read(path: Path) -> Generation | None:
    try:
        names_by_part = json.loads(path.read_text())
        names = str(names_by_part["documents"]), str(names_by_part["index"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged_marker(path, str(error)) from error
    if not all(map(GENERATION_FILE_PATTERN.fullmatch, names)):
        raise _damaged_marker(path, Damage("unknown_names"))
    return Generation(path.parent / names[0], path.parent / names[1])


def _damaged_marker(path: Path, damage: Message | str) -> DataError:
    return DataError("index.damaged_generation_file", path=path, damage=damage)


def _write(path: Path, generation: Generation) -> None:
    names = {"documents": generation.documents.name, "index": generation.index.name}
    with atomic_write(path) as file:
        file.write(json.dumps(names).encode())
