"""Opens a collection's storage and index: the only place that chooses a backend.

Imports are lazy: a crawl takes 20 MB less memory without the indexing code.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from byway.core.settings.schema import Settings
from byway.storage.sqlite.storage import SqliteStorage

if TYPE_CHECKING:  # ports import numpy, which a crawl does not need
    from byway.core.ports import IndexGenerations, Storage
    from byway.storage.memory.storage import MemoryStorage


def open_storage(path: Path, settings: Settings) -> "Storage":
    """The storage of the data folder at this path; nothing is created or read yet."""
    if settings.storage.database == "memory":
        return _memory_storage(path.absolute())
    return SqliteStorage(path)


@cache
def _memory_storage(path: Path) -> "MemoryStorage":
    """The in-memory storage at this path; it lasts until the process ends."""
    from byway.storage.memory.storage import MemoryStorage

    return MemoryStorage(path)


def open_generations(storage: "Storage", settings: Settings) -> "IndexGenerations":
    """The documents and indexes of a collection."""
    if isinstance(storage, SqliteStorage):
        from byway.app.storage.disk_generations import DiskGenerations

        return DiskGenerations(storage, settings)
    from byway.search.rank.position_features import position_features
    from byway.storage.memory.storage import MemoryStorage

    assert isinstance(storage, MemoryStorage)
    storage.generations.features = position_features
    return storage.generations
