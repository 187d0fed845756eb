"""Small graphs for tests, in every storage."""

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from byway.core.settings.schema import RankSettings
from byway.pagerank.csr_graph import CooGraph, Floats, GraphLayout, SparseGraph, build_in_memory
from byway.pagerank.edge_buffer import EdgeBuffer
from byway.pagerank.node_degrees import count_degrees
from byway.pagerank.out_of_core import build_on_disk
from byway.pagerank.power_iteration import Progress, run_power_iteration

EXACT_SETTINGS = RankSettings(tolerance=1e-15, max_iterations=1000)
GRAPH_STORAGES = ("few", "in memory", "on disk")

Edges = Sequence[tuple[int, int]]
Graph = tuple[int, list[tuple[int, int]]]


def graphs() -> st.SearchStrategy[Graph]:
    """A few nodes with some links, including self-links and repeated ones."""
    return st.integers(1, 12).flatmap(
        lambda count: st.tuples(
            st.just(count),
            st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=40),
        )
    )


def random_edges(nodes: int, edges: int, seed: int) -> NDArray[np.int64]:
    """A larger graph: some nodes have many incoming links, one in ten has no links."""
    random = np.random.default_rng(seed)
    sources = random.integers(0, nodes * 9 // 10, edges)
    targets = (nodes * random.random(edges) ** 3).astype(np.int64)
    return np.stack([sources, targets], axis=1)


def graph_from_edges(
    storage: str, edges: NDArray[np.integer], layout: GraphLayout, stack: ExitStack
) -> SparseGraph:
    """The graph of these edges (sources and keys) in the given storage."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    buffer = stack.enter_context(EdgeBuffer(folder))
    buffer.add(edges[:, 0], edges[:, 1])
    if storage == "few":
        arrays = buffer.as_arrays()
        assert arrays is not None
        return CooGraph(*arrays, layout)
    stored = buffer.as_files()
    degrees = count_degrees(stored, layout.node_count, layout.link_kinds)
    if storage == "in memory":
        return build_in_memory(stored, layout, degrees, stack)
    return build_on_disk(stored, layout, degrees, 0, folder, stack)


def rank_edges(
    edges: Edges | NDArray[np.integer],
    count: int,
    settings: RankSettings = EXACT_SETTINGS,
    storage: str = "few",
    node_mask: NDArray[np.bool_] | None = None,
    progress: Progress | None = None,
) -> Floats:
    """The ranks of nodes 0 to count - 1."""
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    with ExitStack() as stack:
        graph = graph_from_edges(storage, pairs, GraphLayout(count), stack)
        nodes = np.ones(count, bool) if node_mask is None else node_mask
        return run_power_iteration(graph, nodes, settings, progress=progress)


def solve_pagerank(weights: Floats, teleport: Floats) -> Floats:
    """The ranks as the solution of linear equations; `weights[a, b]` is the weight of a link."""
    out = weights.sum(axis=1, keepdims=True)
    transition = np.divide(weights, out, where=out > 0, out=np.full_like(weights, 1 / len(weights)))
    damping = RankSettings().damping
    ranks: Floats = np.linalg.solve(
        np.eye(len(weights)) - damping * transition.T, (1 - damping) * teleport / teleport.sum()
    )
    return ranks
