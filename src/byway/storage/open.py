"""Opening of the storage that the settings choose."""

from pathlib import Path
from typing import TYPE_CHECKING

from byway.core.settings.schema import StorageSettings

if TYPE_CHECKING:  # ports import numpy, which a crawl does not need
    from byway.core.ports import Storage


def open_storage(path: Path, settings: StorageSettings) -> "Storage":
    """The storage of the collection at this path; nothing is created or read yet."""
    if settings.database == "memory":
        from byway.storage.memory.storage import MemoryStorage

        return MemoryStorage(path)
    from byway.storage.sqlite.storage import SqliteStorage

    return SqliteStorage(path)
