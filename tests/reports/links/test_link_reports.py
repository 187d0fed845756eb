"""Questions to a small graph whose answers can be seen by eye."""

import csv
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from reports.links.small import build_graph, ranks_of, url

from byway.core.errors import DataError, UsageError
from byway.core.messages import Reason
from byway.core.model import UrlState
from byway.core.ports import Ranks
from byway.reports.links import export_formats
from byway.reports.links.broken_links import broken_links, redirects
from byway.reports.links.export import export_graph
from byway.reports.links.hosts import site_host_ids
from byway.reports.links.neighbours import page_neighbours
from byway.reports.links.orphans import orphans
from byway.reports.links.similar_hosts import similar_hosts
from byway.reports.links.top import top_hosts, top_pages

MISSING = (UrlState.MISSING, Reason("http_status", status=404, phrase="Not Found"))
NONE = np.zeros(0, np.float32)


def to(text: str) -> tuple[UrlState, Reason]:
    return UrlState.REDIRECTED, Reason("redirect", to=f"http://{text}")


def test_a_link_through_redirects_to_nothing_is_broken_where_it_begins() -> None:
    web = {
        "a.org/": ["a.org/one", "a.org/fine"],
        "a.org/one": to("a.org/two"),
        "a.org/two": to("a.org/gone"),
        "a.org/gone": MISSING,
        "a.org/fine": to("a.org/"),
    }
    (broken,) = broken_links(build_graph(web)).urls
    assert broken.url == url("a.org/one")
    assert broken.redirects == (url("a.org/two"), url("a.org/gone"))
    assert (broken.state, broken.reason) == MISSING
    assert [page.url for page in broken.sources] == [url("a.org/")]


def test_what_no_page_links_to_is_not_a_broken_link() -> None:
    found = broken_links(build_graph({"a.org/": [], "a.org/in-sitemap": MISSING}))
    assert (found.total, found.links, found.urls) == (0, 0, ())


def test_a_loop_is_named_wherever_it_is_entered() -> None:
    web = {
        "a.org/": ["a.org/in"],
        "a.org/in": to("a.org/x"),
        "a.org/x": to("a.org/y"),
        "a.org/y": to("a.org/x"),
    }
    (broken,) = broken_links(build_graph(web)).urls
    assert (broken.url, broken.is_loop) == (url("a.org/in"), True)
    assert broken.reason == Reason("redirect_loop", to="http://a.org/x")
    assert broken.redirects == (url("a.org/x"), url("a.org/y"), url("a.org/x"))


def test_a_redirect_that_only_another_leads_to_is_a_step_of_its_chain() -> None:
    web = {
        "a.org/": ["a.org/old"],
        "a.org/old": to("a.org/older"),
        "a.org/older": to("a.org/"),
        "a.org/named": to("b.org/never-seen"),
    }
    found = redirects(build_graph(web, seeds=["a.org/named"]))
    assert [chain.url for chain in found.chains] == [url("a.org/old"), url("a.org/named")]
    assert found.chains[0].redirects == (url("a.org/older"), url("a.org/"))
    assert found.chains[1].source_count == 0
    assert redirects(build_graph(web), "a.org").total == 1


def test_a_loop_that_a_person_named_is_told_of_though_nothing_links_to_it() -> None:
    web = {"a.org/x": to("a.org/y"), "a.org/y": to("a.org/x")}
    (chain,) = redirects(build_graph(web, seeds=["a.org/x"])).chains
    assert (chain.url, chain.is_loop) == (url("a.org/x"), True)


def test_a_page_that_a_linked_redirect_leads_to_is_no_orphan() -> None:
    web = {
        "a.org/": ["a.org/old", "-a.org/doubtful"],
        "a.org/old": to("a.org/new"),
        "a.org/new": ["a.org/"],
        "a.org/doubtful": [],
        "a.org/alone": [],
        "a.org/from-nowhere": to("a.org/alone"),
        "b.org/alone": [],
    }
    graph = build_graph(web, seeds=["b.org/alone"])
    assert [(one.url, one.is_seed) for one in orphans(graph).pages] == [
        (url("a.org/alone"), False),
        (url("b.org/alone"), True),
    ]
    assert [one.url for one in orphans(graph, "b.org").pages] == [url("b.org/alone")]


def test_limits_are_kept_and_all_is_counted() -> None:
    web = {f"a.org/{n}": ["a.org/gone", "a.org/lost"] for n in range(5)}
    graph = build_graph({**web, "a.org/gone": MISSING, "a.org/lost": MISSING})
    found = broken_links(graph, limit=1)
    assert (found.total, found.links, len(found.urls)) == (2, 10, 1)
    assert (found.urls[0].source_count, len(found.urls[0].sources)) == (5, 1)


