"""What do the links of a crawl say about its pages, their hosts and their sites?"""

from pathlib import Path

import pytest
from contract.backends import Backend, embedded, in_memory
from rank.graphs import EXACT, ranked

from byway.backends.memory import MemoryGraph
from byway.model import Found, Link, Outcome, Page, State, Url
from byway.rank.ranking import rank
from byway.url import host_of, normalise

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


def test_an_empty_graph_has_no_ranks() -> None:
    ranks = rank(MemoryGraph(), EXACT)
    assert ranks.pages.tolist() == ranks.hosts.tolist() == ranks.sites.tolist() == [0]
