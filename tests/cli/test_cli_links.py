"""`byway links` on the crawled village."""

import csv
import http.server
import json
import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cli.runner import CliResult, byway, error_line
from serving import QuickShutdownServer
from village.walker import SiteWalk, walk

from byway.app.engine import Engine
from byway.cli.support.output import sanitize
from byway.core.messages import t
from byway.core.settings.load import load_settings
from byway.core.url import normalize
from byway.village import Village, VillageFacts, load_facts

LOOPBACK = "127.0.0.0/8"
QUICK = ("--delay", 0, "--allow-private", LOOPBACK, "--set", "crawl.max_retries=0")
GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


@dataclass(frozen=True, slots=True)
class Explored:
    """The whole village, crawled and ranked, and walked by a plain client besides."""

    data: Path
    village: Village
    walked: SiteWalk
    facts: VillageFacts

    def url(self, site: str, path: str = "/") -> str:
        return normalize(self.village.url(site, path))

    def links(self, *arguments: object) -> CliResult:
        return byway("links", *arguments, "--data", self.data)

    def json(self, *arguments: object) -> Any:
        ran = self.links(*arguments, "--json", "--limit", 0)
        assert ran.exit_code == 0, ran.stderr
        return json.loads(ran.stdout)

    def linking(self, url: str) -> set[str]:
        """The other pages that link to a URL, as the plain client saw it."""
        return {str(normalize(one)) for one in self.walked.inlinks.get(url, ())} - {url}


@pytest.fixture(scope="module")
def explored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explored]:
    data, facts = tmp_path_factory.mktemp("links") / "data", load_facts()
    with Village() as village:
        depth = ("--set", "crawl.max_depth=6")
        assert byway("crawl", *village.seeds, *QUICK, *depth, "--data", data).exit_code == 0
        assert byway("rank", "--data", data).exit_code == 0
        endless = [village.url(name, path) for name, s in facts.sites.items() for path in s.endless]
        skip = re.compile("|".join(re.escape(url) + "." for url in endless))
        yield Explored(data, village, walk(village.seeds, skip), facts)


def planted(explored: Explored) -> dict[str, str]:
    """Every URL in the village that a link leads to in vain, and the beginning of its reason."""
    found = {}
    for name, site in explored.facts.sites.items():
        for broken in site.broken:
            found[explored.url(name, broken.by or broken.path)] = f"HTTP {broken.status} "
        for failing in site.failing:
            found[explored.url(name, failing.path)] = f"HTTP {failing.status} "
        found |= {
            explored.url(name, path): "redirects in a loop"
            for path in site.loops
            if explored.linking(explored.url(name, path))
        }
    return found


def test_exactly_the_planted_broken_links_are_found(explored: Explored) -> None:
    wanted, found = planted(explored), explored.json("--broken")
    assert {one["url"] for one in found["urls"]} == wanted.keys()
    assert found["total"] == len(wanted) >= 12
    for one in found["urls"]:
        assert wanted[one["url"]] in one["reason"]["text"], one


def test_each_broken_link_comes_with_the_pages_it_is_on(explored: Explored) -> None:
    found = explored.json("--broken")["urls"]
    for one in found:
        assert {page["url"] for page in one["sources"]} == explored.linking(one["url"])
        assert one["source_count"] == len(one["sources"])
    planted_on = {
        (explored.url(name, broken.by or broken.path), explored.url(name, broken.on))
        for name, site in explored.facts.sites.items()
        for broken in site.broken
    }
    assert planted_on <= {(one["url"], page["url"]) for one in found for page in one["sources"]}


def test_a_redirect_to_a_missing_page_is_a_broken_link(explored: Explored) -> None:
    (found,) = [
        one for one in explored.json("--broken")["urls"] if one["redirects"] and not one["is_loop"]
    ]
    assert found["url"] == explored.url("manual", "/old-help.html")
    assert found["redirects"] == [explored.url("manual", "/help/")]
    assert [page["anchor_text"] for page in found["sources"]] == ["old help"]


def test_the_broken_links_of_one_site_are_those_on_its_pages(explored: Explored) -> None:
    host = explored.village.authority("manual")
    found = explored.json("--broken", host)["urls"]
    here = [url for url in planted(explored) if any(host in on for on in explored.linking(url))]
    assert sorted(one["url"] for one in found) == sorted(here)
    assert all(host in page["url"] for one in found for page in one["sources"])
    shown = explored.links("--broken", host).stdout
    assert f"on {explored.url('manual', '/troubleshooting.html')}  “page on doubles”" in shown
    assert "missing: HTTP 404 Not Found" in shown