def test_likeness_is_the_cosine_of_who_links_there() -> None:
    web = {
        # Four pages link to x, two of them to y as well, one to z; x's own links say nothing.
        "p.org/1": ["x.org/", "y.org/", "x.org/again"],
        "p.org/2": ["x.org/", "y.org/1", "y.org/2"],
        "q.org/1": ["x.org/", "z.org/", "q.org/2"],
        "q.org/2": ["x.org/deep"],
        "q.org/3": ["y.org/"],
        "x.org/": ["z.org/", "y.org/"],
    }
    graph = build_graph(web)
    found = similar_hosts(graph, ranks_of(graph), "x.org")
    assert (found.inlink_count, found.total) == (4, 2)
    assert [(one.host, one.shared_inlink_count, one.inlink_count) for one in found.hosts] == [
        ("y.org", 2, 3),
        ("z.org", 1, 1),
    ]
    assert [one.similarity for one in found.hosts] == pytest.approx([2 / 12**0.5, 1 / 2])


def test_hosts_count_links_of_others_only() -> None:
    web = {"a.org/": ["a.org/1", "b.org/", "b.org/1"], "c.org/": ["b.org/"], "b.org/": ["b.org/1"]}
    graph = build_graph(web)
    found = top_hosts(graph, ranks_of(graph))
    told = {
        one.host: (one.url_count, one.inlink_count, one.linking_host_count) for one in found.hosts
    }
    assert told == {"a.org": (2, 0, 0), "b.org": (2, 3, 2), "c.org": (1, 0, 0)}


def test_ranks_that_are_older_than_the_newest_pages_still_serve() -> None:
    graph = build_graph({"a.org/": ["a.org/1"], "b.org/": []})
    old = np.array([0, 2], np.float32)
    ranks = Ranks(old, old)
    assert [one.url for one in top_pages(graph, ranks).pages] == [url("a.org/")]
    assert page_neighbours(graph, ranks, url("a.org/")).outlinks[0].rank == 0
    with pytest.raises(DataError, match="byway rank"):
        top_pages(graph, Ranks(NONE, NONE))


def test_a_site_is_a_host_and_those_below_it_on_any_port() -> None:
    names = ("a.org", "www.a.org", "a.org:8080", "nota.org", "b.org")
    graph = build_graph({f"{name}/": [] for name in names})

    def meant(site: str) -> set[str]:
        return {graph.host_names()[number] for number in site_host_ids(graph, site)}

    assert meant("a.org") == {"a.org", "www.a.org", "a.org:8080"}
    assert meant("http://a.org:8080/page") == {"a.org:8080"}
    assert meant("www.a.org") == {"www.a.org"}
    with pytest.raises(UsageError, match=r"No page on org\.example is known"):
        site_host_ids(graph, "org.example")


# What is written.

HOSTILE = 'a "quoted",\ttext <b>&amp;</b> ]]> \x00\x0b\ufffe = 1+1 — ёлка 🦊'


def test_what_pages_write_into_links_breaks_no_file(tmp_path: Path) -> None:
    graph = build_graph({"a.org/": ["b.org/?a=1&b=<2>", "-a.org/"], "c.org/": []}, anchor=HOSTILE)
    for name in ("x.csv", "x.graphml"):
        assert (
            export_formats.write_graph(
                export_graph(graph, Ranks(NONE, NONE), "pages"), tmp_path / name
            )
            == 2
        )
    with (tmp_path / "x.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["anchor"] for row in rows] == [HOSTILE] * 2
    assert [row["nofollow"] for row in rows] == ["false", "true"]
    assert rows[0]["target"] == url("b.org/?a=1&b=<2>")
    space = "{http://graphml.graphdrawing.org/xmlns}"
    root = ElementTree.parse(tmp_path / "x.graphml").getroot()
    anchors = [data.text for data in root.iterfind(f".//{space}data[@key='edge-anchor']")]
    assert anchors == [HOSTILE.translate({0: "\ufffd", 0x0B: "\ufffd", 0xFFFE: "\ufffd"})] * 2
    kept = [data.text for data in root.iterfind(f".//{space}data[@key='node-url']")]
    assert url("c.org/") in kept, "a page without links is a node too"


def test_an_export_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    graph = build_graph({"a.org/": ["b.org/"]})
    whole = export_graph(graph, Ranks(NONE, NONE), "pages")
    (tmp_path / "links.csv").mkdir()
    with pytest.raises(OSError, match=r"links\.csv"):
        export_formats.write_graph(whole, tmp_path / "links.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["links.csv"]


def test_without_pyarrow_parquet_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match="needs pyarrow"):
        export_formats.require_format(tmp_path / "links.parquet")
