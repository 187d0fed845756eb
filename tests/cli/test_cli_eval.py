"""`byway eval` and `byway tune` on judged queries."""

import json
import tomllib
from pathlib import Path

import pytest
from cli.conftest import CrawledSite
from cli.runner import byway, error_line

from byway.cli.tune import advice
from byway.core.messages import t
from byway.core.model.measurement import Difference

TOPICS = ("shoes", "hats", "gloves", "scarves", "boots", "coats", "belts", "socks")


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Eight queries, each with one relevant document among those that have its word elsewhere."""
    folder = tmp_path / "judged"
    folder.mkdir()
    documents, queries, grades = [], [], ["query-id\tcorpus-id\tscore"]
    for topic in TOPICS:
        queries.append({"id": topic, "text": f"red {topic}"})
        documents.append({"id": f"{topic}-right", "title": f"Red {topic}", "text": f"red {topic}"})
        documents.append({"id": f"{topic}-other", "title": "", "text": f"red and some {topic}"})
        grades.append(f"{topic}\t{topic}-right\t1")
    for name, rows in (("docs.jsonl", documents), ("queries.jsonl", queries)):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "qrels.tsv").write_text("\n".join(grades) + "\n")
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> dict[str, str]:
    """A cache of this test's own."""
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}


def test_measures_are_shown_with_their_intervals(judged: Path, cache: dict[str, str]) -> None:
    ran = byway("eval", judged, **cache)
    assert ran.exit_code == 0
    first, _, *lines = ran.stdout.splitlines()
    assert first == "judged: 8 queries with relevant documents"
    shown = {line.split()[0]: line.split()[1:] for line in lines}
    assert list(shown) == ["nDCG@10", "MAP", "MRR", "P@10", "R@100"]
    assert shown["MRR"][0] == "1.0000"
    assert shown["P@10"] == ["0.1000", "0.1000", "–", "0.1000"]


def test_a_single_query_is_in_the_singular(judged: Path, cache: dict[str, str]) -> None:
    grades = (judged / "qrels.tsv").read_text().splitlines()
    (judged / "qrels.tsv").write_text("\n".join(grades[:2]) + "\n")
    assert byway("eval", judged, **cache).stdout.startswith(
        "judged: 1 query with relevant documents"
    )


