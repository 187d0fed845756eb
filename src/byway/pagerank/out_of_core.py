"""Out-of-core CSR graph: each iteration reads the rows from disk, block by block.

Only the node arrays stay in memory. The edges are first sorted into blocks of consecutive rows,
then each block into rows, in the same extent on disk.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from byway.pagerank.csr_graph import CsrBlock, CsrGraph, GraphLayout, Pointers, RowCompactor
from byway.pagerank.edge_buffer import (
    BYTES_PER_ID,
    EDGES_PER_READ,
    Numbers,
    StoredEdges,
    open_scratch_file,
    read_array,
    write_array,
)
from byway.pagerank.node_degrees import Degrees, run_in_threads, thread_count

STRIPE_BITS = 6
"""Rows are assigned to blocks in stripes of 2 ** 6 to keep the stripe table small."""
MAX_BLOCK_EDGES, MIN_BLOCK_EDGES = 8_000_000, 200_000
"""Edges per block: enough to read at full disk speed, few enough for one block per thread."""
SORT_BYTES_PER_EDGE = 16
"""Memory per edge while its block is sorted."""
BYTES_PER_POINTER = 8


@dataclass(frozen=True, slots=True)
class BlockExtent:
    """The rows of a block, and the extent of its edges on disk."""

    first_row: int
    end_row: int
    """The rows are `first_row` up to, but not including, `end_row`."""
    first_edge: int
    """The number of edges in earlier blocks."""
    edge_count: int

    @property
    def byte_offset(self) -> int:
        """The offset of its edges on disk."""
        return self.first_edge * 2 * BYTES_PER_ID


def build_on_disk(
    edges: StoredEdges,
    layout: GraphLayout,
    degrees: Degrees,
    max_bytes: int,
    folder: Path,
    stack: ExitStack,
) -> CsrGraph:
    """The graph in CSR form, in scratch files in `folder`."""
    block_edges = min(
        MAX_BLOCK_EDGES,
        max(MIN_BLOCK_EDGES, max_bytes // (8 * SORT_BYTES_PER_EDGE * thread_count())),
    )
    extents, block_of = _plan_blocks(degrees.row_pointers(), block_edges)
    files = open_scratch_file(folder, stack).fileno(), open_scratch_file(folder, stack).fileno()
    starts = _thread_starts(degrees.in_degrees, extents)
    degrees.in_degrees.clear()
    _write_by_block(edges, extents, block_of, starts, files[0])
    compactor = RowCompactor(layout, degrees)

    def sort(thread: int) -> None:
        for number in range(thread, len(extents), thread_count()):
            block = _sort_block(files[0], extents[number])
            compactor.compact(thread, block)
            _write_block(files, extents[number], number, block)

    run_in_threads(sort, thread_count())
    return CsrGraph(
        [_block_reader(files, extent, number) for number, extent in enumerate(extents)],
        layout,
        compactor.out_degrees(),
        stack,
    )


def _plan_blocks(
    pointers: Pointers, block_edges: int
) -> tuple[list[BlockExtent], NDArray[np.uint16]]:
    """Blocks of about `block_edges` edges, and the block of each stripe of rows."""
    rows = len(pointers) - 1
    bounds = np.minimum(np.arange(0, rows + (1 << STRIPE_BITS), 1 << STRIPE_BITS), rows)
    edges_before = pointers[bounds]
    block_edges = max(block_edges, int(edges_before[-1]) // 60_000)
    # A hub's row may span several blocks: only block numbers that occur are used.
    _, block_of = np.unique(edges_before[:-1] // block_edges, return_inverse=True)
    cuts = [0, *(np.flatnonzero(np.diff(block_of)) + 1).tolist(), len(block_of)]
    extents = [
        BlockExtent(
            first_row=int(bounds[first]),
            end_row=int(bounds[last]),
            first_edge=int(edges_before[first]),
            edge_count=int(edges_before[last] - edges_before[first]),
        )
        for first, last in pairwise(cuts)
    ]
    return extents, block_of.astype(np.uint16)


def _thread_starts(in_degrees: Sequence[Numbers], extents: list[BlockExtent]) -> Pointers:
    """The start of each thread's edges in each block, for a deterministic order."""
    counts = [
        [int(degrees[one.first_row : one.end_row].sum(dtype=np.int64)) for one in extents]
        for degrees in in_degrees
    ]
    starts: Pointers = np.cumsum([[0] * len(extents), *counts[:-1]], axis=0)
    return starts


def _write_by_block(
    edges: StoredEdges,
    extents: list[BlockExtent],
    block_of: NDArray[np.uint16],
    starts: Pointers,
    file: int,
) -> None:
    """Write the edges to disk by block; the sources of a block come before its keys."""
    from byway.pagerank.compiled_loops import count_blocks, split_by_block

    def split(part: int) -> None:
        done = starts[part].copy()
        by_block = np.empty((2, EDGES_PER_READ), np.uint32)
        for sources, keys in edges.read_chunks(part, len(starts)):
            bounds = np.zeros(len(extents) + 1, np.int64)
            count_blocks(keys, block_of, STRIPE_BITS, bounds[1:])
            np.cumsum(bounds, out=bounds)
            split_by_block(sources, keys, block_of, STRIPE_BITS, bounds[:-1].copy(), *by_block)
            for extent, offset, first, last in zip(
                extents, done.tolist(), bounds[:-1].tolist(), bounds[1:].tolist(), strict=True
            ):
                write_array(
                    file, by_block[0, first:last], extent.byte_offset + offset * BYTES_PER_ID
                )
                write_array(
                    file,
                    by_block[1, first:last],
                    extent.byte_offset + (extent.edge_count + offset) * BYTES_PER_ID,
                )
            done += np.diff(bounds)

    run_in_threads(split, len(starts))


def _sort_block(file: int, extent: BlockExtent) -> CsrBlock:
    """A block with its edges sorted into rows."""
    from byway.pagerank.compiled_loops import count_keys, place_in_rows

    sources, keys = np.empty((2, extent.edge_count), np.uint32)
    read_array(file, sources, extent.byte_offset)
    read_array(file, keys, extent.byte_offset + extent.edge_count * BYTES_PER_ID)
    keys -= np.uint32(extent.first_row)
    free = np.zeros(extent.end_row - extent.first_row, np.uint32)
    count_keys(keys, free)
    pointers = np.zeros(len(free) + 1, np.int64)
    np.cumsum(free, out=pointers[1:])
    free[:] = pointers[:-1]
    rows = np.empty(extent.edge_count, np.uint32)
    place_in_rows(sources, keys, free, rows)
    return CsrBlock(extent.first_row, pointers, rows)


def _write_block(files: tuple[int, int], extent: BlockExtent, number: int, block: CsrBlock) -> None:
    """Write a block into its extent and its row pointers after the previous ones."""
    write_array(files[0], block.sources[: block.row_pointers[-1]], extent.byte_offset)
    write_array(files[1], block.row_pointers, (extent.first_row + number) * BYTES_PER_POINTER)


def _block_reader(
    files: tuple[int, int], extent: BlockExtent, number: int
) -> Callable[[], CsrBlock]:
    def read() -> CsrBlock:
        pointers = np.empty(extent.end_row - extent.first_row + 1, np.int64)
        read_array(files[1], pointers, (extent.first_row + number) * BYTES_PER_POINTER)
        rows = np.empty(int(pointers[-1]), np.uint32)
        read_array(files[0], rows, extent.byte_offset)
        return CsrBlock(extent.first_row, pointers, rows)

    return read
