"""PageRank: how likely is someone who only follows links to be on this page?"""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest
from contract.backends import Backend, embedded, in_memory
from hypothesis import given
from hypothesis import strategies as st
from vectors import vectors

from byway.backends.memory import MemoryGraph
from byway.model import Found, Link, Outcome, Page, State, Url
from byway.ports import Floats
from byway.rank import pagerank, rank
from byway.settings import RankSettings
from byway.url import host_of, normalise

EXACT = RankSettings(tolerance=1e-15, iterations=1000)

Edges = Sequence[tuple[int, int]]


def ranked(edges: Edges, count: int, settings: RankSettings = EXACT) -> Floats:
    """The ranks of nodes 0 to count - 1."""
    pairs = np.array(edges, np.int32).reshape(-1, 2)
    return pagerank(pairs[:, 0], pairs[:, 1], np.ones(count, bool), settings)


def graphs() -> st.SearchStrategy[tuple[int, list[tuple[int, int]]]]:
    """A few nodes, and some of the links they may have."""
    return st.integers(1, 12).flatmap(
        lambda count: st.tuples(
            st.just(count),
            st.lists(
                st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)),
                unique=True,
                max_size=40,
            ),
        )
    )


@pytest.mark.parametrize("name", ["hollins", "polblogs", "wiki-Vote", "wikispeedia"])
def test_real_graphs_are_ranked_as_others_rank_them(name: str) -> None:
    folder = vectors(f"webgraphs/{name}")
    edges = np.loadtxt(folder / "edges.tsv", np.int32)
    reference = np.loadtxt(folder / "pagerank_ref.tsv")
    wanted = np.zeros(len(reference))
    wanted[reference[:, 0].astype(int)] = reference[:, 1]
    found = pagerank(edges[:, 0], edges[:, 1], np.ones(len(wanted), bool), EXACT)
    assert np.abs(found - wanted).max() < 1e-9
    # As users have it: no page is off by more than a millionth of all, and none changes places
    # at the top.
    usual = pagerank(edges[:, 0], edges[:, 1], np.ones(len(wanted), bool), RankSettings())
    assert np.abs(usual - wanted).max() < 1e-6
    assert np.argsort(-usual)[:20].tolist() == np.argsort(-wanted)[:20].tolist()


