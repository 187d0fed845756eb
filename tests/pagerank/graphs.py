"""Small graphs for tests, and every way in which links can be kept."""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from byway.core.settings.schema import RankSettings
from byway.pagerank.csr_graph import FewLinks, Floats, Links, Shape, in_memory
from byway.pagerank.edge_buffer import Spool
from byway.pagerank.node_degrees import degrees_of
from byway.pagerank.out_of_core import on_disk
from byway.pagerank.power_iteration import Progress, walk

EXACT = RankSettings(tolerance=1e-15, iterations=1000)
WAYS = ("few", "in memory", "on disk")

Edges = Sequence[tuple[int, int]]
Graph = tuple[int, list[tuple[int, int]]]


def graphs() -> st.SearchStrategy[Graph]:
    """A few nodes, and some of the links they may have, to themselves and repeated ones too."""
    return st.integers(1, 12).flatmap(
        lambda count: st.tuples(
            st.just(count),
            st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=40),
        )
    )


def random_edges(nodes: int, edges: int, seed: int) -> NDArray[np.int64]:
    """A larger graph: some nodes are linked to a lot, one in ten has no links."""
    chance = np.random.default_rng(seed)
    sources = chance.integers(0, nodes * 9 // 10, edges)
    targets = (nodes * chance.random(edges) ** 3).astype(np.int64)
    return np.stack([sources, targets], axis=1)


def kept(way: str, edges: NDArray[np.integer], shape: Shape, stack: ExitStack) -> Links:
    """The links of these edges (sources and keys), kept in a way that is not up to their number."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    spool = stack.enter_context(Spool(folder))
    spool.add(edges[:, 0], edges[:, 1])
    if way == "few":
        few = spool.in_memory()
        assert few is not None
        return FewLinks(*few, shape)
    stored = spool.on_disk()
    degrees = degrees_of(stored, shape.size, shape.lanes)
    if way == "in memory":
        return in_memory(stored, shape, degrees, stack)
    return on_disk(stored, shape, degrees, 0, folder, stack)


def ranked(
    edges: Edges | NDArray[np.integer],
    count: int,
    settings: RankSettings = EXACT,
    way: str = "few",
    nodes: NDArray[np.bool_] | None = None,
    progress: Progress | None = None,
) -> Floats:
    """The ranks of nodes 0 to count - 1."""
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    with ExitStack() as stack:
        links = kept(way, pairs, Shape(count), stack)
        there = np.ones(count, bool) if nodes is None else nodes
        return walk(links, there, settings, progress=progress)


def solved(weights: Floats, jump: Floats) -> Floats:
    """The ranks by solving the equations they obey; `weights[a, b]` is how much a's link counts."""
    out = weights.sum(axis=1, keepdims=True)
    passed = np.divide(weights, out, where=out > 0, out=np.full_like(weights, 1 / len(weights)))
    damping = RankSettings().damping
    ranks: Floats = np.linalg.solve(
        np.eye(len(weights)) - damping * passed.T, (1 - damping) * jump / jump.sum()
    )
    return ranks
