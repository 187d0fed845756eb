"""How are links followed fast? As rows, one for each target, of the sources that link to it.

Few links are counted with numpy. Many are sorted into rows by compiled code: in memory when they
fit into `rank.memory_mb`, else in blocks on disk (`out_of_core.py`).
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

from byway.core.arrays import sorted_unique
from byway.pagerank.edge_buffer import EdgeBuffer, Numbers, StoredEdges
from byway.pagerank.node_degrees import Degrees, count_degrees, run_in_threads, thread_count

Floats = NDArray[np.float64]
Reals = NDArray[np.float32] | NDArray[np.float64]
Pointers = NDArray[np.int64]

BLOCK_COUNT = 16
"""Blocks that a graph in memory is cut into, for threads to take turns at."""
BYTES_PER_NODE = 64
"""Bytes a node takes while ranks are worked out, beside the rows."""
RESERVED_BYTES = 160_000_000
"""Bytes for the program itself, with the compiler in it."""


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """What the numbers of a graph mean, and which of its links count."""

    node_count: int
    """Nodes have numbers below this."""
    kind_weights: tuple[float, ...] = (1.0,)
    """How much a link of each kind counts. The key of a link is its target times the number of
    kinds, plus its kind."""
    self_links: bool = True
    repeated_links: bool = False
    """Whether a link counts again when its page has it twice."""

    @property
    def link_kinds(self) -> int:
        """Rows for each node: one for each kind of links."""
        return len(self.kind_weights)

    @property
    def weights(self) -> Floats:
        """How much a link of each lane counts."""
        return np.array(self.kind_weights)


class SparseGraph(Protocol):
    """The links of a graph, ready to be followed."""

    inverse_out_degrees: Floats
    """What a link of each node gets of all it has to give; 0 where it has no links."""
    edge_count: int
    prefers_float32: bool
    """Whether single precision is worth having for a start."""

    def propagate(self, contributions: Reals, inflow: Floats) -> None:
        """Put into `propagate` what arrives at each node when each gives `contributions` to every
        link.
        """


def build_graph(
    edges: EdgeBuffer, layout: GraphLayout, max_bytes: int, folder: Path, stack: ExitStack
) -> SparseGraph:
    """The links in the best form for how many they are, within `max_bytes` bytes."""
    few = edges.as_arrays()
    if few is not None:
        return CooGraph(*few, layout)
    return build_csr_graph(edges.as_files(), layout, max_bytes, folder, stack)


def build_csr_graph(
    edges: StoredEdges,
    layout: GraphLayout,
    max_bytes: int,
    folder: Path,
    stack: ExitStack,
    degrees: Degrees | None = None,
) -> SparseGraph:
    """The links in rows, in memory or on disk, as there is room; `degrees`, if they are counted."""
    from byway.pagerank.out_of_core import build_on_disk

    degrees = degrees or count_degrees(edges, layout.node_count, layout.link_kinds)
    if edges.count * 4 + layout.node_count * BYTES_PER_NODE + RESERVED_BYTES <= max_bytes:
        return build_in_memory(edges, layout, degrees, stack)
    return build_on_disk(edges, layout, degrees, max_bytes, folder, stack)


class CooGraph:
    """Links as pairs: plain, and at once there."""

    prefers_float32 = False

    def __init__(self, sources: Numbers, keys: Numbers, layout: GraphLayout) -> None:
        if not layout.self_links:
            real = sources != keys // layout.link_kinds
            sources, keys = sources[real], keys[real]
        if not layout.repeated_links:
            pairs = sorted_unique(sources.astype(np.uint64) << np.uint64(32) | keys)
            sources, keys = (pairs >> np.uint64(32)).astype(np.uint32), pairs.astype(np.uint32)
        self._sources, self._targets = sources, keys // layout.link_kinds
        self._weights = layout.weights[keys % layout.link_kinds]
        self._size = layout.node_count
        self.inverse_out_degrees = _share(sum_by_id(sources, self._weights, layout.node_count))
        self.edge_count = len(sources)

    def propagate(self, contributions: Reals, inflow: Floats) -> None:
        arriving = contributions[self._sources] * self._weights
        inflow[:] = sum_by_id(self._targets, arriving, self._size)


@dataclass(frozen=True, slots=True)
class CsrBlock:
    """Some of the rows: those from number `first_row` on."""

    first_row: int
    row_pointers: Pointers
    """Where each row starts, and where the last one ends."""
    sources: Numbers


class CsrGraph:
    """Links as blocks of rows, which threads take one after the other."""

    prefers_float32 = True

    def __init__(
        self,
        blocks: list[Callable[[], CsrBlock]],
        layout: GraphLayout,
        out_degrees: Numbers,
        stack: ExitStack,
    ) -> None:
        self.blocks = blocks
        self._shape = layout
        self._pool = stack.enter_context(ThreadPoolExecutor(thread_count()))
        self.inverse_out_degrees = _share(
            out_degrees.reshape(-1, layout.link_kinds) @ layout.weights
        )
        self.edge_count = int(out_degrees.sum(dtype=np.int64))

    def propagate(self, contributions: Reals, inflow: Floats) -> None:
        from byway.pagerank.compiled_loops import gather

        lanes, weights = self._shape.link_kinds, self._shape.weights

        def follow(block: Callable[[], CsrBlock]) -> None:
            part = block()
            first, count = part.first_row // lanes, (len(part.row_pointers) - 1) // lanes
            into = inflow[first : first + count]
            gather(part.row_pointers, part.sources, contributions, weights, into)

        for _ in self._pool.map(follow, self.blocks):
            pass


def build_in_memory(
    edges: StoredEdges, layout: GraphLayout, degrees: Degrees, stack: ExitStack
) -> CsrGraph:
    """The links in rows, in memory: each is put into its place."""
    blocks = _blocks(edges, layout, degrees)
    squeezer = RowCompactor(layout, degrees)

    def squeeze(part: int) -> None:
        for block in blocks[part :: thread_count()]:
            squeezer.compact(part, block)

    run_in_threads(squeeze, thread_count())
    return CsrGraph(
        [partial(_same, block) for block in blocks], layout, squeezer.out_degrees(), stack
    )


def _blocks(edges: StoredEdges, shape: GraphLayout, degrees: Degrees) -> list[CsrBlock]:
    pointers = degrees.row_pointers()
    rows = _rows(edges, degrees.in_degrees, pointers)
    degrees.in_degrees.clear()
    return [
        CsrBlock(first, pointers[first : last + 1] - pointers[first], part)
        for first, last in pairwise(_cuts(pointers, shape.link_kinds))
        for part in [rows[pointers[first] : pointers[last]]]
    ]


def _rows(edges: StoredEdges, counts: Sequence[Numbers], pointers: Pointers) -> Numbers:
    """The sources in the order of rows; `counts` are used up."""
    from byway.pagerank.compiled_loops import place_in_rows

    # Each thread has its own places in every row: behind those of the threads before it.
    start = pointers[:-1].astype(np.uint32)
    for each in counts:
        start += each
        np.subtract(start, each, out=each)
    rows = np.empty(edges.count, np.uint32)

    def place(part: int) -> None:
        for sources, keys in edges.read_chunks(part, len(counts)):
            place_in_rows(sources, keys, counts[part], rows)

    run_in_threads(place, len(counts))
    return rows


def _cuts(pointers: Pointers, lanes: int) -> list[int]:
    """Where to cut rows into blocks with as many edges each, never between a node's lanes."""
    wanted = np.linspace(0, pointers[-1], BLOCK_COUNT + 1)[1:-1]
    cuts: list[int] = (np.searchsorted(pointers, wanted) // lanes * lanes).tolist()
    return sorted({0, *cuts, len(pointers) - 1})


def _same(block: CsrBlock) -> CsrBlock:
    return block


class RowCompactor:
    """Takes what does not count out of rows and degrees; a memory for each thread."""

    def __init__(self, layout: GraphLayout, degrees: Degrees) -> None:
        self._shape = layout
        self._seen = [np.zeros(layout.node_count, np.uint32) for _ in range(thread_count())]
        # A thread may take away what another has counted: only their sum, which wraps, is right.
        self._out = degrees.out_degrees

    def compact(self, thread: int, block: CsrBlock) -> None:
        """Close up the rows of a block."""
        from byway.pagerank.compiled_loops import compact_rows

        shape = self._shape
        compact_rows(
            block.row_pointers,
            block.sources,
            block.first_row,
            shape.link_kinds,
            shape.self_links,
            shape.repeated_links,
            self._seen[thread],
            self._out[thread],
        )

    def out_degrees(self) -> Numbers:
        """How many links each node has, in each lane."""
        total = self._out.pop()
        while self._out:
            total += self._out.pop()
        return total


def sum_by_id(ids: NDArray[np.integer], values: Floats, size: int) -> Floats:
    """The sum of the values under each number."""
    sums: Floats = np.bincount(ids, values, size).astype(np.float64, copy=False)
    return sums


def _share(out: Floats) -> Floats:
    return np.divide(1.0, out, where=out > 0, out=np.zeros(len(out)))
