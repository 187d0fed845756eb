"""Ranks as memory-mapped arrays in rank/."""

import logging
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from byway.core.ports import NO_RANKS, HostCitations, Ranks

log = logging.getLogger(__name__)


class ArrayRankStore:
    """The rank store of the data folder; a new ranking replaces the old one atomically."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "ranks.npy"
        self._citations_path = folder / "host_citations.npy"
        self._loaded: tuple[tuple[int, int], Ranks] | None = None

    def save(self, ranks: Ranks) -> None:
        # All columns are in one file, so that pages, hosts and sites come from one ranking.
        columns = [ranks.pages, ranks.hosts]
        citations = ranks.citations
        _write(self._citations_path, np.stack([citations.links, citations.pages, citations.hosts]))
        _write(self._path, np.stack([*columns, ranks.sites] if len(ranks.sites) else columns))

    def load(self) -> Ranks:
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            return NO_RANKS
        version = stat.st_mtime_ns, stat.st_ino
        if self._loaded is None or self._loaded[0] != version:
            try:
                arrays: NDArray[np.float32] = np.load(self._path, mmap_mode="r")
                sites = arrays[2] if len(arrays) > 2 else NO_RANKS.sites
                self._loaded = version, Ranks(arrays[0], arrays[1], sites, self._load_citations())
            except (EOFError, ValueError, IndexError):
                log.warning("%s is damaged; `byway rank` makes it anew", self._path)
                self._loaded = version, NO_RANKS
        return self._loaded[1]

    def _load_citations(self) -> HostCitations:
        try:
            return HostCitations(*np.load(self._citations_path))
        except (OSError, EOFError, ValueError, TypeError):  # an older version, or damaged
            return HostCitations()


def _write(path: Path, array: NDArray[np.generic]) -> None:
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        np.save(file, array)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
