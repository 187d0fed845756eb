"""The three storages of a graph give the same ranks."""

from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pagerank.graphs import (
    EXACT_SETTINGS,
    GRAPH_STORAGES,
    Graph,
    graph_from_edges,
    graphs,
    random_edges,
    rank_edges,
)

from byway.pagerank import out_of_core
from byway.pagerank.csr_graph import CooGraph, Floats, GraphLayout, build_graph
from byway.pagerank.edge_buffer import EdgeBuffer
from byway.pagerank.power_iteration import run_power_iteration

layouts = st.builds(
    GraphLayout,
    node_count=st.just(12),
    kind_weights=st.sampled_from([(1.0,), (1.0, 0.0), (1.0, 0.3), (1.0, 0.1, 0.5, 0.05)]),
    self_links=st.booleans(),
    repeated_links=st.booleans(),
)


def propagate_once(storage: str, graph: Graph, layout: GraphLayout) -> tuple[Floats, Floats, int]:
    """Inverse out-degrees, the inflow when each node contributes its number, and the edge count."""
    edges = np.array(graph[1], np.int64).reshape(-1, 2)
    edges[:, 1] = edges[:, 1] * layout.link_kinds + edges.sum(axis=1) % layout.link_kinds
    inflow = np.empty(layout.node_count)
    with ExitStack() as stack:
        links = graph_from_edges(storage, edges, layout, stack)
        links.propagate(np.arange(1.0, layout.node_count + 1), inflow)
        return links.inverse_out_degrees, inflow, links.edge_count


@settings(deadline=None)  # the first time, code is compiled
@given(graphs(), layouts)
def test_all_storages_propagate_alike(graph: Graph, layout: GraphLayout) -> None:
    share, inflow, count = propagate_once("few", graph, layout)
    for storage in GRAPH_STORAGES[1:]:
        other_share, other_flow, other_count = propagate_once(storage, graph, layout)
        assert other_share == pytest.approx(share, abs=1e-12)
        assert other_flow == pytest.approx(inflow, abs=1e-12)
        assert other_count == count


def test_self_links_and_repeated_links_count_if_the_layout_says_so() -> None:
    edges = np.array([(0, 0), (0, 1), (0, 1), (1, 0)])

    def count(**counted: bool) -> int:
        with ExitStack() as stack:
            return graph_from_edges(
                "in memory", edges, GraphLayout(2, (1.0,), **counted), stack
            ).edge_count

    assert count() == 3
    assert count(repeated_links=True) == 4
    assert count(self_links=False) == 2
    assert count(self_links=False, repeated_links=True) == 3


def test_a_link_counts_by_the_weight_of_its_kind() -> None:
    # 0 links to 1 (of the second kind) and to 2: the keys are twice the target, plus one for it.
    edges = np.array([(0, 3), (0, 4)])
    for storage in GRAPH_STORAGES:
        with ExitStack() as stack:
            links = graph_from_edges(storage, edges, GraphLayout(3, (1.0, 0.25)), stack)
            inflow = np.empty(3)
            links.propagate(links.inverse_out_degrees, inflow)
        assert inflow == pytest.approx([0, 0.2, 0.8])


def test_an_out_of_core_graph_is_ranked_like_one_in_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(out_of_core, "MIN_BLOCK_EDGES", 10_000)
    edges = random_edges(nodes=30_000, edges=400_000, seed=1)
    coo, rows, disk = (rank_edges(edges, 30_000, storage=storage) for storage in GRAPH_STORAGES)
    assert np.abs(rows - coo).max() < 1e-12
    assert (disk == rows).all()


def test_a_large_graph_is_built_in_memory_or_on_disk_by_its_size(tmp_path: Path) -> None:
    edges = random_edges(nodes=2_000, edges=30_000, seed=2)
    found = []
    for memory in (1_000_000_000, 1):
        with EdgeBuffer(tmp_path, max_edges_in_memory=1_000) as buffer, ExitStack() as stack:
            for chunk in np.array_split(edges, 7):
                buffer.add(chunk[:, 0], chunk[:, 1])
            links = build_graph(buffer, GraphLayout(2_000), memory, tmp_path, stack)
            assert not isinstance(links, CooGraph)
            found.append(run_power_iteration(links, np.ones(2_000, bool), EXACT_SETTINGS))
            assert not list(tmp_path.iterdir()), "scratch files have no names"
    assert (found[0] == found[1]).all()
    assert np.abs(found[0] - rank_edges(edges, 2_000)).max() < 1e-12
