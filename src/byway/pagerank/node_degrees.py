"""How many edges has each node? All are counted in one reading, side by side."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from byway.pagerank.edge_buffer import Numbers, Pointers, Stored


@dataclass(frozen=True, slots=True)
class Degrees:
    """What each thread has counted in its share of the edges.

    The lists are used up and emptied as rows are made of the edges, to give their memory back.
    """

    arriving: list[Numbers]
    """Edges by key."""
    leaving: list[Numbers]
    """Edges by source, and by lane where there are two."""
    beyond: int = 0
    """Edges with a number that is too high; they are not counted."""

    def there(self) -> NDArray[np.bool_]:
        """Which numbers have edges."""
        there = np.zeros(len(self.arriving[0]), bool)
        for counts in (*self.arriving, *self.leaving):
            there |= counts > 0
        return there

    def pointers(self) -> Pointers:
        """Where the row of each key would start, and where the last one would end."""
        pointers = np.zeros(len(self.arriving[0]) + 1, np.int64)
        for counts in self.arriving:
            pointers[1:] += counts
        np.cumsum(pointers, out=pointers)
        return pointers


def degrees_of(edges: Stored, size: int, lanes: int = 1) -> Degrees:
    """Count the edges of nodes below `size`; with two lanes, the last bit of a key is the lane."""
    return _counted(edges, size, lanes)[0]


def degrees_up_to(edges: Stored, most: int) -> Degrees:
    """The same, up to the highest number that has an edge, which is to be below `most`."""
    found, highest = _counted(edges, most, 1)
    size = min(most, highest + 1)
    arriving, leaving = (
        [counts[:size].copy() for counts in each] for each in (found.arriving, found.leaving)
    )
    return Degrees(arriving, leaving, found.beyond)


def _counted(edges: Stored, size: int, lanes: int) -> tuple[Degrees, int]:
    """The degrees, and the highest number that was met."""
    from byway.pagerank.compiled_loops import count_both

    # Untouched, these take no memory, however many numbers there might be.
    arriving = [np.zeros(size * lanes, np.uint32) for _ in range(threads())]
    leaving = [np.zeros(size * lanes, np.uint32) for _ in range(threads())]
    beyond, highest = [0] * threads(), [0] * threads()

    def count(part: int) -> None:
        for sources, keys in edges.pairs(part, len(beyond)):
            more, high = count_both(sources, keys, lanes, arriving[part], leaving[part])
            beyond[part], highest[part] = beyond[part] + more, max(highest[part], high)

    side_by_side(count, len(beyond))
    return Degrees(arriving, leaving, sum(beyond)), max(highest)


def threads() -> int:
    """How many threads are worth having; memory grows with them."""
    return min(len(os.sched_getaffinity(0)), 8)


def side_by_side(task: Callable[[int], None], parts: int) -> None:
    """Run `task(part)` for every part, each in its own thread."""
    with ThreadPoolExecutor(parts) as pool:
        for _ in pool.map(task, range(parts)):
            pass
