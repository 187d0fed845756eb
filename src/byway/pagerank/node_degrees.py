"""In- and out-degrees of nodes, counted in parallel in one pass over the edges."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from byway.pagerank.edge_buffer import Numbers, Pointers, StoredEdges


@dataclass(frozen=True, slots=True)
class Degrees:
    """The degrees each thread counted in its share of the edges.

    The lists are emptied while rows are built, to release their memory.
    """

    in_degrees: list[Numbers]
    """Edges by key."""
    out_degrees: list[Numbers]
    """Edges by source and link kind."""
    out_of_range_edges: int = 0
    """Number of edges whose id is too high; they are not counted as degrees."""

    def nodes_with_edges(self) -> NDArray[np.bool_]:
        """Mask of the nodes that have edges."""
        mask = np.zeros(len(self.in_degrees[0]), bool)
        for counts in (*self.in_degrees, *self.out_degrees):
            mask |= counts > 0
        return mask

    def row_pointers(self) -> Pointers:
        """The start of each key's row, and the end of the last row."""
        pointers = np.zeros(len(self.in_degrees[0]) + 1, np.int64)
        for counts in self.in_degrees:
            pointers[1:] += counts
        np.cumsum(pointers, out=pointers)
        return pointers


def count_degrees(edges: StoredEdges, node_count: int, link_kinds: int = 1) -> Degrees:
    """Count the edges of nodes below `node_count`; a key is target * `link_kinds` + kind."""
    return _count(edges, node_count, link_kinds)[0]


def count_degrees_up_to(edges: StoredEdges, max_nodes: int) -> Degrees:
    """Count the edges of all nodes up to the highest id with an edge, below `max_nodes`."""
    found, highest = _count(edges, max_nodes, 1)
    size = min(max_nodes, highest + 1)
    in_degrees, out_degrees = (
        [counts[:size].copy() for counts in degrees]
        for degrees in (found.in_degrees, found.out_degrees)
    )
    return Degrees(in_degrees, out_degrees, found.out_of_range_edges)


def _count(edges: StoredEdges, size: int, kinds: int) -> tuple[Degrees, int]:
    """The degrees, and the highest id in any edge."""
    from byway.pagerank.compiled_loops import count_in_out_degrees

    # Zeroed pages take no memory until they are touched, however many ids are possible.
    in_degrees = [np.zeros(size * kinds, np.uint32) for _ in range(thread_count())]
    out_degrees = [np.zeros(size * kinds, np.uint32) for _ in range(thread_count())]
    out_of_range, highest = [0] * thread_count(), [0] * thread_count()

    def count(part: int) -> None:
        for sources, keys in edges.read_chunks(part, len(out_of_range)):
            skipped, high = count_in_out_degrees(
                sources, keys, kinds, in_degrees[part], out_degrees[part]
            )
            out_of_range[part] += skipped
            highest[part] = max(highest[part], high)

    run_in_threads(count, len(out_of_range))
    return Degrees(in_degrees, out_degrees, sum(out_of_range)), max(highest)


def thread_count() -> int:
    """The number of threads to use; memory use grows with it."""
    return min(len(os.sched_getaffinity(0)), 8)


def run_in_threads(task: Callable[[int], None], parts: int) -> None:
    """Run `task(part)` for every part, each in its own thread."""
    with ThreadPoolExecutor(parts) as pool:
        for _ in pool.map(task, range(parts)):
            pass
