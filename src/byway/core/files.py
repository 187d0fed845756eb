"""Atomic, durable file writes (sync, then rename), and the sizes of folders."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Open a temporary file that replaces `path` once it is complete."""
    temporary = path.with_suffix(".tmp")
    with temporary.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def size_of(path: Path) -> int:
    """The size in bytes of a file, or of all files in a folder; 0 if there is none."""
    files = [Path(folder, name) for folder, _, names in os.walk(path) for name in names]
    total = 0
    for file in files or [path]:
        with suppress(FileNotFoundError):  # deleted just now, by a merge of segments
            total += file.stat().st_size if file.is_file() else 0
    return total


def sync_folder(folder: Path) -> None:
    """Sync a folder to disk, so that its file names survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
