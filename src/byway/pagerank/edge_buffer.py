"""Edge buffer: collects edges before a graph is built, in memory if they are few, else on disk.

An edge has a source and a key. The key is its target; with several kinds of links, it is the target
times the number of kinds, plus the kind, so that each row of the graph has edges of one kind.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from byway.core.errors import DataError

Numbers = NDArray[np.uint32]
Pointers = NDArray[np.int64]
EdgeChunk = tuple[Numbers, Numbers]
"""Sources and keys."""

MAX_EDGES_IN_MEMORY = 1_000_000
"""Maximum edges kept in memory: for so few, loading compiled code takes longer than it saves."""
EDGES_PER_READ = 500_000
"""Edges each thread reads from disk at a time."""
BYTES_PER_ID = 4
"""Bytes per node id or key on disk."""


@dataclass(frozen=True, slots=True)
class StoredEdges:
    """Edges on disk: an array of 32-bit sources and an array of 32-bit keys."""

    source_file: int
    key_file: int
    """Descriptors of the open files; both may refer to the same file."""
    count: int
    source_offset: int = 0
    key_offset: int = 0
    """Offsets in bytes of the first source and the first key."""

    def read_chunks(self, part: int, parts: int) -> Iterator[EdgeChunk]:
        """One of `parts` equal shares of the edges, in chunks; each is valid until the next."""
        sources, keys = np.empty((2, EDGES_PER_READ), np.uint32)
        for at, size in self._steps(part, parts):
            read_array(self.source_file, sources[:size], self.source_offset + at * BYTES_PER_ID)
            read_array(self.key_file, keys[:size], self.key_offset + at * BYTES_PER_ID)
            yield sources[:size], keys[:size]

    def _steps(self, part: int, parts: int) -> Iterator[tuple[int, int]]:
        last = self.count * (part + 1) // parts
        for at in range(self.count * part // parts, last, EDGES_PER_READ):
            yield at, min(EDGES_PER_READ, last - at)


class EdgeBuffer:
    """Collects edges in chunks; moves them to disk when there are many.

    The files are unnamed, so they disappear if the process is killed.
    """

    def __init__(self, folder: Path, max_edges_in_memory: int = MAX_EDGES_IN_MEMORY) -> None:
        self._folder = folder
        self._max_in_memory = max_edges_in_memory
        self._chunks: list[EdgeChunk] = []
        self._files: list[BinaryIO] = []
        self._stack = ExitStack()
        self.count = 0

    def __enter__(self) -> "EdgeBuffer":
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def add(self, sources: NDArray[np.integer], keys: NDArray[np.integer]) -> None:
        """Add edges."""
        self._chunks.append((sources.astype(np.uint32), keys.astype(np.uint32)))
        self.count += len(sources)
        if self.count > self._max_in_memory:
            self._write()

    def as_arrays(self) -> EdgeChunk | None:
        """All edges, if in memory."""
        if self._files:
            return None
        empty = np.zeros(0, np.uint32)
        sources, keys = zip(*self._chunks, strict=True) if self._chunks else ((empty,), (empty,))
        return np.concatenate(sources), np.concatenate(keys)

    def as_files(self) -> StoredEdges:
        """All edges, in files."""
        self._write()
        sources, keys = (file.fileno() for file in self._files)
        return StoredEdges(sources, keys, self.count)

    def _write(self) -> None:
        if not self._files:
            self._files = [open_scratch_file(self._folder, self._stack) for _ in range(2)]
        for chunk in self._chunks:
            for file, numbers in zip(self._files, chunk, strict=True):
                file.write(numbers.data)
        self._chunks.clear()


def open_scratch_file(folder: Path, stack: ExitStack) -> BinaryIO:
    """An unnamed file that exists until `stack` is closed."""
    return stack.enter_context(tempfile.TemporaryFile(dir=folder, buffering=0))


def read_array(file: int, array: Numbers | Pointers, offset: int) -> None:
    """Fill an array from a file at an offset; thread-safe."""
    rest = array.view(np.uint8).data
    while rest:
        done = os.preadv(file, [rest], offset)
        if not done:
            raise DataError("pagerank.truncated_scratch_file", missing_bytes=len(rest))
        rest, offset = rest[done:], offset + done


def write_array(file: int, array: Numbers | Pointers, offset: int) -> None:
    """Write an array to a file at an offset; thread-safe."""
    rest = array.view(np.uint8).data
    while rest:
        done = os.pwrite(file, rest, offset)
        rest, offset = rest[done:], offset + done
