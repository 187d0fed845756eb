"""`byway index --shards`: the index is divided anew while searching goes on."""

import json
import shutil
import threading
from pathlib import Path

import pytest
from cli.conftest import CrawledSite
from cli.runner import byway
from pace import wait_until
from web.crawled_site import served_search
from web.fake_site import HttpBrowser

from byway.app import index as indexing
from byway.app.engine import Engine
from byway.app.mcp_tools import search_text
from byway.app.search import SearchSession
from byway.core.errors import DataError
from byway.core.model import Query, Results, RunState
from byway.core.settings.schema import IndexSettings, Settings
from byway.core.url import normalize
from byway.storage.sqlite.storage import SqliteStorage

QUERIES = ("guide", "tally book", "install", '"getting started"', "", "nothing like that")
EVERY_PAGE = "filetype:html"
SMALL_BATCHES = ("--set", "index.batch_size=1")


@pytest.fixture
def data(crawled_site: CrawledSite, tmp_path: Path) -> Path:
    """A copy of the ten pages, to be indexed anew."""
    return shutil.copytree(crawled_site.data, tmp_path / "data")


def shard_count(data: Path) -> int:
    """The number of shards that `byway status` tells, all of them in use."""
    shards = json.loads(byway("status", "--json", "--data", data).stdout)["shards"]
    assert sum(shard["pages"] for shard in shards) == 10
    assert all(shard["bytes"] > 1000 and shard["is_readable"] for shard in shards)
    return len(shards)


def reshard(data: Path, shards: int, *also: object) -> None:
    """Re-shard in this process."""
    ran = byway("index", "--shards", shards, "--data", data, *SMALL_BATCHES, *also)
    assert (ran.exit_code, ran.stderr) == (0, ""), ran
    assert ran.stdout.startswith("10 documents indexed, ")


def shown(results: Results) -> tuple[object, ...]:
    """All of the results that must not change."""
    hits = [(hit.url, hit.score, hit.snippet, hit.signals) for hit in results.hits]
    return hits, results.total, results.facets, results.did_you_mean, results.missing_shards


def answers(session: SearchSession) -> list[tuple[object, ...]]:
    return [shown(session.search(Query(text, count_facets=True))) for text in QUERIES]


def api_answer(browser: HttpBrowser) -> object:
    answer = browser.get("/api/v1/search", q="guide", facets="true").json
    del answer["took_seconds"]
    return answer


def command_answer(data: Path) -> object:
    answer = json.loads(byway("search", "guide", "--json", "--data", data).stdout)
    return answer["total"], answer["hits"]


class EagerSearcher:
    """Searches in a thread of its own, again and again, and compares the answers."""

    def __init__(self, session: SearchSession) -> None:
        self.answered = 0
        self.other_answers: list[object] = []
        self._expected = answers(session)
        self._session = session
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "EagerSearcher":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopping.set()
        self._thread.join()

    def wait_for_answers(self, count: int) -> None:
        enough = self.answered + count
        assert wait_until(lambda: self.answered >= enough)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                found: object = answers(self._session)
            except Exception as error:
                found = error
            if found != self._expected:
                self.other_answers.append(found)
            self.answered += 1


@pytest.mark.parametrize("wanted", [0, 3])
def test_searches_get_the_same_answers_while_shards_change(data: Path, wanted: int) -> None:
    """`wanted`: the setting of the searcher, which need not be that of the index."""
    engine = Engine(data, Settings(index=IndexSettings(shards=wanted)))
    assert shard_count(data) == 1
    with (
        engine.search_session() as session,
        served_search(engine) as browser,
        EagerSearcher(session) as searcher,
    ):
        by_api, by_command = api_answer(browser), command_answer(data)
        for shards in (3, 2):
            reshard(data, shards)
            assert shard_count(data) == shards
            assert len(session.status().shards) == shards
            assert (api_answer(browser), command_answer(data)) == (by_api, by_command)
            searcher.wait_for_answers(2)
    assert not searcher.other_answers


def test_the_index_that_is_being_built_is_not_searched(data: Path) -> None:
    """Not even by a searcher whose setting is the new number."""
    engine = Engine(data, Settings(index=IndexSettings(shards=3, batch_size=1)))
    totals = []
    with engine.search_session() as session:
        total = session.search(Query("guide")).total

        def search_now(progress: indexing.IndexingProgress) -> None:
            with engine.search_session() as opened_now:
                totals.append(session.search(Query("guide")).total)
                totals.append(opened_now.search(Query("guide")).total)

        assert engine.index(search_now).shards == 3
    assert len(totals) == 22 and set(totals) == {total}


def test_the_same_number_of_shards_rebuilds_nothing(data: Path) -> None:
    reshard(data, 3)
    ran = byway("index", "--shards", 3, "--data", data)
    assert (ran.exit_code, ran.stdout) == (0, "0 documents indexed, 3 shards\n")


def test_the_number_stays_without_the_option(data: Path) -> None:
    reshard(data, 2)
    ran = byway("index", "--data", data, "--set", "index.shards=0")
    assert (ran.exit_code, ran.stdout) == (0, "0 documents indexed, 2 shards\n")
    assert shard_count(data) == 2
    answer = json.loads(byway("index", "--json", "--data", data).stdout)
    assert (answer["indexed"], answer["shards"]) == (0, 2)


