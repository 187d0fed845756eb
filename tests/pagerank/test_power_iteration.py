"""PageRank by power iteration."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pagerank.graphs import EXACT_SETTINGS, GRAPH_STORAGES, Graph, graphs, rank_edges
from vectors import vector_path

from byway.core.settings.schema import RankSettings

every_storage = pytest.mark.parametrize("storage", GRAPH_STORAGES)


@every_storage
@pytest.mark.parametrize("name", ["hollins", "polblogs", "wiki-Vote", "wikispeedia"])
def test_ranks_of_real_graphs_match_reference_values(name: str, storage: str) -> None:
    folder = vector_path(f"webgraphs/{name}")
    edges = np.loadtxt(folder / "edges.tsv", np.int32)
    reference = np.loadtxt(folder / "pagerank_ref.tsv")
    wanted = np.zeros(len(reference))
    wanted[reference[:, 0].astype(int)] = reference[:, 1]
    for chosen in (EXACT_SETTINGS, RankSettings()):
        found = rank_edges(edges, len(wanted), chosen, storage)
        assert np.abs(found - wanted).max() < 1e-9
        assert found.sum() == pytest.approx(1, abs=1e-12)


@given(graphs())
def test_ranks_are_positive_and_add_up_to_one(graph: Graph) -> None:
    count, edges = graph
    ranks = rank_edges(edges, count)
    assert ranks.sum() == pytest.approx(1)
    assert (ranks > 0).all()


@every_storage
@settings(deadline=None)  # the first time, code is compiled
@given(graphs(), st.randoms(use_true_random=False))
def test_ranks_do_not_depend_on_node_numbers(storage: str, graph: Graph, random: Random) -> None:
    count, edges = graph
    numbers = list(range(count))
    random.shuffle(numbers)
    again = rank_edges([(numbers[a], numbers[b]) for a, b in edges], count, storage=storage)
    assert again[numbers] == pytest.approx(rank_edges(edges, count))


@every_storage
def test_a_dangling_node_distributes_its_rank_to_all_nodes(storage: str) -> None:
    # 0 -> 1, and 1 leads nowhere: x1 = .15/2 + .85 (x0 + x1/2), x0 = .15/2 + .85 x1/2.
    first = 0.5 / (1 + 0.85 / 2)
    assert rank_edges([(0, 1)], 2, storage=storage) == pytest.approx([first, 1 - first])
    assert rank_edges([], 4, storage=storage) == pytest.approx([0.25] * 4)


@every_storage
def test_numbers_that_are_no_nodes_have_no_rank(storage: str) -> None:
    nodes = np.array([False, True, True, False])
    ranks = rank_edges([(1, 2)], 4, storage=storage, node_mask=nodes)
    assert ranks[[0, 3]].tolist() == [0, 0]
    assert ranks.sum() == pytest.approx(1)


def test_with_damping_zero_all_ranks_are_equal() -> None:
    edges = [(0, 1), (1, 0), (2, 0)]
    assert rank_edges(edges, 3, RankSettings(damping=0)) == pytest.approx([1 / 3] * 3)


@every_storage
def test_iteration_stops_at_the_tolerance_or_the_limit(storage: str) -> None:
    seen: list[tuple[int, float]] = []
    rank_edges([(0, 1)], 2, RankSettings(), storage, progress=lambda *now: seen.append(now))
    assert seen[-1][1] < RankSettings().tolerance
    assert [iteration for iteration, _ in seen] == list(range(1, len(seen) + 1))
    seen.clear()
    rank_edges(
        [(0, 1)], 2, RankSettings(max_iterations=3), storage, progress=lambda *now: seen.append(now)
    )
    assert len(seen) == 3
