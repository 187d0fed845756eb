"""Random graphs for the rank benchmark, seeded and generated once.

Edges are an .npy file of two rows, sources and targets, sorted by source, as a crawler stores them.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

NODES, EDGES = 400_000, 60_000_000
HUGE_NODES, HUGE_EDGES = 20_000_000, 520_000_000
"""One edge in forty is repeated, so 500 million are distinct."""
DANGLING_SHARE = 0.1
"""Share of nodes without links."""
LOCAL_LINK_SHARE, PAGES_PER_SITE = 0.75, 500
"""Share of links within a site in the huge graph, and pages of a site."""
CHUNK_EDGES = 5_000_000
BATCH_NODES = 20_000
"""Nodes whose edges are drawn at a time."""

Ints = NDArray[np.int64]


def make_graph(path: Path, nodes: int = NODES, edges: int = EDGES) -> None:
    """A power-law graph (in-degrees with exponent 2.1) of so many distinct edges."""
    generator = np.random.default_rng(7)
    busy = np.minimum(generator.pareto(1.5, nodes) + 1, 200)
    busy[generator.random(nodes) < DANGLING_SHARE] = 0
    # Repeated edges are dropped, about a fifteenth.
    degrees = (busy * (edges * 1.07 / busy.sum())).astype(np.int64)
    numbers = generator.permutation(nodes)
    pairs = [
        _distinct(first, degrees[first : first + BATCH_NODES], numbers, generator)
        for first in range(0, nodes, BATCH_NODES)
    ]
    np.save(path, np.concatenate(pairs, axis=1)[:, :edges])


def _distinct(
    first: int, degrees: Ints, numbers: Ints, generator: np.random.Generator
) -> NDArray[np.int32]:
    """Edges of some nodes, sorted. The probability of a node is (its rank + 20) ** -(1 / 1.1)."""
    nodes, power = len(numbers), 1 - 1 / 1.1
    sources = np.repeat(np.arange(first, first + len(degrees)), degrees)
    low, high = 20.0**power, (nodes + 20.0) ** power
    places = (low + generator.random(len(sources)) * (high - low)) ** (1 / power) - 20
    targets = numbers[np.clip(places.astype(np.int64), 0, nodes - 1)]
    pairs = np.sort(sources * nodes + targets)
    pairs = pairs[np.flatnonzero(np.diff(pairs, prepend=-1))]
    return np.stack([pairs // nodes, pairs % nodes]).astype(np.int32)


def make_huge_graph(path: Path, nodes: int = HUGE_NODES, edges: int = HUGE_EDGES) -> None:
    """A graph that is written in chunks: most links stay near, the others lead to hubs."""
    shape = (2, edges)
    array = np.lib.format.open_memmap(path, "w+", np.int32, shape)
    for first, sources, targets in _huge(nodes, edges):
        array[0, first : first + len(sources)] = sources
        array[1, first : first + len(targets)] = targets
    array.flush()


def _huge(nodes: int, edges: int) -> Iterator[tuple[int, Ints, Ints]]:
    generator = np.random.default_rng(8)
    for first in range(0, edges, CHUNK_EDGES):
        count = min(CHUNK_EDGES, edges - first)
        sources = (first + np.arange(count)) * nodes // edges
        near = sources // PAGES_PER_SITE * PAGES_PER_SITE + (
            PAGES_PER_SITE * generator.random(count) ** 2
        ).astype(np.int64)
        far = (nodes * generator.random(count) ** 4).astype(np.int64) * 7_919_117 % nodes
        targets = np.where(
            generator.random(count) < LOCAL_LINK_SHARE, np.minimum(near, nodes - 1), far
        )
        yield first, sources, targets
