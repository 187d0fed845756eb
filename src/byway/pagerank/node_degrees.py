"""How many edges has each node? All are counted in one reading, side by side."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from byway.pagerank.edge_buffer import Numbers, Pointers, StoredEdges


@dataclass(frozen=True, slots=True)
class Degrees:
    """What each thread has counted in its share of the edges.

    The lists are used up and emptied as rows are made of the edges, to give their memory back.
    """

    in_degrees: list[Numbers]
    """Edges by key."""
    out_degrees: list[Numbers]
    """Edges by source, and by lane where there are two."""
    out_of_range_edges: int = 0
    """Edges with a number that is too high; they are not counted."""

    def nodes_with_edges(self) -> NDArray[np.bool_]:
        """Which numbers have edges."""
        there = np.zeros(len(self.in_degrees[0]), bool)
        for counts in (*self.in_degrees, *self.out_degrees):
            there |= counts > 0
        return there

    def row_pointers(self) -> Pointers:
        """Where the row of each key would start, and where the last one would end."""
        pointers = np.zeros(len(self.in_degrees[0]) + 1, np.int64)
        for counts in self.in_degrees:
            pointers[1:] += counts
        np.cumsum(pointers, out=pointers)
        return pointers


def count_degrees(edges: StoredEdges, node_count: int, link_kinds: int = 1) -> Degrees:
    """Count the edges of nodes below `node_count`; with two lanes, the last bit of a key is the
    lane.
    """
    return _counted(edges, node_count, link_kinds)[0]


def count_degrees_up_to(edges: StoredEdges, max_nodes: int) -> Degrees:
    """The same, up to the highest number that has an edge, which is to be below `max_nodes`."""
    found, highest = _counted(edges, max_nodes, 1)
    size = min(max_nodes, highest + 1)
    arriving, leaving = (
        [counts[:size].copy() for counts in each] for each in (found.in_degrees, found.out_degrees)
    )
    return Degrees(arriving, leaving, found.out_of_range_edges)


def _counted(edges: StoredEdges, size: int, lanes: int) -> tuple[Degrees, int]:
    """The degrees, and the highest number that was met."""
    from byway.pagerank.compiled_loops import count_in_out_degrees

    # Untouched, these take no memory, however many numbers there might be.
    arriving = [np.zeros(size * lanes, np.uint32) for _ in range(thread_count())]
    leaving = [np.zeros(size * lanes, np.uint32) for _ in range(thread_count())]
    beyond, highest = [0] * thread_count(), [0] * thread_count()

    def count(part: int) -> None:
        for sources, keys in edges.read_chunks(part, len(beyond)):
            more, high = count_in_out_degrees(sources, keys, lanes, arriving[part], leaving[part])
            beyond[part], highest[part] = beyond[part] + more, max(highest[part], high)

    run_in_threads(count, len(beyond))
    return Degrees(arriving, leaving, sum(beyond)), max(highest)


def thread_count() -> int:
    """How many threads are worth having; memory grows with them."""
    return min(len(os.sched_getaffinity(0)), 8)


def run_in_threads(task: Callable[[int], None], parts: int) -> None:
    """Run `task(part)` for every part, each in its own thread."""
    with ThreadPoolExecutor(parts) as pool:
        for _ in pool.map(task, range(parts)):
            pass
