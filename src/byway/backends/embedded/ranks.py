"""Ranks as arrays in a folder, memory-mapped by whoever searches."""

import logging
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from byway.ports import Ranks

log = logging.getLogger(__name__)

NONE = np.zeros(0, np.float32)


class ArrayRanks:
    """The last ranking; a new one takes its place at once and whole."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "ranks.npy"
        self._loaded: tuple[tuple[int, int], Ranks] | None = None

    def save(self, ranks: Ranks) -> None:
        # All columns in one file: pages, hosts and sites are never of different rankings.
        draft = self._path.with_suffix(f".{os.getpid()}.draft")
        with draft.open("wb") as file:
            columns = [ranks.pages, ranks.hosts]
            np.save(file, np.stack([*columns, ranks.sites] if len(ranks.sites) else columns))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._path)

    def load(self) -> Ranks:
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            return Ranks(NONE, NONE)
        version = stat.st_mtime_ns, stat.st_ino
        if self._loaded is None or self._loaded[0] != version:
            try:
                arrays: NDArray[np.float32] = np.load(self._path, mmap_mode="r")
                self._loaded = version, Ranks(arrays[0], arrays[1], *arrays[2:3])
            except (EOFError, ValueError, IndexError):
                log.warning("%s is damaged; `byway rank` makes it anew", self._path)
                self._loaded = version, Ranks(NONE, NONE)
        return self._loaded[1]
