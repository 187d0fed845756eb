"""Sparse link graph in CSR form: one row per target with the sources that link to it.

A small graph stays a list of pairs (COO) for numpy. Compiled code sorts a large one into rows: in
memory if it fits into `rank.memory_mb`, else in blocks on disk (`out_of_core.py`).
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
"""Number of blocks of an in-memory graph; threads take them in turn."""
BYTES_PER_NODE = 64
"""Memory per node during iteration, without its rows."""
RESERVED_BYTES = 160_000_000
"""Memory for the program itself, including the compiler."""


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """Node count, link kinds with their weights, and rules for counting links."""

    node_count: int
    """Upper bound of node ids (exclusive)."""
    kind_weights: tuple[float, ...] = (1.0,)
    """The weight of each link kind. The key of a link is its target times the number of kinds, plus
    its kind."""
    self_links: bool = True
    repeated_links: bool = False
    """Whether repeated links on a page all count."""

    @property
    def link_kinds(self) -> int:
        """The number of link kinds, and thus of rows per node."""
        return len(self.kind_weights)

    @property
    def weights(self) -> Floats:
        """The weight of each link kind, as an array."""
        return np.array(self.kind_weights)


class SparseGraph(Protocol):
    """A graph that propagates rank."""

    inverse_out_degrees: Floats
    """The share of a node's rank that each of its links gets; 0 for a node without links."""
    edge_count: int
    prefers_float32: bool
    """Whether the first iterations are faster in single precision."""

    def propagate(self, contributions: Reals, inflow: Floats) -> None:
        """Fill `inflow` with the sum of `contributions` over the incoming links of each node."""


def build_graph(
    edges: EdgeBuffer, layout: GraphLayout, max_bytes: int, folder: Path, stack: ExitStack
) -> SparseGraph:
    """The graph in the best form for its size, within `max_bytes` of memory."""
    arrays = edges.as_arrays()
    if arrays is not None:
        return CooGraph(*arrays, layout)
    return build_csr_graph(edges.as_files(), layout, max_bytes, folder, stack)


def build_csr_graph(
    edges: StoredEdges,
    layout: GraphLayout,
    max_bytes: int,
    folder: Path,
    stack: ExitStack,
    degrees: Degrees | None = None,
) -> SparseGraph:
    """The graph in CSR form, in memory if it fits; pass `degrees` if already known."""
    from byway.pagerank.out_of_core import build_on_disk

    degrees = degrees or count_degrees(edges, layout.node_count, layout.link_kinds)
    if edges.count * 4 + layout.node_count * BYTES_PER_NODE + RESERVED_BYTES <= max_bytes:
        return build_in_memory(edges, layout, degrees, stack)
    return build_on_disk(edges, layout, degrees, max_bytes, folder, stack)


class CooGraph:
    """Links as pairs (COO), without preprocessing."""

    prefers_float32 = False

    def __init__(self, sources: Numbers, keys: Numbers, layout: GraphLayout) -> None:
        if not layout.self_links:
            kept = sources != keys // layout.link_kinds
            sources, keys = sources[kept], keys[kept]
        if not layout.repeated_links:
            pairs = sorted_unique(sources.astype(np.uint64) << np.uint64(32) | keys)
            sources, keys = (pairs >> np.uint64(32)).astype(np.uint32), pairs.astype(np.uint32)
        self._sources, self._targets = sources, keys // layout.link_kinds
        self._weights = layout.weights[keys % layout.link_kinds]
        self._size = layout.node_count
        self.inverse_out_degrees = _inverse(sum_by_id(sources, self._weights, layout.node_count))
        self.edge_count = len(sources)

    def propagate(self, contributions: Reals, inflow: Floats) -> None:
        weighted = contributions[self._sources] * self._weights
        inflow[:] = sum_by_id(self._targets, weighted, self._size)


@dataclass(frozen=True, slots=True)
class CsrBlock:
    """A block of consecutive rows, starting at `first_row`."""

    first_row: int
    row_pointers: Pointers
    """The start of each row in `sources`, and the end of the last one."""
    sources: Numbers


