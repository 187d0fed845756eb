"""Opening of the storage of a data folder: the only place that chooses it."""

from pathlib import Path

from byway.core.settings.schema import Settings
from byway.storage.data_folder import DataFolder


def open_storage(path: Path, settings: Settings) -> DataFolder:
    """The storage of the data folder at this path; nothing is created or read yet."""
    return DataFolder(path)
