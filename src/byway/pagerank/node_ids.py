"""Which node has which number? The ids of a list of edges, numbered from 0 on.

Small whole numbers stay as they are, and arrays of them are read where they are; other ids get
new numbers.
"""

import os
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from byway.core.arrays import sorted_unique
from byway.core.errors import DataError, UsageError
from byway.pagerank import edge_list_files
from byway.pagerank.edge_buffer import MAX_EDGES_IN_MEMORY, EdgeBuffer, StoredEdges
from byway.pagerank.edge_list_files import Integers, NonIntegerIdError, Texts
from byway.pagerank.node_degrees import Degrees, count_degrees, count_degrees_up_to

Flags = NDArray[np.bool_]

MAX_NODE_ID = 2**31 - 1
"""Numbers have 31 bits: keys of edges may need one more."""


@dataclass(frozen=True, slots=True)
class NumberedEdges:
    """Edges between numbers: where they are, and what the numbers stand for."""

    edges: StoredEdges | EdgeBuffer
    node_mask: Flags
    """Which numbers are nodes."""
    ids: Integers | Texts | None = None
    """The id of each node; None: its number is its id."""
    degrees: Degrees | None = None
    """How many edges each node has, where that is known already."""


def number_nodes(
    path: Path, max_nodes: int, node_count: int | None, folder: Path, stack: ExitStack
) -> NumberedEdges:
    """The edges of a list. Numbers below `max_nodes` may stay; with `node_count`, 0 to nodes - 1
    are ids.
    """
    edge_list_files.require_supported_format(path)
    max_nodes = min(max_nodes, MAX_NODE_ID)
    if path.suffix.lower() == ".npy" and (found := _in_place(path, max_nodes, node_count, stack)):
        return found
    try:
        return _of_integers(path, max_nodes, node_count, stack.enter_context(EdgeBuffer(folder)))
    except NonIntegerIdError:
        if node_count is not None:
            raise UsageError(f"--nodes is for lists of numbers, and {path} has texts") from None
        return _of_texts(path, stack.enter_context(EdgeBuffer(folder)))


def _in_place(path: Path, most: int, nodes: int | None, stack: ExitStack) -> NumberedEdges | None:
    """The edges of an array as it is on disk, if they are many and may keep their numbers."""
    array = edge_list_files.open_array(path)
    plain = array.dtype.newbyteorder("=") in (np.int32, np.uint32) and array.dtype.isnative
    count = array.shape[1]
    if not (
        isinstance(array, np.memmap)
        and plain
        and array.flags.c_contiguous
        and count > MAX_EDGES_IN_MEMORY
    ):
        return None
    file = os.open(path, os.O_RDONLY)
    stack.callback(os.close, file)
    edges = StoredEdges(file, file, count, array.offset, array.offset + array.nbytes // 2)
    degrees = count_degrees(edges, nodes) if nodes else count_degrees_up_to(edges, most)
    if degrees.out_of_range_edges:
        return None
    return NumberedEdges(
        edges, np.ones(nodes, bool) if nodes else degrees.nodes_with_edges(), degrees=degrees
    )


def _of_integers(path: Path, most: int, nodes: int | None, spool: EdgeBuffer) -> NumberedEdges:
    lowest, highest = _bounds(path)
    small = lowest >= 0 and highest < (nodes or most)
    if nodes and not small:
        raise DataError(f"{path} has ids from {lowest} to {highest}; --nodes {nodes} is too few")
    ids = None if small else _distinct(path)
    there = np.zeros(nodes or (highest + 1 if ids is None else len(ids)), bool)
    for pair in edge_list_files.read_integer_edges(path):
        sources, targets = pair if ids is None else (np.searchsorted(ids, end) for end in pair)
        there[sources] = there[targets] = True
        spool.add(sources, targets)
    return NumberedEdges(spool, there | (nodes is not None), ids)


def _bounds(path: Path) -> tuple[int, int]:
    lowest, highest = 0, -1
    for pair in edge_list_files.read_integer_edges(path):
        lowest = min(lowest, *(int(end.min(initial=0)) for end in pair))
        highest = max(highest, *(int(end.max(initial=-1)) for end in pair))
    return lowest, highest


def _distinct(path: Path) -> Integers:
    ids = np.zeros(0, np.int64)
    for pair in edge_list_files.read_integer_edges(path):
        ids = sorted_unique(np.concatenate([ids, *pair]))
    return ids


def _of_texts(path: Path, spool: EdgeBuffer) -> NumberedEdges:
    numbers: dict[bytes, int] = {}
    for pair in edge_list_files.read_text_edges(path):
        sources, targets = (
            np.array([numbers.setdefault(id, len(numbers)) for id in end], np.int64) for end in pair
        )
        spool.add(sources, targets)
    return NumberedEdges(spool, np.ones(len(numbers), bool), list(numbers))