class CsrGraph:
    """Links as blocks of rows; threads take the blocks in turn."""

    prefers_float32 = True

    def __init__(
        self,
        blocks: list[Callable[[], CsrBlock]],
        layout: GraphLayout,
        out_degrees: Numbers,
        stack: ExitStack,
    ) -> None:
        self.blocks = blocks
        self._layout = layout
        self._pool = stack.enter_context(ThreadPoolExecutor(thread_count()))
        self.inverse_out_degrees = _inverse(
            out_degrees.reshape(-1, layout.link_kinds) @ layout.weights
        )
        self.edge_count = int(out_degrees.sum(dtype=np.int64))

    def propagate(self, contributions: Reals, inflow: Floats) -> None:
        from byway.pagerank.compiled_loops import gather

        kinds, weights = self._layout.link_kinds, self._layout.weights

        def gather_block(read_block: Callable[[], CsrBlock]) -> None:
            block = read_block()
            first, count = block.first_row // kinds, (len(block.row_pointers) - 1) // kinds
            into = inflow[first : first + count]
            gather(block.row_pointers, block.sources, contributions, weights, into)

        for _ in self._pool.map(gather_block, self.blocks):
            pass


def build_in_memory(
    edges: StoredEdges, layout: GraphLayout, degrees: Degrees, stack: ExitStack
) -> CsrGraph:
    """The graph in CSR form, in memory."""
    blocks = _make_blocks(edges, layout, degrees)
    compactor = RowCompactor(layout, degrees)

    def compact(thread: int) -> None:
        for block in blocks[thread :: thread_count()]:
            compactor.compact(thread, block)

    run_in_threads(compact, thread_count())
    return CsrGraph(
        [partial(blocks.__getitem__, n) for n in range(len(blocks))],
        layout,
        compactor.out_degrees(),
        stack,
    )


def _make_blocks(edges: StoredEdges, layout: GraphLayout, degrees: Degrees) -> list[CsrBlock]:
    pointers = degrees.row_pointers()
    rows = _sort_into_rows(edges, degrees.in_degrees, pointers)
    degrees.in_degrees.clear()
    return [
        CsrBlock(
            first,
            pointers[first : last + 1] - pointers[first],
            rows[pointers[first] : pointers[last]],
        )
        for first, last in pairwise(_block_bounds(pointers, layout.link_kinds))
    ]


def _sort_into_rows(edges: StoredEdges, counts: Sequence[Numbers], pointers: Pointers) -> Numbers:
    """The sources in row order; overwrites `counts`."""
    from byway.pagerank.compiled_loops import place_in_rows

    # Each thread has its own slots in every row, after the slots of earlier threads.
    start = pointers[:-1].astype(np.uint32)
    for thread_counts in counts:
        start += thread_counts
        np.subtract(start, thread_counts, out=thread_counts)
    rows = np.empty(edges.count, np.uint32)

    def place(part: int) -> None:
        for sources, keys in edges.read_chunks(part, len(counts)):
            place_in_rows(sources, keys, counts[part], rows)

    run_in_threads(place, len(counts))
    return rows


def _block_bounds(pointers: Pointers, kinds: int) -> list[int]:
    """Bounds of blocks with about the same number of edges; never splits the rows of a node."""
    wanted = np.linspace(0, pointers[-1], BLOCK_COUNT + 1)[1:-1]
    cuts: list[int] = (np.searchsorted(pointers, wanted) // kinds * kinds).tolist()
    return sorted({0, *cuts, len(pointers) - 1})


class RowCompactor:
    """Removes excluded edges from rows and degrees, with scratch memory for each thread."""

    def __init__(self, layout: GraphLayout, degrees: Degrees) -> None:
        self._layout = layout
        self._last_seen = [np.zeros(layout.node_count, np.uint32) for _ in range(thread_count())]
        # A thread may subtract edges another thread counted: only the wrapping sum is right.
        self._out_degrees = degrees.out_degrees

    def compact(self, thread: int, block: CsrBlock) -> None:
        """Compact the rows of a block."""
        from byway.pagerank.compiled_loops import compact_rows

        layout = self._layout
        compact_rows(
            block.row_pointers,
            block.sources,
            block.first_row,
            layout.link_kinds,
            layout.self_links,
            layout.repeated_links,
            self._last_seen[thread],
            self._out_degrees[thread],
        )

    def out_degrees(self) -> Numbers:
        """The number of links of each node, by kind."""
        total = self._out_degrees.pop()
        while self._out_degrees:
            total += self._out_degrees.pop()
        return total


def sum_by_id(ids: NDArray[np.integer], values: Floats, size: int) -> Floats:
    """The sum of the values for each id."""
    sums: Floats = np.bincount(ids, values, size).astype(np.float64, copy=False)
    return sums


def _inverse(degrees: Floats) -> Floats:
    return np.divide(1.0, degrees, where=degrees > 0, out=np.zeros(len(degrees)))