def test_a_query_of_a_collection_has_no_operators(judged: Path, cache: dict[str, str]) -> None:
    signs = "„red“-{0}", "-{0} (red)", '"{0} other" red', "red OR: |{0}*"
    rows = [
        {"id": topic, "text": each.format(topic)}
        for topic, each in zip(TOPICS, 2 * signs, strict=True)
    ]
    (judged / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = byway("eval", judged, **cache).stdout.splitlines()
    assert next(line for line in lines if line.startswith("MRR")).split()[1] == "1.0000"


def test_two_settings_files_are_compared(judged: Path, cache: dict[str, str]) -> None:
    worse = judged / "worse.toml"
    worse.write_text(
        "[search.weights]\nbm25 = -1\nphrase = -1\ntitle_exact = -1\ntitle_coverage = -1\n"
    )
    ran = byway("eval", judged, "--baseline", worse, **cache)
    assert ran.exit_code == 0
    assert "significantly worse" in ran.stdout
    assert "worse on 8; significant (p = 0.0" in ran.stdout
    same = byway("eval", judged, "--baseline", worse, "--settings", worse, **cache)
    assert "gives the same results for every query" in same.stdout


def test_results_are_written_as_a_trec_run(judged: Path, cache: dict[str, str]) -> None:
    run = judged / "run.txt"
    ran = byway("eval", judged, "--run-file", run, "--json", **cache)
    assert json.loads(ran.stdout)["measures"]["MRR"]["mean"] == 1
    first = run.read_text().splitlines()[0].split()
    assert first[:4] == ["shoes", "Q0", "shoes-right", "1"]


def test_an_indexed_collection_is_reused(judged: Path, cache: dict[str, str]) -> None:
    def kept() -> list[Path]:
        return sorted((Path(cache["XDG_CACHE_HOME"]) / "byway" / "eval").iterdir())

    byway("eval", judged, **cache)
    (once,) = kept()
    stamp = (once / "names.json").stat().st_mtime_ns
    byway("eval", judged, "--set", "search.weights.title_coverage=0", **cache)
    assert kept() == [once] and (once / "names.json").stat().st_mtime_ns == stamp
    with (judged / "docs.jsonl").open("a") as documents:
        documents.write('{"id": "new", "text": "another"}\n')
    byway("eval", judged, **cache)
    assert len(kept()) == 2


def test_weights_are_learnt_and_written(judged: Path, cache: dict[str, str]) -> None:
    to = judged / "tuned.toml"
    ran = byway("tune", judged, "--output", to, **cache)
    assert ran.exit_code == 0, ran.stderr
    assert t("cli.tune.held_out") in ran.stdout
    assert tomllib.loads(to.read_text())["search"]["weights"]["bm25"] == 1
    assert byway("eval", judged, "--settings", to, **cache).exit_code == 0


def test_a_data_folder_is_judged_by_its_urls(crawled_site: CrawledSite, tmp_path: Path) -> None:
    hit = json.loads(byway("search", "tallybook", "--json", "--data", crawled_site.data).stdout)[
        "hits"
    ][0]
    (tmp_path / "queries.jsonl").write_text('{"id": "1", "text": "tallybook"}\n')
    (tmp_path / "qrels.tsv").write_text(f"1\t{hit['url']}#top\t1\n")
    ran = byway("eval", tmp_path, "--data", crawled_site.data, "--json")
    assert json.loads(ran.stdout)["measures"]["MRR"]["mean"] == 1


def test_weights_that_are_no_better_are_not_recommended(tmp_path: Path) -> None:
    def text(mean: float, p: float) -> str:
        return advice(Difference(mean, p, 3, 5), tmp_path, Path("tuned.toml"))

    assert text(-0.1, 0.03) == t("cli.tune.worse", file="tuned.toml")
    assert text(0.1, 0.3) == text(-0.1, 0.3) == t("cli.tune.not_significant", file="tuned.toml")
    assert text(0.1, 0.03).endswith(f"byway eval {tmp_path} --baseline tuned.toml")


def test_missing_judged_pages_are_counted(
    judged: Path, crawled_site: CrawledSite, cache: dict[str, str], tmp_path: Path
) -> None:
    assert "judged page" not in byway("eval", judged, **cache).stderr
    with (judged / "qrels.tsv").open("a") as grades:
        grades.write("shoes\tlost\t1\nhats\tgone\t1\nhats\tlost\t0\n")
    ran = byway("eval", judged, "--json", **cache)
    assert ran.stderr.startswith("2 of 10 judged pages are not in the collection, ")
    assert json.loads(ran.stdout)["missing_judged_pages"] == 2
    assert (
        "2 of 10 judged pages"
        in byway("tune", judged, "--output", judged / "t.toml", **cache).stderr
    )
    hit = json.loads(byway("search", "tallybook", "--json", "--data", crawled_site.data).stdout)[
        "hits"
    ][0]
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "queries.jsonl").write_text('{"id": "1", "text": "tallybook"}\n')
    (pages / "qrels.tsv").write_text(f"1\t{hit['url']}\t1\n1\thttp://nowhere.invalid/\t1\n")
    said = byway("eval", pages, "--data", crawled_site.data).stderr
    assert said.startswith(f"1 of 2 judged pages are not in {crawled_site.data}")


@pytest.mark.parametrize("name", ["nodir/x", "."])
def test_a_file_that_cannot_be_written_is_named_before_the_work(
    name: str, judged: Path, cache: dict[str, str]
) -> None:
    to = judged / name
    why = "it is a folder" if name == "." else f"there is no folder {judged / 'nodir'}"
    for command in (
        ["tune", judged, "--output", to],
        ["eval", judged, "--run-file", to],
        ["report", "--html", to, "--data", judged],
    ):
        assert f"Cannot write {to}: {why}" in error_line(*command, exit_code=2, **cache)
    assert not Path(cache["XDG_CACHE_HOME"]).exists()


def test_a_wrong_collection_is_refused_in_one_line(
    judged: Path, crawled_site: CrawledSite, cache: dict[str, str]
) -> None:
    said = error_line("eval", judged / "nothing", exit_code=2)
    assert "is not a folder. Give a folder with queries.jsonl and qrels.tsv" in said
    said = error_line("eval", judged, "--baseline", judged / "no.toml", exit_code=2, **cache)
    assert said == t("error.cli.no_settings_file", path=judged / "no.toml")
    said = error_line("eval", judged, "--settings", judged / "byway.toml", exit_code=2, **cache)
    assert said == t("error.cli.no_settings_file", path=judged / "byway.toml")
    said = error_line("eval", judged, "--data", crawled_site.data, exit_code=2)
    assert "is not a URL. With --data, qrels must identify pages" in said
    (judged / "docs.jsonl").unlink()
    assert "pass it with --data" in error_line("eval", judged, exit_code=2, **cache)