@given(graphs())
def test_ranks_are_shares_of_one_whole(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, edges = graph
    ranks = ranked(edges, count)
    assert ranks.sum() == pytest.approx(1)
    assert (ranks > 0).all()


@given(graphs(), st.randoms(use_true_random=False))
def test_a_page_ranks_the_same_under_another_number(
    graph: tuple[int, list[tuple[int, int]]], random: Random
) -> None:
    count, edges = graph
    numbers = list(range(count))
    random.shuffle(numbers)
    again = ranked([(numbers[source], numbers[target]) for source, target in edges], count)
    assert again[numbers] == pytest.approx(ranked(edges, count))


def test_a_page_without_links_speaks_for_all_alike() -> None:
    # 0 -> 1, and 1 leads nowhere: x1 = .15/2 + .85 (x0 + x1/2), x0 = .15/2 + .85 x1/2.
    first = 0.5 / (1 + 0.85 / 2)
    assert ranked([(0, 1)], 2) == pytest.approx([first, 1 - first])
    assert ranked([], 4) == pytest.approx([0.25] * 4)


def test_nobody_gains_by_being_numbered_but_unknown() -> None:
    nodes = np.array([False, True, True, False])
    ranks = pagerank(np.array([1], np.int32), np.array([2], np.int32), nodes, EXACT)
    assert ranks[[0, 3]].tolist() == [0, 0]
    assert ranks.sum() == pytest.approx(1)


def test_without_damping_by_links_all_are_equal() -> None:
    edges = [(0, 1), (1, 0), (2, 0)]
    assert ranked(edges, 3, RankSettings(damping=0)) == pytest.approx([1 / 3] * 3)


def test_the_rounds_stop_when_nothing_moves_or_when_they_must() -> None:
    seen: list[tuple[int, float]] = []
    source, target, nodes = np.array([0], np.int32), np.array([1], np.int32), np.ones(2, bool)
    pagerank(source, target, nodes, RankSettings(), lambda *now: seen.append(now))
    assert seen[-1][1] < RankSettings().tolerance
    assert [round for round, _ in seen] == list(range(1, len(seen) + 1))
    seen.clear()
    pagerank(source, target, nodes, RankSettings(iterations=3), lambda *now: seen.append(now))
    assert len(seen) == 3


def test_an_empty_graph_has_no_ranks() -> None:
    ranks = rank(MemoryGraph(), EXACT)
    assert ranks.pages.tolist() == ranks.hosts.tolist() == [0]


# From links to ranks, over the stores.

WEB: dict[str, list[str]] = {
    "http://a.org/": ["http://a.org/1", "http://b.org/", "http://b.org/1", "http://b.org/2"],
    "http://a.org/1": ["http://a.org/"],
    "http://b.org/": ["http://c.org/", "http://b.org/1"],
    "http://c.org/": ["http://b.org/", "http://d.org/unvisited"],
}


def fill(backend: Backend) -> list[Url]:
    """Keep every page of the web above, as a crawl would; return its URLs by number."""
    frontier = backend.frontier
    frontier.add([Found(normalise(url)) for url in WEB])
    for now in range(1, 10):
        for visit in frontier.lease(10, now):
            frontier.release(visit, now)
            links = [Link(normalise(target)) for target in WEB.get(visit.url, [])]
            links.append(Link(normalise("http://spam.org/"), nofollow=True))
            page = Page(visit.url, 1.0, 200, (), b"", visit.id)
            (place,) = backend.pages.append([(page, visit.url.encode())])
            found = tuple(Found(link.target) for link in links)
            kept = Outcome(
                visit, State.KEPT, page=page, place=place, links=tuple(links), found=found
            )
            frontier.finish([kept])
    urls = {*WEB, *(target for targets in WEB.values() for target in targets), "http://spam.org/"}
    known = [frontier.look_up(normalise(url)) for url in urls]
    return [record.url for record in sorted(filter(None, known), key=lambda one: one.id)]


def ranks_of(backend: Backend) -> tuple[dict[Url, float], dict[str, float]]:
    """The ranks of the web above: of pages by URL, and of hosts by name."""
    urls = fill(backend)
    ranks = rank(backend.graph, EXACT)
    assert ranks.pages[0] == ranks.hosts[0] == 0
    hosts = {host_of(url): value for url, value in zip(urls, ranks.hosts[1:], strict=True)}
    return dict(zip(urls, ranks.pages[1:], strict=True)), hosts


def test_both_stores_of_links_give_the_same_ranks(tmp_path: Path) -> None:
    with in_memory(tmp_path) as memory, embedded(tmp_path) as disk:
        (pages, hosts), (pages_on_disk, hosts_on_disk) = ranks_of(memory), ranks_of(disk)
    assert pages_on_disk == pytest.approx(pages)
    assert hosts_on_disk == pytest.approx(hosts)


def test_ranks_are_multiples_of_the_average_and_nofollow_is_no_vote(tmp_path: Path) -> None:
    with in_memory(tmp_path) as backend:
        pages, _ = ranks_of(backend)
    assert sum(pages.values()) == pytest.approx(len(pages))
    assert pages[Url("http://spam.org/")] == min(pages.values())
    assert pages[Url("http://b.org/")] > pages[Url("http://b.org/2")]


def test_many_links_between_two_hosts_are_one_vote(tmp_path: Path) -> None:
    with in_memory(tmp_path) as backend:
        _, hosts = ranks_of(backend)
    # The hosts of the web above: a's three links to b are one vote.
    names = list(hosts)
    votes = [("a.org", "b.org"), ("b.org", "c.org"), ("c.org", "b.org"), ("c.org", "d.org")]
    wanted = ranked([(names.index(one), names.index(two)) for one, two in votes], len(names))
    assert list(hosts.values()) == pytest.approx(wanted * len(names), rel=1e-6)
