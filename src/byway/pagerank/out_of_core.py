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

from byway.pagerank.csr_graph import Block, ManyLinks, Pointers, Shape, Squeezer
from byway.pagerank.edge_buffer import BYTES, CHUNK, Numbers, Stored, fill, scratch, write
from byway.pagerank.node_degrees import Degrees, side_by_side, threads

STRIPE = 6
"""Rows are dealt to blocks in stripes of 2 ** 6, so that the table of who has which is small."""
LARGEST, SMALLEST = 8_000_000, 200_000
"""Edges of a block: enough for disks to read at full speed, few enough for several at a time."""
PER_EDGE = 16
"""Bytes an edge takes while its block is sorted."""
POINTER = 8


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block is: its rows, and its edges on disk."""

    first: int
    last: int
    """Rows from `first` to before `last`."""
    start: int
    """Edges before it."""
    count: int

    @property
    def at(self) -> int:
        """Bytes before it on disk."""
        return self.start * 2 * BYTES


def on_disk(
    edges: Stored, shape: Shape, degrees: Degrees, memory: int, folder: Path, stack: ExitStack
) -> ManyLinks:
    """The links in rows, in a scratch file in `folder`."""
    most = min(LARGEST, max(SMALLEST, memory // (8 * PER_EDGE * threads())))
    places, block_of = _places(degrees.pointers(), most)
    files = scratch(folder, stack).fileno(), scratch(folder, stack).fileno()
    starts = _starts(degrees.arriving, places)
    degrees.arriving.clear()
    _split(edges, places, block_of, starts, files[0])
    squeezer = Squeezer(shape, degrees)

    def sort(part: int) -> None:
        for number in range(part, len(places), threads()):
            block = _sorted(files[0], places[number])
            squeezer.squeeze(part, block)
            _keep(files, places[number], number, block)

    side_by_side(sort, threads())
    return ManyLinks(
        [_reader(files, place, number) for number, place in enumerate(places)],
        shape,
        squeezer.out(),
        stack,
    )


def _places(pointers: Pointers, most: int) -> tuple[list[Place], NDArray[np.uint16]]:
    """Blocks of about `most` edges, and the block of each stripe of rows."""
    rows = len(pointers) - 1
    bounds = np.minimum(np.arange(0, rows + (1 << STRIPE), 1 << STRIPE), rows)
    before = pointers[bounds]
    most = max(most, int(before[-1]) // 60_000)
    # A hub may fill several blocks by itself: only numbers that occur are blocks.
    _, block_of = np.unique(before[:-1] // most, return_inverse=True)
    cuts = [0, *(np.flatnonzero(np.diff(block_of)) + 1).tolist(), len(block_of)]
    places = [
        Place(
            int(bounds[first]),
            int(bounds[last]),
            int(before[first]),
            int(before[last] - before[first]),
        )
        for first, last in pairwise(cuts)
    ]
    return places, block_of.astype(np.uint16)


def _starts(parts: Sequence[Numbers], places: list[Place]) -> Pointers:
    """Where in each block each thread's edges go, so that the order is the same every time."""
    counts = [
        [int(part[place.first : place.last].sum(dtype=np.int64)) for place in places]
        for part in parts
    ]
    starts: Pointers = np.cumsum([[0] * len(places), *counts[:-1]], axis=0)
    return starts


def _split(
    edges: Stored,
    places: list[Place],
    block_of: NDArray[np.uint16],
    starts: Pointers,
    file: int,
) -> None:
    """Write the edges to disk, block by block; of each block, sources first and then keys."""
    from byway.pagerank.compiled_loops import count_blocks, split

    def deal(part: int) -> None:
        done = starts[part].copy()
        by_block = np.empty((2, CHUNK), np.uint32)
        for sources, keys in edges.pairs(part, len(starts)):
            bounds = np.zeros(len(places) + 1, np.int64)
            count_blocks(keys, block_of, STRIPE, bounds[1:])
            np.cumsum(bounds, out=bounds)
            split(sources, keys, block_of, STRIPE, bounds[:-1].copy(), *by_block)
            for place, at, first, last in zip(
                places, done.tolist(), bounds[:-1].tolist(), bounds[1:].tolist(), strict=True
            ):
                write(file, by_block[0, first:last], place.at + at * BYTES)
                write(file, by_block[1, first:last], place.at + (place.count + at) * BYTES)
            done += np.diff(bounds)

    side_by_side(deal, len(starts))


def _sorted(file: int, place: Place) -> Block:
    """A block whose edges are put into their rows."""
    from byway.pagerank.compiled_loops import count, place_in_rows

    sources, keys = np.empty((2, place.count), np.uint32)
    fill(file, sources, place.at)
    fill(file, keys, place.at + place.count * BYTES)
    keys -= np.uint32(place.first)
    free = np.zeros(place.last - place.first, np.uint32)
    count(keys, free)
    pointers = np.zeros(len(free) + 1, np.int64)
    np.cumsum(free, out=pointers[1:])
    free[:] = pointers[:-1]
    rows = np.empty(place.count, np.uint32)
    place_in_rows(sources, keys, free, rows)
    return Block(place.first, pointers, rows)


def _keep(files: tuple[int, int], place: Place, number: int, block: Block) -> None:
    """Write a block down where its edges were, and its pointers behind those of the one before."""
    write(files[0], block.rows[: block.pointers[-1]], place.at)
    write(files[1], block.pointers, (place.first + number) * POINTER)


def _reader(files: tuple[int, int], place: Place, number: int) -> Callable[[], Block]:
    def read() -> Block:
        pointers = np.empty(place.last - place.first + 1, np.int64)
        fill(files[1], pointers, (place.first + number) * POINTER)
        rows = np.empty(int(pointers[-1]), np.uint32)
        fill(files[0], rows, place.at)
        return Block(place.first, pointers, rows)

    return read
