"""What every graph of links must do."""

import numpy as np
import pytest
from contract.backends import Backend

from byway.core.messages import Reason
from byway.core.model import (
    DiscoveredUrl,
    Link,
    Neighbour,
    Outcome,
    Page,
    Url,
    UrlId,
    UrlState,
    Visit,
)
from byway.core.url import host_of, normalize

NOT_FOUND = Reason("http_status", status=404, phrase="Not Found")

WEB: dict[str, list[tuple[str, str, bool]]] = {
    "a.org/": [("a.org/1", "one", False), ("b.org/", "to b", False), ("a.org/lost", "", False)],
    "a.org/1": [("b.org/", "b again", False), ("a.org/", "home", True)],
    "b.org/": [("a.org/", "back to a", False), ("unheard.org/", "advert", True)],
}


def url(text: str) -> Url:
    return normalize(f"http://{text}")


@pytest.fixture
def web(backend: Backend) -> Backend:
    """The web above, visited to its end; a.org/lost is missing and b.org/old redirects."""
    backend.frontier.add([DiscoveredUrl(url("a.org/"), seed=True), DiscoveredUrl(url("b.org/old"))])
    for now in range(1, 10):
        for visit in backend.frontier.lease(10, now):
            backend.frontier.release(visit, now)
            backend.frontier.finish([_outcome(backend, visit)])
    return backend


def redirected(visit: Visit, target: Url, code: str = "moved_permanently") -> Outcome:
    reason = Reason(code, to=target)
    return Outcome(visit, UrlState.REDIRECTED, reason, redirect_target=target)


def _outcome(backend: Backend, visit: Visit) -> Outcome:
    if visit.url == url("b.org/old"):
        return redirected(visit, url("b.org/"))
    known = WEB.get(visit.url.removeprefix("http://"))
    if known is None:
        return Outcome(visit, UrlState.MISSING, NOT_FOUND)
    links = tuple(Link(url(target), anchor, nofollow) for target, anchor, nofollow in known)
    page = Page(visit.url, 1.0, 200, (), b"", visit.id)
    (place,) = backend.pages.append([(page, visit.url.encode())])
    found = tuple(DiscoveredUrl(link.target) for link in links if not link.nofollow)
    return Outcome(
        visit, UrlState.KEPT, page=page, location=place, links=links, discovered_urls=found
    )


def number(backend: Backend, text: str) -> UrlId:
    record = backend.graph.find_url(url(text))
    assert record, text
    return record.id


def named(backend: Backend, neighbours: list[Neighbour]) -> list[tuple[str, str, bool]]:
    """Neighbours by URL instead of by number."""
    known = backend.graph.url_records(one.id for one in neighbours)
    return [
        (known[one.id].url.removeprefix("http://"), one.anchor, one.nofollow) for one in neighbours
    ]


def test_outlinks_are_in_page_order(web: Backend) -> None:
    for source, links in WEB.items():
        found = named(web, web.graph.outlinks(number(web, source)))
        assert found == [link for link in links if link[0] != "unheard.org/"]
    assert web.graph.outlinks(number(web, "a.org/lost")) == []


def test_inlinks_have_anchor_and_nofollow(web: Backend) -> None:
    to_a = named(web, list(web.graph.inlinks(number(web, "a.org/"))))
    assert sorted(to_a) == [("a.org/1", "home", True), ("b.org/", "back to a", False)]
    to_b = list(web.graph.inlinks(number(web, "b.org/")))
    assert named(web, to_b) == [("a.org/", "to b", False), ("a.org/1", "b again", False)]
    assert [one.id for one in to_b] == sorted(one.id for one in to_b)
    assert list(web.graph.inlinks(number(web, "b.org/old"))) == []


def test_edges_to_many_pages_are_found_at_once(web: Backend) -> None:
    wanted = np.array([number(web, "a.org/"), number(web, "a.org/lost")], np.int64)
    sources, targets = web.graph.edges_to(wanted)
    pairs = set(zip(sources.tolist(), targets.tolist(), strict=True))
    assert pairs == {
        (number(web, "a.org/1"), number(web, "a.org/")),
        (number(web, "b.org/"), number(web, "a.org/")),
        (number(web, "a.org/"), number(web, "a.org/lost")),
    }
    assert [len(part) for part in web.graph.edges_to(np.zeros(0, np.int64))] == [0, 0]


def test_in_degrees_count_linking_pages(web: Backend) -> None:
    counts = web.graph.in_degrees()
    assert len(counts) == web.graph.size()
    told = {text: int(counts[number(web, text)]) for text in (*WEB, "a.org/lost", "b.org/old")}
    assert told == {"a.org/": 2, "a.org/1": 1, "b.org/": 2, "a.org/lost": 1, "b.org/old": 0}


def test_nofollow_links_are_edges_only_on_request(web: Backend) -> None:
    def edges(nofollow: bool) -> set[tuple[int, int]]:
        return {
            (int(source), int(target))
            for sources, targets in web.graph.edges(nofollow)
            for source, target in zip(sources, targets, strict=True)
        }

    assert edges(True) - edges(False) == {(number(web, "a.org/1"), number(web, "a.org/"))}
    assert len(edges(False)) == 5