def test_a_rebuild_may_change_the_number(data: Path) -> None:
    ran = byway("index", "--rebuild", "--shards", 2, "--data", data)
    assert (ran.exit_code, ran.stdout) == (0, "10 documents indexed, 2 shards\n")


def test_an_interrupted_change_is_continued(data: Path) -> None:
    def interrupt(progress: indexing.IndexingProgress) -> None:
        if progress.done == 4:
            raise KeyboardInterrupt

    settings = Settings(index=IndexSettings(shards=3, batch_size=1))
    with pytest.raises(KeyboardInterrupt):
        Engine(data, settings).index(interrupt)
    assert "rebuild interrupted" in byway("status", "--data", data).stdout
    assert shard_count(data) == 1
    assert byway("index", "--data", data).stdout == "6 documents indexed, 3 shards\n"
    assert shard_count(data) == 3


def test_a_setting_that_would_undo_it_is_named(data: Path) -> None:
    (data / "byway.toml").write_text("[index]\nshards = 2\n")
    ran = byway("index", "--shards", 3, "--data", data)
    assert (ran.exit_code, ran.stdout) == (0, "10 documents indexed, 3 shards\n")
    assert "The setting index.shards is 2" in ran.stderr
    assert byway("index", "--shards", 2, "--data", data).stderr == ""


def test_shard_processes_are_shown_while_they_index(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "MIN_PARALLEL_DOCUMENTS", 1)
    states = SqliteStorage(data).process_states()
    seen: set[tuple[str, RunState]] = set()

    def look(progress: indexing.IndexingProgress) -> None:
        seen.update((one.name, one.state) for one in states.read() if progress.done)

    settings = Settings(index=IndexSettings(shards=2, batch_size=1))
    assert Engine(data, settings).index(look).documents == 10
    assert seen == {("shard-0", RunState.RUNNING), ("shard-1", RunState.RUNNING)}
    assert states.read() == ()


# A shard that cannot be read.

NOTICE = "Results are incomplete: 1 of 3 index shards cannot be read. Run `byway index --rebuild`."


@pytest.fixture(params=["deleted", "damaged"])
def incomplete(data: Path, request: pytest.FixtureRequest) -> Path:
    """The folder with three shards, of which one cannot be read."""
    reshard(data, 3)
    shard = next(path for path in data.glob("index*/shard-1"))
    if request.param == "deleted":
        shutil.rmtree(shard)
    else:
        (shard / "tantivy" / "meta.json").write_bytes(b"garbage")
    return data


def test_the_command_says_that_results_are_incomplete(incomplete: Path) -> None:
    ran = byway("search", EVERY_PAGE, "--data", incomplete)
    assert (ran.exit_code, NOTICE in ran.stdout, "about" in ran.stdout) == (0, True, True), ran
    answer = json.loads(byway("search", EVERY_PAGE, "--json", "--data", incomplete).stdout)
    assert (answer["missing_shards"], answer["total_is_estimate"]) == (1, True)
    assert answer["hits"]
    said = byway("search", EVERY_PAGE, "--data", incomplete, LANG="ru_RU.UTF-8").stdout
    assert "Результаты неполные: не читается 1 шард индекса из 3." in said


def test_the_status_names_the_shard(incomplete: Path) -> None:
    said = byway("status", "--data", incomplete).stdout
    (line,) = (line for line in said.splitlines() if "cannot be read" in line)
    assert line.split()[0] == "shard-1" and line.endswith("`byway index --rebuild`")
    shards = json.loads(byway("status", "--json", "--data", incomplete).stdout)["shards"]
    assert [shard["is_readable"] for shard in shards] == [True, False, True]


def test_the_page_and_the_api_say_that_results_are_incomplete(incomplete: Path) -> None:
    with served_search(Engine(incomplete, Settings())) as browser:
        assert "1 of 3 index shards cannot be read" in browser.get("/search", q=EVERY_PAGE).text
        nothing = browser.get("/search", q="xyzzyx")
        assert "1 of 3 index shards cannot be read" in nothing.text
        answer = browser.get("/api/v1/search", q=EVERY_PAGE).json
        assert (answer["missing_shards"], answer["total_is_estimate"]) == (1, True)
        assert 0 < answer["total"] == len(answer["hits"]) < 10
        shards = browser.get("/api/v1/status").json["shards"]
        assert [shard["is_readable"] for shard in shards] == [True, False, True]


def test_a_rebuild_is_the_cure(incomplete: Path) -> None:
    assert byway("index", "--rebuild", "--shards", 3, "--data", incomplete).exit_code == 0
    assert shard_count(incomplete) == 3
    answer = json.loads(byway("search", EVERY_PAGE, "--json", "--data", incomplete).stdout)
    assert answer["missing_shards"] == 0


def test_changes_are_refused_with_the_cure(incomplete: Path, crawled_site: CrawledSite) -> None:
    engine = Engine(incomplete, Settings())
    with pytest.raises(DataError, match="`byway index --rebuild`"):
        engine.remove([normalize(crawled_site.url())])


def test_an_agent_is_told_that_results_are_incomplete(incomplete: Path) -> None:
    with Engine(incomplete, Settings()).search_session() as session:
        told = search_text(session.search, {"query": EVERY_PAGE})
    assert f"[missing_shards] {NOTICE}" in told
