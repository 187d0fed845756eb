"""`byway rank` of a crawl and of an edge list."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from cli.conftest import CrawledSite
from cli.runner import byway, error_line
from vectors import vector_path

from byway.app.search import search_session
from byway.core.settings.schema import Settings
from byway.storage.rank_arrays import ArrayRankStore
from byway.storage.sqlite.storage import SqliteStorage


def test_json_has_the_residual_of_each_iteration(crawled_site: CrawledSite) -> None:
    told = json.loads(byway("rank", "--data", crawled_site.data, "--json").stdout)
    assert told["node_count"] > 10
    assert len(told["residuals"]) == told["iterations"] > 0


def test_a_second_ranking_starts_where_the_first_ended(crawled_site: CrawledSite) -> None:
    fast = ("--set", "rank.tolerance=1e-6")
    byway("rank", "--data", crawled_site.data)
    again = json.loads(byway("rank", "--data", crawled_site.data, "--json", *fast).stdout)
    assert again["iterations"] <= 2


def test_a_topic_raises_the_pages_that_match_it(
    crawled_site: CrawledSite, caplog: pytest.LogCaptureFixture
) -> None:
    words = ("--json", "--limit", 1, "install")
    (hit,) = json.loads(byway("search", "--data", crawled_site.data, *words).stdout)["hits"]
    record = SqliteStorage(crawled_site.data)
    with search_session(record, Settings()) as opened:
        found = opened.catalog.find_url(hit["url"])
    assert found
    before = ArrayRankStore(record.rank).load().pages[found.id]
    byway("rank", "--data", crawled_site.data, "--set", "rank.topic_query=install")
    assert ArrayRankStore(record.rank).load().pages[found.id] > 1.5 * before
    byway("rank", "--data", crawled_site.data, "--set", "rank.topic_query=zzzyx")
    assert "no page matches" in caplog.text
    assert ArrayRankStore(record.rank).load().pages[found.id] == pytest.approx(before, rel=1e-5)


def test_a_ranking_that_is_killed_leaves_the_old_one(crawled_site: CrawledSite) -> None:
    folder = SqliteStorage(crawled_site.data).rank
    byway("rank", "--data", crawled_site.data)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    endless = ("--set", "rank.tolerance=0", "--set", "rank.max_iterations=1000000000", "-v")
    command = [sys.executable, "-m", "byway", "rank", "--data", str(crawled_site.data), *endless]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        assert any("iteration 5:" in line for line in process.stderr)
        process.kill()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize("name", ["hollins", "polblogs"])
def test_a_list_of_edges_is_ranked_as_others_rank_it(tmp_path: Path, name: str) -> None:
    folder = vector_path(f"webgraphs/{name}")
    reference = np.loadtxt(folder / "pagerank_ref.tsv")
    out, plot = tmp_path / "ranks.tsv", tmp_path / "rounds.svg"
    options = ["--edges", folder / "edges.tsv", "--output", out, "--plot", plot]
    ran = byway("rank", *options, "--nodes", len(reference))
    assert "nodes with" in ran.stdout and "iteration 1: residual" in ran.stderr
    found = np.loadtxt(out)
    order = np.argsort(found[:, 0])
    assert np.abs(found[order, 1] - reference[np.argsort(reference[:, 0]), 1]).max() < 1e-9
    drawing = ElementTree.parse(plot).getroot()
    points = next(each for each in drawing if each.tag.endswith("polyline")).get("points", "")
    assert len(points.split()) == ran.stderr.count("iteration ")


def test_the_top_nodes_are_shown_unless_a_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "edges.tsv").write_text("a\tb\nc\tb\n[red]\x1b[31m\tb\n")
    lines = byway("rank", "--edges", tmp_path / "edges.tsv").stdout.splitlines()
    assert lines[0].startswith("4 nodes with 3 links")
    assert lines[1].endswith("  b")
    assert "[red] [31m" in "".join(lines)


def test_wrong_arguments_are_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edges = tmp_path / "edges.tsv"
    edges.write_text("a\tb\n")
    assert "Add --edges" in error_line("rank", "--output", tmp_path / "x.tsv", exit_code=2)
    (tmp_path / "x.gz").touch()
    assert "Use a file name that ends in" in error_line(
        "rank", "--edges", tmp_path / "x.gz", exit_code=2
    )
    assert "No such file" in error_line("rank", "--edges", tmp_path / "none.tsv", exit_code=2)
    assert "no folder" in error_line(
        "rank", "--edges", edges, "--output", tmp_path / "a/b.tsv", exit_code=2
    )
    (tmp_path / "folder.tsv").mkdir()
    says = error_line("rank", "--edges", edges, "--output", tmp_path / "folder.tsv", exit_code=2)
    assert says == f"Cannot write {tmp_path / 'folder.tsv'}: it is a folder. Give a file name."
    assert "SVG" in error_line("rank", "--edges", edges, "--plot", tmp_path / "x.png", exit_code=2)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    table = tmp_path / "x.parquet"
    table.touch()
    assert "pip install byway[parquet]" in error_line("rank", "--edges", table, exit_code=2)


def test_an_edge_list_is_never_overwritten_by_its_ranks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "edges.tsv").write_text("a\tb\n")
    (tmp_path / "link.tsv").symlink_to("edges.tsv")
    monkeypatch.chdir(tmp_path)
    for edges, to in (
        ("edges.tsv", "edges.tsv"),
        ("edges.tsv", tmp_path / "edges.tsv"),
        ("link.tsv", "edges.tsv"),
    ):
        says = error_line("rank", "--edges", edges, "--output", to, exit_code=2)
        assert says == f"--output {to} is the edge list file itself. Choose another file."
    assert (tmp_path / "edges.tsv").read_text() == "a\tb\n"


def test_json_has_the_top_nodes_unless_a_file_is_written(tmp_path: Path) -> None:
    for ids in (["a", "b", "c"], [1, 2, 3]):
        (tmp_path / "edges.tsv").write_text(f"{ids[0]}\t{ids[1]}\n{ids[2]}\t{ids[1]}\n")
        told = json.loads(byway("rank", "--edges", tmp_path / "edges.tsv", "--json").stdout)
        assert [each["id"] for each in told["top"]] == [ids[1], ids[0], ids[2]]
        assert sum(each["rank"] for each in told["top"]) == pytest.approx(1)
    to = ("--output", tmp_path / "ranks.tsv")
    assert "top" not in json.loads(
        byway("rank", "--edges", tmp_path / "edges.tsv", *to, "--json").stdout
    )


def test_missing_convergence_is_reported(tmp_path: Path) -> None:
    (tmp_path / "edges.tsv").write_text("a\tb\nb\tc\nc\ta\na\tc\n")
    command = ("rank", "--edges", tmp_path / "edges.tsv")
    assert "convergence" not in byway(*command).stderr
    short = byway(*command, "--set", "rank.max_iterations=3")
    assert short.exit_code == 0
    assert "PageRank did not converge in 3 iterations" in short.stderr
    assert "Raise rank.max_iterations" in short.stderr
