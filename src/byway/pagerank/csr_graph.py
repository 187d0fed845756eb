"""How are links followed fast? As rows, one for each target, of the sources that link to it.

Few links are counted with numpy. Many are sorted into rows by compiled code: in memory when they
fit into `rank.memory`, else in blocks on disk (`out_of_core.py`).
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from byway.core.arrays import distinct
from byway.pagerank.edge_buffer import Numbers, Spool, Stored
from byway.pagerank.node_degrees import Degrees, degrees_of, side_by_side, threads

Floats = NDArray[np.float64]
Reals = NDArray[np.float32] | NDArray[np.float64]
Pointers = NDArray[np.int64]

BLOCKS = 16
"""Blocks that a graph in memory is cut into, for threads to take turns at."""
PER_NODE = 64
"""Bytes a node takes while ranks are worked out, beside the rows."""
SPARE = 160_000_000
"""Bytes for the program itself, with the compiler in it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What the numbers of a graph mean, and which of its links count."""

    size: int
    """Nodes have numbers below this."""
    counts: tuple[float, ...] = (1.0,)
    """How much a link of each kind counts. The key of a link is its target times the number of
    kinds, plus its kind."""
    self_links: bool = True
    repeated: bool = False
    """Whether a link counts again when its page has it twice."""

    @property
    def lanes(self) -> int:
        """Rows for each node: one for each kind of links."""
        return len(self.counts)

    @property
    def weights(self) -> Floats:
        """How much a link of each lane counts."""
        return np.array(self.counts)


class Links(Protocol):
    """The links of a graph, ready to be followed."""

    share: Floats
    """What a link of each node gets of all it has to give; 0 where it has no links."""
    count: int
    many: bool
    """Whether single precision is worth having for a start."""

    def flow(self, passed: Reals, flow: Floats) -> None:
        """Put into `flow` what arrives at each node when each gives `passed` to every link."""


def links_of(spool: Spool, shape: Shape, memory: int, folder: Path, stack: ExitStack) -> Links:
    """The links in the best form for how many they are, within `memory` bytes."""
    few = spool.in_memory()
    if few is not None:
        return FewLinks(*few, shape)
    return many_links(spool.on_disk(), shape, memory, folder, stack)


def many_links(
    edges: Stored,
    shape: Shape,
    memory: int,
    folder: Path,
    stack: ExitStack,
    degrees: Degrees | None = None,
) -> Links:
    """The links in rows, in memory or on disk, as there is room; `degrees`, if they are counted."""
    from byway.pagerank.out_of_core import on_disk

    degrees = degrees or degrees_of(edges, shape.size, shape.lanes)
    if edges.count * 4 + shape.size * PER_NODE + SPARE <= memory:
        return in_memory(edges, shape, degrees, stack)
    return on_disk(edges, shape, degrees, memory, folder, stack)


class FewLinks:
    """Links as pairs: plain, and at once there."""

    many = False

    def __init__(self, sources: Numbers, keys: Numbers, shape: Shape) -> None:
        if not shape.self_links:
            real = sources != keys // shape.lanes
            sources, keys = sources[real], keys[real]
        if not shape.repeated:
            pairs = distinct(sources.astype(np.uint64) << np.uint64(32) | keys)
            sources, keys = (pairs >> np.uint64(32)).astype(np.uint32), pairs.astype(np.uint32)
        self._sources, self._targets = sources, keys // shape.lanes
        self._weights = shape.weights[keys % shape.lanes]
        self._size = shape.size
        self.share = _share(summed(sources, self._weights, shape.size))
        self.count = len(sources)

    def flow(self, passed: Reals, flow: Floats) -> None:
        arriving = passed[self._sources] * self._weights
        flow[:] = summed(self._targets, arriving, self._size)


@dataclass(frozen=True, slots=True)
class Block:
    """Some of the rows: those from number `first` on."""

    first: int
    pointers: Pointers
    """Where each row starts, and where the last one ends."""
    rows: Numbers


class ManyLinks:
    """Links as blocks of rows, which threads take one after the other."""

    many = True

    def __init__(
        self, blocks: list[Callable[[], Block]], shape: Shape, out: Numbers, stack: ExitStack
    ) -> None:
        self.blocks = blocks
        self._shape = shape
        self._pool = stack.enter_context(ThreadPoolExecutor(threads()))
        self.share = _share(out.reshape(-1, shape.lanes) @ shape.weights)
        self.count = int(out.sum(dtype=np.int64))

    def flow(self, passed: Reals, flow: Floats) -> None:
        from byway.pagerank.compiled_loops import gather

        lanes, weights = self._shape.lanes, self._shape.weights

        def follow(block: Callable[[], Block]) -> None:
            part = block()
            first, count = part.first // lanes, (len(part.pointers) - 1) // lanes
            into = flow[first : first + count]
            gather(part.pointers, part.rows, passed, weights, into)

        for _ in self._pool.map(follow, self.blocks):
            pass


def in_memory(edges: Stored, shape: Shape, degrees: Degrees, stack: ExitStack) -> ManyLinks:
    """The links in rows, in memory: each is put into its place."""
    blocks = _blocks(edges, shape, degrees)
    squeezer = Squeezer(shape, degrees)

    def squeeze(part: int) -> None:
        for block in blocks[part :: threads()]:
            squeezer.squeeze(part, block)

    side_by_side(squeeze, threads())
    return ManyLinks([partial(_same, block) for block in blocks], shape, squeezer.out(), stack)


def _blocks(edges: Stored, shape: Shape, degrees: Degrees) -> list[Block]:
    pointers = degrees.pointers()
    rows = _rows(edges, degrees.arriving, pointers)
    degrees.arriving.clear()
    return [
        Block(first, pointers[first : last + 1] - pointers[first], part)
        for first, last in pairwise(_cuts(pointers, shape.lanes))
        for part in [rows[pointers[first] : pointers[last]]]
    ]


def _rows(edges: Stored, counts: Sequence[Numbers], pointers: Pointers) -> Numbers:
    """The sources in the order of rows; `counts` are used up."""
    from byway.pagerank.compiled_loops import place_in_rows

    # Each thread has its own places in every row: behind those of the threads before it.
    start = pointers[:-1].astype(np.uint32)
    for each in counts:
        start += each
        np.subtract(start, each, out=each)
    rows = np.empty(edges.count, np.uint32)

    def place(part: int) -> None:
        for sources, keys in edges.pairs(part, len(counts)):
            place_in_rows(sources, keys, counts[part], rows)

    side_by_side(place, len(counts))
    return rows


def _cuts(pointers: Pointers, lanes: int) -> list[int]:
    """Where to cut rows into blocks with as many edges each, never between a node's lanes."""
    wanted = np.linspace(0, pointers[-1], BLOCKS + 1)[1:-1]
    cuts: list[int] = (np.searchsorted(pointers, wanted) // lanes * lanes).tolist()
    return sorted({0, *cuts, len(pointers) - 1})


def _same(block: Block) -> Block:
    return block


class Squeezer:
    """Takes what does not count out of rows and degrees; a memory for each thread."""

    def __init__(self, shape: Shape, degrees: Degrees) -> None:
        self._shape = shape
        self._seen = [np.zeros(shape.size, np.uint32) for _ in range(threads())]
        # A thread may take away what another has counted: only their sum, which wraps, is right.
        self._out = degrees.leaving

    def squeeze(self, thread: int, block: Block) -> None:
        """Close up the rows of a block."""
        from byway.pagerank.compiled_loops import squeeze

        shape = self._shape
        squeeze(
            block.pointers,
            block.rows,
            block.first,
            shape.lanes,
            shape.self_links,
            shape.repeated,
            self._seen[thread],
            self._out[thread],
        )

    def out(self) -> Numbers:
        """How many links each node has, in each lane."""
        total = self._out.pop()
        while self._out:
            total += self._out.pop()
        return total


def summed(numbers: NDArray[np.integer], values: Floats, size: int) -> Floats:
    """The sum of the values under each number."""
    sums: Floats = np.bincount(numbers, values, size).astype(np.float64, copy=False)
    return sums


def _share(out: Floats) -> Floats:
    return np.divide(1.0, out, where=out > 0, out=np.zeros(len(out)))