def test_all_outlinks_are_in_the_order_of_pages(web: Backend) -> None:
    rows = list(web.graph.all_outlinks())
    assert [source for source, _ in rows] == sorted(number(web, text) for text in WEB)
    assert all(web.graph.outlinks(source) == links for source, links in rows)


def test_removed_links_are_deleted(web: Backend) -> None:
    before = number(web, "b.org/")
    web.frontier.queue_revisits(now=1e9)
    visits = {visit.url: visit for visit in web.frontier.lease(10, now=1e9)}
    visit = visits[url("b.org/")]
    page = Page(visit.url, 2.0, 200, (), b"new", visit.id)
    (place,) = web.pages.append([(page, b"new")])
    links, found = (Link(url("a.org/lost"), "lost"),), (DiscoveredUrl(url("a.org/lost")),)
    fresh = Outcome(
        visit, UrlState.KEPT, page=page, location=place, links=links, discovered_urls=found
    )
    web.frontier.finish([fresh])
    assert named(web, list(web.graph.inlinks(number(web, "a.org/lost")))) == [
        ("a.org/", "", False),
        ("b.org/", "lost", False),
    ]
    assert before not in [one.id for one in web.graph.inlinks(number(web, "a.org/"))]
    assert web.graph.in_degrees()[number(web, "a.org/")] == 1


def test_urls_are_found_by_number_url_and_state(web: Backend) -> None:
    lost, old = number(web, "a.org/lost"), number(web, "b.org/old")
    records = web.graph.url_records([lost, old, UrlId(999)])
    assert records.keys() == {lost, old}
    assert (records[lost].state, records[lost].reason) == (
        UrlState.MISSING,
        NOT_FOUND,
    )
    assert records[old].redirect_target == "http://b.org/"
    assert records[lost].redirect_target is None
    assert web.graph.ids_in_state(UrlState.MISSING).tolist() == [lost]
    assert web.graph.ids_in_state(UrlState.BLOCKED).tolist() == []
    assert web.graph.ids_in_state(UrlState.REDIRECTED, UrlState.MISSING).tolist() == sorted(
        [lost, old]
    )
    assert web.graph.ids_in_state(UrlState.MISSING, among=np.array([old, lost, 999])).tolist() == [
        lost
    ]
    assert web.graph.ids_in_state(UrlState.MISSING, among=np.array([old])).tolist() == []
    assert web.graph.find_url(url("unheard.org/")) is None


def test_redirects_are_followed_to_their_end(backend: Backend) -> None:
    chain = {
        "a.org/1": "a.org/2",
        "a.org/2": "a.org/3",
        "a.org/3": "b.org/",
        "a.org/round": "a.org/and-round",
        "a.org/and-round": "a.org/round",
        "a.org/into": "a.org/round",
        "a.org/away": "unheard.org/",
    }
    backend.frontier.add(DiscoveredUrl(url(text)) for text in (*chain, "b.org/"))
    for now in range(1, 20):
        for visit in backend.frontier.lease(10, now):
            backend.frontier.release(visit, now)
            target = chain.get(visit.url.removeprefix("http://"))
            gone = Outcome(visit, UrlState.MISSING, NOT_FOUND)
            backend.frontier.finish([redirected(visit, url(target)) if target else gone])
    ends = backend.graph.redirect_targets()
    for text in ("a.org/1", "a.org/2", "a.org/3", "b.org/"):
        assert ends[number(backend, text)] == number(backend, "b.org/")
    for text in ("a.org/round", "a.org/and-round", "a.org/into", "a.org/away"):
        assert ends[number(backend, text)] == number(backend, text)


def test_edges_from_many_pages_are_found_at_once(web: Backend) -> None:
    asked = np.array([number(web, "a.org/1"), number(web, "b.org/"), 999], np.int64)
    sources, targets = web.graph.edges_from(asked)
    pairs = set(zip(sources.tolist(), targets.tolist(), strict=True))
    assert pairs == {
        (number(web, "a.org/1"), number(web, "b.org/")),
        (number(web, "b.org/"), number(web, "a.org/")),
    }
    assert [len(part) for part in web.graph.edges_from(np.zeros(0, np.int64))] == [0, 0]


def test_hosts_have_names(web: Backend) -> None:
    names, hosts = web.graph.host_names(), web.graph.host_ids()
    assert sorted(names.values()) == ["a.org", "b.org"]
    for id, record in web.graph.url_records([number(web, text) for text in WEB]).items():
        assert names[int(hosts[id])] == host_of(record.url)
    assert (hosts[1:] > 0).all()


def test_an_empty_graph_has_no_edges(backend: Backend) -> None:
    graph = backend.graph
    assert list(graph.inlinks(UrlId(1))) == graph.outlinks(UrlId(1)) == []
    assert list(graph.all_outlinks()) == []
    assert graph.in_degrees().tolist() == [0]
    assert (graph.host_names(), graph.url_records([UrlId(1)])) == ({}, {})