def test_redirects_are_followed_to_their_end_and_loops_are_named(explored: Explored) -> None:
    chains = {one["url"]: one for one in explored.json("--redirects")["chains"]}
    history = chains[explored.url("manual", "/history")]
    paths = ("/history/", "/history/latest", "/changelog.html")
    assert history["redirects"] == [explored.url("manual", path) for path in paths]
    assert (history["state"], history["is_loop"]) == ("kept", False)
    assert {page["url"] for page in history["sources"]} == explored.linking(history["url"])
    office = chains[explored.url("news", "/office")]
    assert office["is_loop"]
    assert "redirects in a loop back to" in explored.links("--redirects").stdout
    linked = [
        explored.url(name, redirect.path)
        for name, site in explored.facts.sites.items()
        for redirect in site.redirects
        if explored.linking(explored.url(name, redirect.path)) or redirect.path == "/"
    ]
    assert set(linked) <= chains.keys()


def test_orphans_are_the_pages_that_only_a_sitemap_names(explored: Explored) -> None:
    hidden = {
        explored.url(name, path)
        for name, site in explored.facts.sites.items()
        for path in site.sitemap_only
    }
    found = explored.json("--orphans")["pages"]
    assert {one["url"] for one in found} == hidden
    assert not any(one["is_seed"] for one in found)


def test_a_page_is_shown_with_its_parents_and_children(explored: Explored) -> None:
    url = explored.url("encyclopaedia", "/wiki/PageRank")
    found = explored.json(url)
    assert {one["url"] for one in found["inlinks"]} == explored.linking(url)
    assert (found["inlink_count"], found["state"]) == (len(found["inlinks"]), "kept")
    ranks = [one["rank"] for one in found["inlinks"]]
    assert ranks == sorted(ranks, reverse=True)
    page = explored.walked.parsed_pages[url]
    assert {one["url"] for one in found["outlinks"]} <= {normalize(link.url) for link in page.links}
    assert explored.json(url, "--incoming")["outlinks"] == []
    assert explored.json(url, "--outgoing")["inlinks"] == []
    shown = explored.links(url, "--incoming", "--limit", 2).stdout
    assert f"linked from {found['inlink_count']} pages" in shown
    assert f"{found['inlink_count'] - 2} more; use --limit 0 for all" in shown
    assert "links to" not in shown


def test_the_top_is_ordered_by_rank_and_counts_links(explored: Explored) -> None:
    pages = explored.json("--top", "pages")["pages"]
    ranks = [one["rank"] for one in pages]
    assert ranks == sorted(ranks, reverse=True)
    wiki = [one for one in pages if explored.url("encyclopaedia") in one["url"]]
    # Of a wiki's pages, only links to articles are all taken; see the rule for MediaWiki.
    articles = [one for one in wiki if ":" not in one["url"].partition("/wiki/")[2]]
    counted = {one["url"]: one["inlink_count"] for one in articles}
    assert len(counted) > 30
    assert counted == {url: len(explored.linking(url)) for url in counted}
    hosts = explored.json("--top", "hosts")["hosts"]
    assert {one["host"] for one in hosts} == {
        explored.village.authority(name) for name in explored.village.site_names
    }
    manual = explored.json("--top", "pages", explored.village.authority("manual"))["pages"]
    assert manual and all(explored.url("manual") in one["url"] for one in manual)


def test_hosts_are_similar_when_the_same_pages_link_to_them(explored: Explored) -> None:
    host = explored.village.authority("encyclopaedia")
    found = explored.json("--similar", host)
    assert host not in [one["host"] for one in found["hosts"]]
    for one in found["hosts"]:
        cosine = one["shared_inlink_count"] / (one["inlink_count"] * found["inlink_count"]) ** 0.5
        assert one["similarity"] == pytest.approx(cosine)
        assert 0 < cosine <= 1


