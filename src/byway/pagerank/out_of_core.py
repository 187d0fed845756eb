"""What if a graph does not fit into memory? Each round reads its rows from disk, block by block.

Only what belongs to nodes stays in memory. The edges are first sorted into blocks (a block is some
rows that lie side by side), then each block by itself into rows, in the same place on disk.
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
"""Rows are dealt to blocks in stripes of 2 ** 6, so that the table of who has which is small."""
MAX_BLOCK_EDGES, MIN_BLOCK_EDGES = 8_000_000, 200_000
"""Edges of a block: enough for disks to read at full speed, few enough for several at a time."""
SORT_BYTES_PER_EDGE = 16
"""Bytes an edge takes while its block is sorted."""
BYTES_PER_POINTER = 8


@dataclass(frozen=True, slots=True)
class BlockExtent:
    """Where a block is: its rows, and its edges on disk."""

    first_row: int
    end_row: int
    """Rows from `first_row` to before `end_row`."""
    first_edge: int
    """Edges before it."""
    edge_count: int

    @property
    def byte_offset(self) -> int:
        """Bytes before it on disk."""
        return self.first_edge * 2 * BYTES_PER_ID


def build_on_disk(
    edges: StoredEdges,
    layout: GraphLayout,
    degrees: Degrees,
    max_bytes: int,
    folder: Path,
    stack: ExitStack,
) -> CsrGraph:
    """The links in rows, in a scratch file in `folder`."""
    most = min(
        MAX_BLOCK_EDGES,
        max(MIN_BLOCK_EDGES, max_bytes // (8 * SORT_BYTES_PER_EDGE * thread_count())),
    )
    places, block_of = _places(degrees.row_pointers(), most)
    files = open_scratch_file(folder, stack).fileno(), open_scratch_file(folder, stack).fileno()
    starts = _starts(degrees.in_degrees, places)
    degrees.in_degrees.clear()
    _split(edges, places, block_of, starts, files[0])
    squeezer = RowCompactor(layout, degrees)

    def sort(part: int) -> None:
        for number in range(part, len(places), thread_count()):
            block = _sorted(files[0], places[number])
            squeezer.compact(part, block)
            _keep(files, places[number], number, block)

    run_in_threads(sort, thread_count())
    return CsrGraph(
        [_reader(files, place, number) for number, place in enumerate(places)],
        layout,
        squeezer.out_degrees(),
        stack,
    )


def _places(pointers: Pointers, most: int) -> tuple[list[BlockExtent], NDArray[np.uint16]]:
    """Blocks of about `most` edges, and the block of each stripe of rows."""
    rows = len(pointers) - 1
    bounds = np.minimum(np.arange(0, rows + (1 << STRIPE_BITS), 1 << STRIPE_BITS), rows)
    before = pointers[bounds]
    most = max(most, int(before[-1]) // 60_000)
    # A hub may fill several blocks by itself: only numbers that occur are blocks.
    _, block_of = np.unique(before[:-1] // most, return_inverse=True)
    cuts = [0, *(np.flatnonzero(np.diff(block_of)) + 1).tolist(), len(block_of)]
    places = [
        BlockExtent(
            int(bounds[first]),
            int(bounds[last]),
            int(before[first]),
            int(before[last] - before[first]),
        )
        for first, last in pairwise(cuts)
    ]
    return places, block_of.astype(np.uint16)


def _starts(parts: Sequence[Numbers], places: list[BlockExtent]) -> Pointers:
    """Where in each block each thread's edges go, so that the order is the same every time."""
    counts = [
        [int(part[place.first_row : place.end_row].sum(dtype=np.int64)) for place in places]
        for part in parts
    ]
    starts: Pointers = np.cumsum([[0] * len(places), *counts[:-1]], axis=0)
    return starts


def _split(
    edges: StoredEdges,
    places: list[BlockExtent],
    block_of: NDArray[np.uint16],
    starts: Pointers,
    file: int,
) -> None:
    """Write the edges to disk, block by block; of each block, sources first and then keys."""
    from byway.pagerank.compiled_loops import count_blocks, split_by_block

    def deal(part: int) -> None:
        done = starts[part].copy()
        by_block = np.empty((2, EDGES_PER_READ), np.uint32)
        for sources, keys in edges.read_chunks(part, len(starts)):
            bounds = np.zeros(len(places) + 1, np.int64)
            count_blocks(keys, block_of, STRIPE_BITS, bounds[1:])
            np.cumsum(bounds, out=bounds)
            split_by_block(sources, keys, block_of, STRIPE_BITS, bounds[:-1].copy(), *by_block)
            for place, at, first, last in zip(
                places, done.tolist(), bounds[:-1].tolist(), bounds[1:].tolist(), strict=True
            ):
                write_array(file, by_block[0, first:last], place.byte_offset + at * BYTES_PER_ID)
                write_array(
                    file,
                    by_block[1, first:last],
                    place.byte_offset + (place.edge_count + at) * BYTES_PER_ID,
                )
            done += np.diff(bounds)

    run_in_threads(deal, len(starts))


def _sorted(file: int, place: BlockExtent) -> CsrBlock:
    """A block whose edges are put into their rows."""
    from byway.pagerank.compiled_loops import count_keys, place_in_rows

    sources, keys = np.empty((2, place.edge_count), np.uint32)
    read_array(file, sources, place.byte_offset)
    read_array(file, keys, place.byte_offset + place.edge_count * BYTES_PER_ID)
    keys -= np.uint32(place.first_row)
    free = np.zeros(place.end_row - place.first_row, np.uint32)
    count_keys(keys, free)
    pointers = np.zeros(len(free) + 1, np.int64)
    np.cumsum(free, out=pointers[1:])
    free[:] = pointers[:-1]
    rows = np.empty(place.edge_count, np.uint32)
    place_in_rows(sources, keys, free, rows)
    return CsrBlock(place.first_row, pointers, rows)


def _keep(files: tuple[int, int], place: BlockExtent, number: int, block: CsrBlock) -> None:
    """Write a block down where its edges were, and its pointers behind those of the one before."""
    write_array(files[0], block.sources[: block.row_pointers[-1]], place.byte_offset)
    write_array(files[1], block.row_pointers, (place.first_row + number) * BYTES_PER_POINTER)


def _reader(files: tuple[int, int], place: BlockExtent, number: int) -> Callable[[], CsrBlock]:
    def read() -> CsrBlock:
        pointers = np.empty(place.end_row - place.first_row + 1, np.int64)
        read_array(files[1], pointers, (place.first_row + number) * BYTES_PER_POINTER)
        rows = np.empty(int(pointers[-1]), np.uint32)
        read_array(files[0], rows, place.byte_offset)
        return CsrBlock(place.first_row, pointers, rows)

    return read
