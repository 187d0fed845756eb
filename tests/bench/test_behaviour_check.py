"""The behaviour check of `bench/compare`: aliases, results, differences and verdicts."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from bench.comparison.aliases import Aliases, first_known, load_aliases
from bench.comparison.behaviour import judge, print_verdicts
from bench.comparison.commits import Checkout
from bench.comparison.crawl_results import read_graph, read_pages
from bench.comparison.differences import CATEGORIES, count_places, differences, write_results
from bench.comparison.program import flag_names, setting_names
from bench.comparison.queries import draw_queries, draw_sample
from bench.comparison.search_results import answer_of, settle_ties, words_by_field
from byway.core.settings.load import to_toml
from byway.core.settings.schema import Settings

COMMANDS = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"
NOTHING = Aliases({}, {})

FLAGS = {
    "init": "--data",
    "crawl": "--set --data",
    "index": "--rebuild --data",
    "rank": "--data",
    "links": "--export --data",
    "words": "--json --limit --data",
    "extract": "--json --stored --data",
    "serve": "--port --data",
}
"""What the check passes to each command, by old names."""

GRAPH = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="a" for="node" attr.name="address"/><key id="s" for="node" attr.name="state"/>
<key id="r" for="node" attr.name="rank"/><key id="t" for="edge" attr.name="anchor"/>
<key id="n" for="edge" attr.name="nofollow"/>
<graph edgedefault="directed">
<node id="1"><data key="a">http://a/</data><data key="s">stored</data><data key="r">2</data></node>
<node id="2"><data key="a">http://b/</data><data key="s">missing</data><data key="r">0</data></node>
<edge source="1" target="2"><data key="t">see b</data><data key="n">false</data></edge>
<edge source="1" target="2"><data key="t">b</data><data key="n">true</data></edge>
</graph></graphml>"""


def record(kind: str, url: str, block: bytes) -> bytes:
    head = f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n"
    head += f"WARC-Payload-Digest: sha256:x\r\nContent-Length: {len(block)}\r\n\r\n"
    return head.encode() + block + b"\r\n\r\n"


def results(folder: Path, **changed: Any) -> None:
    values: dict[str, Any] = {name: {"a": 1, "b": {"title": "B"}} for name in CATEGORIES}
    write_results(folder, values | changed)


def test_a_renamed_field_has_its_old_name_again() -> None:
    aliases = Aliases({"page": {"type": ["kind", "media_type"]}}, {"page": ["fetched"]})
    told = {"media_type": "text/html", "fetched": "today", "links": [{"kind": "a"}]}
    assert aliases.canonical("page", told) == {"type": "text/html", "links": [{"type": "a"}]}
    assert aliases.canonical("words", told) == told
    assert aliases.spellings("page", "type") == ["media_type", "kind", "type"]


def test_a_commit_gets_the_newest_name_that_it_knows() -> None:
    spellings = ["crawl.max_retries=0", "crawl.tries=1"]
    assert first_known(spellings, {"crawl.tries", "crawl.delay"}) == "crawl.tries=1"
    assert first_known(spellings, {"crawl.tries", "crawl.max_retries"}) == "crawl.max_retries=0"
    assert first_known(spellings, {"crawl.delay"}) is None


def test_settings_are_found_in_a_settings_file() -> None:
    text = "[crawl]  # Visits.\n# Seconds\n# delay = 1.0\ntries = 3\n\n[rank]\n# menus = 0.1"
    assert setting_names(text) == {"crawl.delay", "crawl.tries", "rank.menus"}


def test_the_alias_table_fits_this_commit() -> None:
    aliases, known = load_aliases(), setting_names(to_toml(Settings()))
    for setting in aliases.later["settings"]:
        assert first_known(aliases.spellings("settings", setting), known), setting
    sections = COMMANDS.read_text("utf-8").split("\n## byway ")
    flags = {text.split("\n")[0]: flag_names(text) for text in sections}
    for command, passed in FLAGS.items():
        for flag in passed.split():
            assert first_known(aliases.spellings("flags", flag), flags[command]), (command, flag)


def test_states_ranks_and_links_are_read_from_the_graph(tmp_path: Path) -> None:
    (tmp_path / "graph.graphml").write_text(GRAPH)
    aliases = Aliases({"graph": {"url": ["address"]}, "states": {"kept": ["stored"]}}, {})
    graph = read_graph(tmp_path / "graph.graphml", aliases)
    assert graph.states == {"http://a/": "kept", "http://b/": "missing"}
    assert graph.kept == ["http://a/"]
    assert graph.ranks == {"http://a/": 2.0, "http://b/": 0.0}
    assert graph.links == {"http://a/ → http://b/": [("b", "true"), ("see b", "false")]}


