"""Node numbering: maps the ids of an edge list to node numbers.

Small integer ids are used as they are, and arrays of them are read in place; other ids are numbered
consecutively from 0.
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
"""Node numbers have 31 bits: edge keys may need one more."""


@dataclass(frozen=True, slots=True)
class NumberedEdges:
    """Edges between numbered nodes, and the ids of the nodes."""

    edges: StoredEdges | EdgeBuffer
    node_mask: Flags
    """Mask of the numbers that are nodes."""
    ids: Integers | Texts | None = None
    """The id of each node; None if its number is its id."""
    degrees: Degrees | None = None
    """The degrees of the nodes, if already counted."""


def number_nodes(
    path: Path, max_nodes: int, node_count: int | None, folder: Path, stack: ExitStack
) -> NumberedEdges:
    """The edges of a file. Integer ids below `max_nodes` are kept; with `node_count`, the ids are 0
    to `node_count` - 1.
    """
    edge_list_files.require_supported_format(path)
    max_nodes = min(max_nodes, MAX_NODE_ID)
    if path.suffix.lower() == ".npy" and (
        found := _read_in_place(path, max_nodes, node_count, stack)
    ):
        return found
    try:
        return _number_integers(
            path, max_nodes, node_count, stack.enter_context(EdgeBuffer(folder))
        )
    except NonIntegerIdError:
        if node_count is not None:
            raise UsageError("pagerank.nodes_need_integers", path=path) from None
        return _number_texts(path, stack.enter_context(EdgeBuffer(folder)))


def _read_in_place(
    path: Path, max_nodes: int, node_count: int | None, stack: ExitStack
) -> NumberedEdges | None:
    """The edges of an array on disk, if there are many and they can keep their ids."""
    array = edge_list_files.open_array(path)
    count = array.shape[1]
    if not isinstance(array, np.memmap) or count <= MAX_EDGES_IN_MEMORY or not _is_plain(array):
        return None
    file = os.open(path, os.O_RDONLY)
    stack.callback(os.close, file)
    edges = StoredEdges(file, file, count, array.offset, array.offset + array.nbytes // 2)
    degrees = (
        count_degrees(edges, node_count) if node_count else count_degrees_up_to(edges, max_nodes)
    )
    if degrees.out_of_range_edges:
        return None
    node_mask = np.ones(node_count, bool) if node_count else degrees.nodes_with_edges()
    return NumberedEdges(edges, node_mask, degrees=degrees)


def _is_plain(array: NDArray[np.integer]) -> bool:
    """Whether the array has 32-bit numbers in native byte order, row by row."""
    is_32_bit = array.dtype.newbyteorder("=") in (np.int32, np.uint32) and array.dtype.isnative
    return is_32_bit and array.flags.c_contiguous


def _number_integers(
    path: Path, max_nodes: int, node_count: int | None, buffer: EdgeBuffer
) -> NumberedEdges:
    lowest, highest = _bounds(path)
    is_small = lowest >= 0 and highest < (node_count or max_nodes)
    if node_count and not is_small:
        raise DataError(
            "pagerank.too_few_nodes", path=path, lowest=lowest, highest=highest, nodes=node_count
        )
    ids = None if is_small else _distinct_ids(path)
    node_mask = np.zeros(node_count or (highest + 1 if ids is None else len(ids)), bool)
    for pair in edge_list_files.read_integer_edges(path):
        sources, targets = pair if ids is None else (np.searchsorted(ids, end) for end in pair)
        node_mask[sources] = node_mask[targets] = True
        buffer.add(sources, targets)
    return NumberedEdges(buffer, node_mask | (node_count is not None), ids)


def _bounds(path: Path) -> tuple[int, int]:
    lowest, highest = 0, -1
    for pair in edge_list_files.read_integer_edges(path):
        lowest = min(lowest, *(int(end.min(initial=0)) for end in pair))
        highest = max(highest, *(int(end.max(initial=-1)) for end in pair))
    return lowest, highest


def _distinct_ids(path: Path) -> Integers:
    ids = np.zeros(0, np.int64)
    for pair in edge_list_files.read_integer_edges(path):
        ids = sorted_unique(np.concatenate([ids, *pair]))
    return ids


def _number_texts(path: Path, buffer: EdgeBuffer) -> NumberedEdges:
    numbers: dict[bytes, int] = {}
    for pair in edge_list_files.read_text_edges(path):
        sources, targets = (
            np.array([numbers.setdefault(id, len(numbers)) for id in end], np.int64) for end in pair
        )
        buffer.add(sources, targets)
    return NumberedEdges(buffer, np.ones(len(numbers), bool), list(numbers))
