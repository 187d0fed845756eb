"""Links can be kept in three ways, and nobody can tell from the ranks in which."""

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

shapes = st.builds(
    GraphLayout,
    size=st.just(12),
    counts=st.sampled_from([(1.0,), (1.0, 0.0), (1.0, 0.3), (1.0, 0.1, 0.5, 0.05)]),
    self_links=st.booleans(),
    repeated=st.booleans(),
)


def followed(way: str, graph: Graph, shape: GraphLayout) -> tuple[Floats, Floats, int]:
    """What each node passes on, what arrives when each passes its number, and how many links."""
    edges = np.array(graph[1], np.int64).reshape(-1, 2)
    edges[:, 1] = edges[:, 1] * shape.link_kinds + edges.sum(axis=1) % shape.link_kinds
    flow = np.empty(shape.node_count)
    with ExitStack() as stack:
        links = graph_from_edges(way, edges, shape, stack)
        links.propagate(np.arange(1.0, shape.node_count + 1), flow)
        return links.inverse_out_degrees, flow, links.edge_count


@settings(deadline=None)  # the first time, code is compiled
@given(graphs(), shapes)
def test_all_ways_follow_the_same_links(graph: Graph, shape: GraphLayout) -> None:
    share, flow, count = followed("few", graph, shape)
    for way in GRAPH_STORAGES[1:]:
        other_share, other_flow, other_count = followed(way, graph, shape)
        assert other_share == pytest.approx(share, abs=1e-12)
        assert other_flow == pytest.approx(flow, abs=1e-12)
        assert other_count == count


def test_self_links_and_repeated_links_count_when_they_shall() -> None:
    edges = np.array([(0, 0), (0, 1), (0, 1), (1, 0)])

    def count(**counted: bool) -> int:
        with ExitStack() as stack:
            return graph_from_edges(
                "in memory", edges, GraphLayout(2, (1.0,), **counted), stack
            ).edge_count

    assert count() == 3
    assert count(repeated=True) == 4
    assert count(self_links=False) == 2
    assert count(self_links=False, repeated=True) == 3


def test_a_link_of_another_kind_counts_as_much_as_it_shall() -> None:
    # 0 links to 1 (of the second kind) and to 2: the keys are twice the target, plus one for it.
    edges = np.array([(0, 3), (0, 4)])
    for way in GRAPH_STORAGES:
        with ExitStack() as stack:
            links = graph_from_edges(way, edges, GraphLayout(3, (1.0, 0.25)), stack)
            flow = np.empty(3)
            links.propagate(links.inverse_out_degrees, flow)
        assert flow == pytest.approx([0, 0.2, 0.8])


def test_a_graph_larger_than_memory_is_ranked_as_if_it_fitted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(out_of_core, "MIN_BLOCK_EDGES", 10_000)
    edges = random_edges(nodes=30_000, edges=400_000, seed=1)
    few, rows, disk = (rank_edges(edges, 30_000, storage=way) for way in GRAPH_STORAGES)
    assert np.abs(rows - few).max() < 1e-12
    assert (disk == rows).all()


def test_many_links_are_ranked_within_memory_or_on_disk_as_there_is_room(tmp_path: Path) -> None:
    edges = random_edges(nodes=2_000, edges=30_000, seed=2)
    found = []
    for memory in (1_000_000_000, 1):
        with EdgeBuffer(tmp_path, max_edges_in_memory=1_000) as spool, ExitStack() as stack:
            for chunk in np.array_split(edges, 7):
                spool.add(chunk[:, 0], chunk[:, 1])
            links = build_graph(spool, GraphLayout(2_000), memory, tmp_path, stack)
            assert not isinstance(links, CooGraph)
            found.append(run_power_iteration(links, np.ones(2_000, bool), EXACT_SETTINGS))
            assert not list(tmp_path.iterdir()), "scratch files have no names"
    assert (found[0] == found[1]).all()
    assert np.abs(found[0] - rank_edges(edges, 2_000)).max() < 1e-12