def test_a_body_has_one_digest_however_it_is_stored(tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    packed = head + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"hello")
    records = record("response", "http://a/", packed) + record("warcinfo", "", b"software: x")
    with gzip.open(tmp_path / "1.warc.gz", "wb") as file:
        file.write(records + record("revisit", "http://b/", head + b"\r\n"))
    (tmp_path / "2.warc").write_bytes(record("response", "http://c/", head + b"\r\nhello"))
    (tmp_path / "graph").write_text("<graphml/>")
    pages = read_pages(tmp_path, read_graph(tmp_path / "graph", NOTHING))
    assert sorted(pages) == ["http://a/", "http://b/", "http://c/"]
    assert pages["http://a/"] == pages["http://b/"] == pages["http://c/"]
    assert pages["http://a/"]["status"] == 200


def test_an_answer_has_its_hits_scores_and_signals() -> None:
    aliases = Aliases({"search": {"instead": ["did_you_mean"]}, "signals": {"url": ["path"]}}, {})
    signals = [{"name": "path", "score": 0.5, "says": "…"}]
    hit = {"url": "http://a/", "score": 2.0, "title": "A", "snippet": "a", "signals": signals}
    answer = answer_of({"total": 1, "took": 0.1, "did_you_mean": "b", "hits": [hit]}, aliases)
    assert answer == {
        "total": 1,
        "instead": "b",
        "near": None,
        "hits": [hit | {"signals": {"url": 0.5}}],
    }


def test_equal_scores_have_no_order() -> None:
    hits = [{"url": url, "score": score} for url, score in (("c", 2.0), ("b", 1.0), ("a", 1.0))]
    assert [hit["url"] for hit in settle_ties(hits)] == ["c", "a", "b"]


def test_words_are_told_field_by_field() -> None:
    words = [{"word": "red", "fields": {"title": [0], "body": [1]}}]
    assert words_by_field(None) == {}
    assert [*words_by_field({"words": words})] == ["body", "title"]
    moved = [{"word": "red", "fields": {"title": [0], "body": [2]}}]
    old, new = words_by_field({"words": words}), words_by_field({"words": moved})
    assert old["title"] == new["title"]
    assert old["body"] != new["body"]


def test_queries_are_the_same_for_the_same_seed() -> None:
    text = "one two three four five sixteen seventeen eighteen nineteen twenty"
    pages = {f"http://a/{n}": {"page": {"title": f"Page {n}", "text": text}} for n in range(9)}
    documents = {**pages, "http://a/gone": {"page": None}}
    queries = draw_queries(documents, 30)
    assert len(set(queries)) == 30
    assert draw_queries(documents, 30) == queries
    assert draw_queries(documents, 30, seed=1) != queries
    assert draw_sample([*pages], 3) == draw_sample([*reversed(pages)], 3)


def test_numbers_that_are_nearly_equal_are_equal() -> None:
    assert differences({"a": 1.0, "b": 0}, {"a": 1.000001, "b": 1e-9}) == []
    assert [one.key for one in differences({"a": 1.0}, {"a": 1.001})] == ["a"]


def test_a_difference_names_its_place() -> None:
    old = {"q": {"hits": [{"url": "a", "score": 2.0}]}, "gone": 1}
    new = {"q": {"hits": [{"url": "a", "score": 3.0}]}}
    assert [one.shown() for one in differences(old, new)] == [
        "gone: 1 → nothing",
        "q hits[0].score: 2.0 → 3.0",
    ]
    assert count_places(differences(old, new)) == {"": 1, "hits[].score": 1}


def test_what_the_old_commit_does_not_agree_on_is_noise(tmp_path: Path) -> None:
    results(tmp_path / "old-1", hits={"a": 1, "b": 2})
    results(tmp_path / "old-2", hits={"a": 1, "b": 3})
    results(tmp_path / "new", hits={"a": 1, "b": 4})
    verdicts = judge(tmp_path)
    assert [one.category for one in verdicts] == [*CATEGORIES]
    assert all(one.passed for one in verdicts)
    assert len(verdicts[-1].noise) == len(verdicts[-1].change) == 1


def test_more_than_noise_is_a_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for run in ("old-1", "old-2"):
        results(tmp_path / run)
    results(tmp_path / "new", documents={"a": 1, "b": {"title": "C"}})
    verdicts = judge(tmp_path)
    assert [one.category for one in verdicts if not one.passed] == ["documents"]
    side = Checkout("6649c51", tmp_path, tmp_path)
    print_verdicts(verdicts, side, side)
    printed = capsys.readouterr().out
    assert '\ndocuments: title (1)\n  b title: "B" → "C"\n' in printed
    assert printed.endswith("the new commit differs\n")