def test_a_csv_file_has_every_link_and_can_be_read_back(explored: Explored, tmp_path: Path) -> None:
    file = tmp_path / "links.csv"
    assert explored.links("--export", file).stderr.endswith(f" links to {file}.\n")
    with file.open(newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    url = explored.url("encyclopaedia", "/wiki/PageRank")
    mine = [(row["target"], row["anchor"]) for row in rows if row["source"] == url]
    told = explored.json(url, "--outgoing")["outlinks"]
    assert mine == [(one["url"], one["anchor_text"]) for one in told]
    assert {row["nofollow"] for row in rows} <= {"true", "false"}
    assert [path.name for path in tmp_path.iterdir()] == ["links.csv"]


@pytest.mark.parametrize("site", ["", "manual"])
def test_graphml_can_be_read_and_no_edge_hangs_in_the_air(
    explored: Explored, tmp_path: Path, site: str
) -> None:
    file = tmp_path / "links.graphml"
    named = [explored.village.authority(site)] if site else []
    ran = explored.links("--export", file, *named, "--json")
    graph = ElementTree.parse(file).getroot().find(f"{GRAPHML}graph")
    assert graph is not None and graph.get("edgedefault") == "directed"
    nodes = {
        node.get("id"): node.findtext(f"{GRAPHML}data[@key='node-url']")
        for node in graph.iter(f"{GRAPHML}node")
    }
    edges = [(edge.get("source"), edge.get("target")) for edge in graph.iter(f"{GRAPHML}edge")]
    assert edges and {end for edge in edges for end in edge} <= nodes.keys()
    assert json.loads(ran.stdout)["links"] == len(edges)
    if site:
        assert {str(nodes[source]).startswith(explored.url(site)) for source, _ in edges} == {True}
        assert len(nodes) < 150


def test_hosts_can_be_exported_too(explored: Explored, tmp_path: Path) -> None:
    file = tmp_path / "hosts.csv"
    explored.links("--export", file, "--of", "hosts")
    with file.open(newline="", encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    authorities = {explored.village.authority(name) for name in explored.village.site_names}
    assert rows and {row["source"] for row in rows} <= authorities
    assert all(row["source"] != row["target"] and int(row["links"]) > 0 for row in rows)


def test_parquet_holds_the_same_links_as_csv(explored: Explored, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    explored.links("--export", tmp_path / "a.parquet")
    explored.links("--export", tmp_path / "a.csv")
    table = parquet.read_table(tmp_path / "a.parquet").to_pylist()
    with (tmp_path / "a.csv").open(newline="", encoding="utf-8") as opened:
        rows = [row | {"nofollow": row["nofollow"] == "true"} for row in csv.DictReader(opened)]
    assert table == rows


# Wrong arguments.


def test_a_format_that_is_not_known_is_refused_before_anything_is_read(tmp_path: Path) -> None:
    told = error_line("links", "--export", tmp_path / "a.dot", "--data", tmp_path, exit_code=2)
    assert "a.dot" in told and ".graphml, .csv, .parquet" in told


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "Give a URL, or use --broken"),
        (("--broken", "--orphans"), "--broken and --orphans cannot be combined"),
        (("--broken", "--incoming"), "--incoming and --outgoing work only with a single page"),
        (("--similar",), "--similar needs a site"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(
    explored: Explored, arguments: tuple[str, ...], why: str
) -> None:
    assert why in error_line("links", *arguments, "--data", explored.data, exit_code=2)


def test_an_unknown_url_or_site_is_named(explored: Explored) -> None:
    here = ("--data", explored.data)
    assert "http://unheard.example/ is unknown" in error_line(
        "links", "http://unheard.example/", *here, exit_code=2
    )
    assert "No page on unheard.example is known" in error_line(
        "links", "--broken", "unheard.example", *here, exit_code=2
    )
    assert "Not a URL" in error_line("links", "what is this", *here, exit_code=2)


def test_a_folder_without_pages_names_the_cure(tmp_path: Path) -> None:
    assert "There is no data in" in error_line(
        "links", "--broken", "--data", tmp_path / "none", exit_code=2
    )
    Engine(tmp_path, load_settings(None, {})).create()
    told = error_line("links", "--broken", "--data", tmp_path, exit_code=1)
    assert told == t("error.app.nothing_crawled", data=tmp_path)


def test_top_without_ranks_names_the_cure(tmp_path: Path) -> None:
    with Village() as village:
        seed = village.url("library")
        assert byway("crawl", seed, *QUICK, "--pages", 2, "--data", tmp_path).exit_code == 0
    assert "Run `byway rank` first" in error_line(
        "links", "--top", "pages", "--data", tmp_path, exit_code=1
    )


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


def crawled_web(folder: Path, **pages: str) -> tuple[str, tuple[object, ...]]:
    """Serve these pages, crawl them wherever they lead; return the first URL and `--data`."""
    (folder / "web").mkdir()
    for name, body in pages.items():
        (folder / "web" / f"{name}.html").write_text(f"<title>{name}</title><p>{body}</p>")
    handler = partial(_Quiet, directory=str(folder / "web"))
    data = ("--data", folder / "data")
    with QuickShutdownServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever).start()
        seed = f"http://127.0.0.1:{server.server_port}/index.html"
        assert byway("crawl", seed, *QUICK, "--scope", "any", *data).exit_code == 0
        server.shutdown()
    return seed, data


def test_a_link_to_an_unreachable_host_is_broken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}/"
    words = "[red]no\x1b[2Jbody"
    seed, data = crawled_web(tmp_path, index=f"Ask <a href='{nobody}'>{words}</a>, as we all do.")
    (found,) = json.loads(byway("links", "--broken", "--json", *data).stdout)["urls"]
    assert (found["url"], found["state"]) == (nobody, "unreachable")
    assert [page["url"] for page in found["sources"]] == [seed]
    shown = byway("links", "--broken", *data).stdout
    assert sanitize(f"“{words}”") in shown and "\x1b" not in shown


def test_a_nofollow_link_is_marked(tmp_path: Path) -> None:
    seed, data = crawled_web(
        tmp_path,
        index="Read <a href='next.html'>the next page</a>.",
        next="Back <a rel=nofollow href='index.html'>home</a>.",
    )
    (parent,) = json.loads(byway("links", seed, "--json", *data).stdout)["inlinks"]
    assert (parent["anchor_text"], parent["nofollow"]) == ("home", True)
    assert "home (nofollow)" in byway("links", seed, *data).stdout


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    file = tmp_path / "nowhere" / "links.csv"
    told = error_line("links", "--export", file, "--data", tmp_path, exit_code=2)
    assert f"there is no folder {file.parent}" in told and "draft" not in told
