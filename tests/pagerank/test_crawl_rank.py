"""PageRank of the pages, hosts and sites of a crawl."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from contract.backends import Backend, embedded_backend, memory_backend
from pagerank.graphs import EXACT_SETTINGS, rank_edges, solve_pagerank

from byway.core import messages
from byway.core.messages import Reason
from byway.core.model import DiscoveredUrl, Link, Outcome, Page, Url, UrlState, Visit
from byway.core.model.candidates import Floats
from byway.core.ports import Ranks
from byway.core.settings.schema import RankSettings
from byway.core.url import host_of, normalize
from byway.pagerank.crawl_rank import Topic, Values, rank
from byway.pagerank.sitewide_links import MIN_HOST_PAGES
from byway.storage.memory.link_graph import MemoryLinkGraph

WEB: dict[str, list[str]] = {
    "http://a.org/": ["http://a.org/1", "http://b.org/", "http://b.org/1", "http://b.org/2"],
    "http://a.org/1": ["http://a.org/"],
    "http://b.org/": ["http://c.org/", "http://b.org/1"],
    "http://c.org/": ["http://b.org/", "http://d.org/unvisited"],
}


def fill(backend: Backend, web: Mapping[str, list[str]] = WEB) -> list[Url]:
    """Keep every page of a small web, as a crawl would; return its URLs by number."""
    frontier = backend.frontier
    frontier.add([DiscoveredUrl(normalize(url)) for url in web])
    for now in range(1, 10):
        for visit in frontier.lease(10, now):
            frontier.release(visit, now)
            links = [Link(normalize(target)) for target in web.get(visit.url, [])]
            links.append(Link(normalize("http://spam.org/"), nofollow=True))
            page = Page(visit.url, 1.0, 200, (), b"", visit.id)
            (place,) = backend.pages.append([(page, visit.url.encode())])
            found = tuple(DiscoveredUrl(link.target) for link in links)
            kept = Outcome(
                visit,
                UrlState.KEPT,
                page=page,
                location=place,
                links=tuple(links),
                discovered_urls=found,
            )
            frontier.finish([kept])
    urls = {*web, *(target for targets in web.values() for target in targets), "http://spam.org/"}
    known = [frontier.find_url(normalize(url)) for url in urls]
    return [record.url for record in sorted(filter(None, known), key=lambda one: one.id)]


def ranks_of(
    backend: Backend, settings: RankSettings = EXACT_SETTINGS, topic: Topic | None = None
) -> tuple[dict[Url, float], dict[str, float]]:
    """The ranks of the web above: of pages by URL, and of hosts by name."""
    urls = fill(backend)
    ranks = rank(backend.graph, settings, topic=topic)
    assert ranks.pages[0] == ranks.hosts[0] == 0
    hosts = {host_of(url): value for url, value in zip(urls, ranks.hosts[1:], strict=True)}
    return dict(zip(urls, ranks.pages[1:], strict=True)), hosts


def test_both_stores_of_links_give_the_same_ranks(tmp_path: Path) -> None:
    with memory_backend(tmp_path) as memory, embedded_backend(tmp_path) as disk:
        (pages, hosts), (pages_on_disk, hosts_on_disk) = ranks_of(memory), ranks_of(disk)
    assert pages_on_disk == pytest.approx(pages)
    assert hosts_on_disk == pytest.approx(hosts)


def test_ranks_are_multiples_of_the_average_and_nofollow_links_do_not_count(tmp_path: Path) -> None:
    with memory_backend(tmp_path) as backend:
        pages, _ = ranks_of(backend)
    assert sum(pages.values()) == pytest.approx(len(pages))
    assert pages[Url("http://spam.org/")] == min(pages.values())
    assert pages[Url("http://b.org/")] > pages[Url("http://b.org/2")]


def test_many_links_between_two_hosts_are_one_edge(tmp_path: Path) -> None:
    with memory_backend(tmp_path) as backend:
        _, hosts = ranks_of(backend)
    # The hosts of the web above: a's three links to b are one vote.
    names = list(hosts)
    votes = [("a.org", "b.org"), ("b.org", "c.org"), ("c.org", "b.org"), ("c.org", "d.org")]
    wanted = rank_edges([(names.index(one), names.index(two)) for one, two in votes], len(names))
    assert list(hosts.values()) == pytest.approx(wanted * len(names), rel=1e-6)


def test_an_empty_graph_has_no_ranks() -> None:
    ranks = rank(MemoryLinkGraph(), EXACT_SETTINGS)
    assert ranks.pages.tolist() == ranks.hosts.tolist() == ranks.sites.tolist() == [0]


def test_nofollow_links_count_if_the_setting_says_so(tmp_path: Path) -> None:
    spam = Url("http://spam.org/")
    for backend in (memory_backend, embedded_backend):
        with backend(tmp_path) as here:
            pages, hosts = ranks_of(here, replace(EXACT_SETTINGS, count_nofollow=True))
        assert pages[spam] == max(pages.values())
        assert hosts["spam.org"] == max(hosts.values())


def test_a_link_to_a_redirect_counts_for_its_target(tmp_path: Path) -> None:
    # a.org links to the old address of c.org, which is known to lead there by way of another.
    web = {
        "http://a.org/": ["http://c.org/old", "http://b.org/"],
        "http://b.org/": ["http://a.org/"],
        "http://c.org/": ["http://a.org/"],
    }
    moved = {"http://c.org/old": "http://c.org/older", "http://c.org/older": "http://c.org/"}
    for backend in (memory_backend, embedded_backend):
        with backend(tmp_path / backend.__name__) as here:
            visit_all(here, web, moved)
            ranks = rank(here.graph, EXACT_SETTINGS)
            numbers = {one: number_of(here, one) for one in (*web, *moved)}
            own = here.graph.host_ids()[numbers["http://c.org/"]]
        found = {one: float(ranks.pages[number]) for one, number in numbers.items()}
        assert all(found[one] == 0 for one in moved)
        wanted = rank_edges([(0, 2), (0, 1), (1, 0), (2, 0)], 3) * 3
        assert [found[one] for one in web] == pytest.approx(wanted, rel=1e-6)
        assert ranks.citations.links[own] == 1


def test_redirects_are_followed_whatever_the_texts_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {key: _prefixed(text) for key, text in messages.catalogue("en").items()}
    monkeypatch.setattr(messages, "catalogue", lambda language: texts)
    assert messages.text(Reason("redirect", to="x")) == "X redirects to x"
    test_a_link_to_a_redirect_counts_for_its_target(tmp_path)


def _prefixed(text: messages.Text) -> messages.Text:
    if isinstance(text, str):
        return f"X {text}"
    return {form: f"X {one}" for form, one in text.items()}


def number_of(backend: Backend, url: str) -> int:
    record = backend.graph.find_url(normalize(url))
    assert record
    return record.id


def visit_all(
    backend: Backend, web: Mapping[str, list[str]], moved: Mapping[str, str] | None = None
) -> None:
    """Keep every page of a web, as a crawl would; those that have moved redirect."""
    backend.frontier.add([DiscoveredUrl(normalize(url)) for url in (*web, *(moved or {}))])
    for now in range(1, 100):
        for visit in backend.frontier.lease(100, now):
            backend.frontier.release(visit, now)
            if moved and visit.url in moved:
                target = normalize(moved[visit.url])
                reason = Reason("moved_permanently", to=target)
                outcome = Outcome(visit, UrlState.REDIRECTED, reason, redirect_target=target)
            else:
                outcome = _kept(backend, visit, web.get(visit.url, []))
            backend.frontier.finish([outcome])


def _kept(backend: Backend, visit: Visit, targets: Sequence[str]) -> Outcome:
    links = tuple(Link(normalize(target)) for target in targets)
    page = Page(visit.url, 1.0, 200, (), b"", visit.id)
    (place,) = backend.pages.append([(page, visit.url.encode())])
    found = tuple(DiscoveredUrl(link.target) for link in links)
    return Outcome(
        visit, UrlState.KEPT, page=page, location=place, links=links, discovered_urls=found
    )


def test_sitewide_links_count_less(tmp_path: Path) -> None:
    count = 2 * MIN_HOST_PAGES
    menu = ["http://a.org/0", "http://licence.org/"]
    web = {f"http://a.org/{n}": [*menu, f"http://b.org/{n // 8}"] for n in range(count)}
    # A few pages that agree on something are an opinion.
    web |= {f"http://c.org/{n}": ["http://licence.net/", "http://b.org/9"] for n in range(4)}
    for backend in (memory_backend, embedded_backend):
        with backend(tmp_path / backend.__name__) as here:
            visit_all(here, web)
            damped, even = (
                rank(here.graph, replace(EXACT_SETTINGS, sitewide_link_weight=menus)).pages
                for menus in (0.1, 1.0)
            )

            def of(url: str, ranks: Values) -> float:
                return float(ranks[number_of(here, url)])

            assert of("http://licence.org/", even) > of("http://b.org/1", even)
            assert of("http://licence.org/", damped) < of("http://b.org/1", damped)
            assert of("http://licence.net/", damped) == pytest.approx(of("http://b.org/9", damped))


def weights(urls: Sequence[Url], within: float = 1.0) -> Floats:
    """How much the link from each page of the web above to each other one counts."""
    counts = np.zeros((len(urls), len(urls)))
    for source, targets in WEB.items():
        for target in targets:
            same = host_of(Url(source)) == host_of(Url(target))
            counts[urls.index(Url(source)), urls.index(Url(target))] = within if same else 1.0
    return counts


def test_teleports_prefer_trusted_hosts_and_sites(tmp_path: Path) -> None:
    with memory_backend(tmp_path) as backend:
        urls = fill(backend)
        settings = replace(EXACT_SETTINGS, trusted_sites=("B.org", "d.org"))
        found = rank(backend.graph, settings)
        unbiased = rank(backend.graph, replace(settings, teleport_bias=0.0))
        usual = rank(backend.graph, EXACT_SETTINGS)
    trusted = np.array([host_of(url) in ("b.org", "d.org") for url in urls])
    jump = 0.2 / len(urls) + 0.8 * trusted / trusted.sum()
    assert found.pages[1:] / len(urls) == pytest.approx(
        solve_pagerank(weights(urls), jump), rel=1e-6
    )
    d = urls.index(Url("http://d.org/unvisited")) + 1
    assert found.hosts[d] > usual.hosts[d]
    assert found.sites[d] > usual.sites[d]
    assert unbiased.pages == pytest.approx(usual.pages)


def test_an_unknown_trusted_site_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with memory_backend(tmp_path) as backend:
        usual, _ = ranks_of(backend)
        assert not caplog.records
        trusting = rank(backend.graph, replace(EXACT_SETTINGS, trusted_sites=("nobody.example",)))
    assert "no page of nobody.example is known" in caplog.text
    assert trusting.pages[1:] == pytest.approx(list(usual.values()))


def test_teleports_prefer_pages_of_the_topic(tmp_path: Path) -> None:
    with memory_backend(tmp_path) as backend:
        urls = fill(backend)
        topic = Topic(np.array([2, 3, 10_000]), np.array([3.0, 1.0, 9.0]))
        found = rank(backend.graph, EXACT_SETTINGS, topic=topic)
        usual = rank(backend.graph, EXACT_SETTINGS)
    jump = np.full(len(urls), 0.2 / len(urls))
    jump[[1, 2]] += 0.8 * np.array([0.75, 0.25])
    assert found.pages[1:] / len(urls) == pytest.approx(
        solve_pagerank(weights(urls), jump), rel=1e-6
    )
    assert found.hosts[2] > usual.hosts[2]


def test_internal_links_count_by_their_weight(tmp_path: Path) -> None:
    with memory_backend(tmp_path) as backend:
        urls = fill(backend)
        usual = rank(backend.graph, EXACT_SETTINGS)
        for within in (0.0, 0.5, 1.0):
            found = rank(backend.graph, replace(EXACT_SETTINGS, internal_link_weight=within))
            wanted = solve_pagerank(weights(urls, within), np.ones(len(urls)))
            assert found.pages[1:] / len(urls) == pytest.approx(wanted, rel=1e-6)
            assert found.hosts == pytest.approx(usual.hosts)


def test_hosts_of_one_site_share_its_rank(tmp_path: Path) -> None:
    web = {"http://a.x.org/": "http://b.x.org/", "http://b.x.org/": "http://y.org/"}
    with memory_backend(tmp_path) as backend:
        fill(backend, {url: [target] for url, target in web.items()})
        names = backend.graph.host_names()
        ranks = rank(backend.graph, EXACT_SETTINGS)
        site = {
            names[host]: ranks.sites[n] for n, host in enumerate(backend.graph.host_ids()) if host
        }
    assert site["a.x.org"] == site["b.x.org"] < site["y.org"]
    # One vote, from x.org to y.org; spam.org is a site too.
    assert [site["a.x.org"], site["y.org"], site["spam.org"]] == pytest.approx(
        rank_edges([(0, 1)], 3) * 3, rel=1e-6
    )


def test_previous_ranks_are_used_and_invalid_ones_ignored(tmp_path: Path) -> None:
    rounds: list[int] = []
    with memory_backend(tmp_path) as backend:
        fill(backend)

        def again(before: Ranks | None) -> Ranks:
            rounds.append(0)
            return rank(backend.graph, RankSettings(), lambda *_: count(), before)

        def count() -> None:
            rounds[-1] += 1

        first = again(None)
        second = again(first)
        nothing = np.zeros(3, np.float32)
        for bad in (nothing, nothing * np.nan, -np.ones(3, np.float32), np.ones(99, np.float32)):
            assert again(Ranks(bad, bad, bad)).pages == pytest.approx(first.pages, rel=1e-6)
    assert second.pages == pytest.approx(first.pages, rel=1e-6)
    assert rounds[1] < rounds[0] / 2
