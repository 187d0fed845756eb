"""Opens the storage selected in the settings."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from byway.core.settings.schema import StorageSettings

if TYPE_CHECKING:  # ports import numpy, which a crawl does not need
    from byway.core.ports import Storage
    from byway.storage.memory.storage import MemoryStorage


def open_storage(path: Path, settings: StorageSettings) -> "Storage":
    """The storage of the collection at this path; nothing is created or read yet."""
    if settings.database == "memory":
        return _memory_storage(path.absolute())
    from byway.storage.sqlite.storage import SqliteStorage

    return SqliteStorage(path)


@cache
def _memory_storage(path: Path) -> "MemoryStorage":
    """One storage per path, like a file, for the life of the process."""
    from byway.storage.memory.storage import MemoryStorage

    return MemoryStorage(path)
