"""PageRank: how likely is someone who only follows links to be on this page?"""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pagerank.graphs import EXACT_SETTINGS, GRAPH_STORAGES, Graph, graphs, rank_edges
from vectors import vector_path

from byway.core.settings.schema import RankSettings

every_way = pytest.mark.parametrize("way", GRAPH_STORAGES)


@every_way
@pytest.mark.parametrize("name", ["hollins", "polblogs", "wiki-Vote", "wikispeedia"])
def test_real_graphs_are_ranked_as_others_rank_them(name: str, way: str) -> None:
    folder = vector_path(f"webgraphs/{name}")
    edges = np.loadtxt(folder / "edges.tsv", np.int32)
    reference = np.loadtxt(folder / "pagerank_ref.tsv")
    wanted = np.zeros(len(reference))
    wanted[reference[:, 0].astype(int)] = reference[:, 1]
    for chosen in (EXACT_SETTINGS, RankSettings()):
        found = rank_edges(edges, len(wanted), chosen, way)
        assert np.abs(found - wanted).max() < 1e-9
        assert found.sum() == pytest.approx(1, abs=1e-12)


@given(graphs())
def test_ranks_are_shares_of_one_whole(graph: Graph) -> None:
    count, edges = graph
    ranks = rank_edges(edges, count)
    assert ranks.sum() == pytest.approx(1)
    assert (ranks > 0).all()


@every_way
@settings(deadline=None)  # the first time, code is compiled
@given(graphs(), st.randoms(use_true_random=False))
def test_a_page_ranks_the_same_under_another_number(way: str, graph: Graph, random: Random) -> None:
    count, edges = graph
    numbers = list(range(count))
    random.shuffle(numbers)
    again = rank_edges([(numbers[a], numbers[b]) for a, b in edges], count, storage=way)
    assert again[numbers] == pytest.approx(rank_edges(edges, count))


@every_way
def test_a_page_without_links_speaks_for_all_alike(way: str) -> None:
    # 0 -> 1, and 1 leads nowhere: x1 = .15/2 + .85 (x0 + x1/2), x0 = .15/2 + .85 x1/2.
    first = 0.5 / (1 + 0.85 / 2)
    assert rank_edges([(0, 1)], 2, storage=way) == pytest.approx([first, 1 - first])
    assert rank_edges([], 4, storage=way) == pytest.approx([0.25] * 4)


@every_way
def test_nobody_gains_by_being_numbered_but_unknown(way: str) -> None:
    nodes = np.array([False, True, True, False])
    ranks = rank_edges([(1, 2)], 4, storage=way, node_mask=nodes)
    assert ranks[[0, 3]].tolist() == [0, 0]
    assert ranks.sum() == pytest.approx(1)


def test_without_damping_by_links_all_are_equal() -> None:
    edges = [(0, 1), (1, 0), (2, 0)]
    assert rank_edges(edges, 3, RankSettings(damping=0)) == pytest.approx([1 / 3] * 3)


@every_way
def test_the_rounds_stop_when_nothing_moves_or_when_they_must(way: str) -> None:
    seen: list[tuple[int, float]] = []
    rank_edges([(0, 1)], 2, RankSettings(), way, progress=lambda *now: seen.append(now))
    assert seen[-1][1] < RankSettings().tolerance
    assert [round for round, _ in seen] == list(range(1, len(seen) + 1))
    seen.clear()
    rank_edges(
        [(0, 1)], 2, RankSettings(max_iterations=3), way, progress=lambda *now: seen.append(now)
    )
    assert len(seen) == 3
