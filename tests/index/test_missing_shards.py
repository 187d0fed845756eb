"""A shard that cannot be read: the others answer and say so, and nothing is written."""

import logging
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from byway.core.errors import DataError
from byway.core.model import Document, UrlId
from byway.core.model.query import ParsedQuery, TermAnalysis, TermClause
from byway.core.ports import find_candidates
from byway.core.settings.schema import IndexSettings
from byway.core.url import normalize
from byway.index import sharded_index
from byway.index.shard_map import SHARD_MAP_FILE
from byway.index.sharded_index import ShardedIndex
from byway.search.rank.position_features import position_features

CURE = "`byway index --rebuild`"
PAGES = 60
RED = ParsedQuery((TermClause("red", (TermAnalysis(("red",)),)),))
THREE = IndexSettings(shards=3)
Damage = Callable[[Path], object]


def open_index(folder: Path) -> ShardedIndex:
    return ShardedIndex(folder, THREE, position_features)


def document(number: int) -> Document:
    url = normalize(f"http://a.org/{number}")
    return Document(url, UrlId(number), title=f"Page {number}", text="Red shoes. " * number)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of an index of three shards."""
    with closing(open_index(tmp_path)) as index:
        index.add(document(number) for number in range(1, PAGES + 1))
        index.commit(PAGES)
    return tmp_path


def truncate(pattern: str) -> Damage:
    def damage(shard: Path) -> None:
        path = next(shard.glob(pattern))
        path.write_bytes(path.read_bytes()[:-9])

    return damage


def flip(pattern: str) -> Damage:
    def damage(shard: Path) -> None:
        path = next(shard.glob(pattern))
        path.write_bytes(bytes([path.read_bytes()[0] ^ 0x55]) + path.read_bytes()[1:])

    return damage


def overwrite(pattern: str) -> Damage:
    return lambda shard: next(shard.glob(pattern)).write_bytes(b"garbage")


def delete(pattern: str) -> Damage:
    return lambda shard: next(shard.glob(pattern)).unlink()


DAMAGES: dict[str, Damage] = {
    "no folder": shutil.rmtree,
    "no commit": delete("state.json"),
    "commit marker": overwrite("state.json"),
    "truncated postings": truncate("tantivy/*.idx"),
    "segment list": overwrite("tantivy/meta.json"),
    "no frequencies": delete("frequencies-*.npy"),
    "frequencies": overwrite("frequencies-*.npy"),
    "forward index": flip("forward.terms"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_the_other_shards_answer(folder: Path, name: str) -> None:
    with closing(open_index(folder)) as index:
        pages = [shard.pages for shard in index.statistics().shards]
        whole = find_candidates(index, RED, PAGES)
    DAMAGES[name](folder / "shard-1")
    with closing(open_index(folder)) as index:
        index.statistics()  # a search begins with them
        found = find_candidates(index, RED, PAGES)
        statistics = index.statistics(["red"])
        facets = index.facets(RED)
        readable = [id for id in whole.ids.tolist() if id in found.ids.tolist()]
        assert found.ids.tolist() == readable  # in the same order
        assert len(found.ids) == len(found.features.term_counts) == pages[0] + pages[2]
        assert [shard.is_readable for shard in statistics.shards] == [True, False, True]
        assert (statistics.missing_shards, statistics.page_count) == (1, pages[0] + pages[2])
        assert statistics.document_frequencies == {"red": pages[0] + pages[2]}
        assert sum(facets["site"].values()) == pages[0] + pages[2]


@pytest.mark.parametrize("name", ["no folder", "no commit", "truncated postings"])
def test_nothing_is_written_to_the_other_shards(folder: Path, name: str) -> None:
    DAMAGES[name](folder / "shard-1")
    with closing(open_index(folder)) as index:
        with pytest.raises(DataError, match=CURE):
            index.add([document(PAGES + 1)])
        with pytest.raises(DataError, match=CURE):
            index.remove([UrlId(1)])
        with pytest.raises(DataError, match=CURE):
            index.commit(PAGES + 1)
    with closing(open_index(folder)) as index:
        assert index.committed_sequence() == PAGES
        assert index.statistics().missing_shards == 1


@pytest.mark.parametrize("name", ["no folder", "truncated postings", "segment list"])
def test_an_index_without_any_readable_shard_is_an_error(folder: Path, name: str) -> None:
    for number in range(3):
        DAMAGES[name](folder / f"shard-{number}")
    with closing(open_index(folder)) as index:
        for read in (index.statistics, lambda: index.matches(RED, 1), lambda: index.facets(RED)):
            with pytest.raises(DataError, match=CURE):
                read()


def test_the_only_shard_must_be_readable(tmp_path: Path) -> None:
    with closing(ShardedIndex(tmp_path, IndexSettings(), position_features)) as index:
        index.add([document(1)])
        index.commit(1)
    shutil.rmtree(tmp_path / "shard-0")
    with (
        closing(ShardedIndex(tmp_path, IndexSettings(), position_features)) as index,
        pytest.raises(DataError, match=f"shard-0 is missing.*{CURE}"),
    ):
        index.statistics()


def test_an_index_without_its_map_is_an_error(folder: Path) -> None:
    (folder / SHARD_MAP_FILE).unlink()
    with pytest.raises(DataError, match=CURE):
        open_index(folder)


def test_a_failure_is_logged_once(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    overwrite("tantivy/meta.json")(folder / "shard-2")
    with caplog.at_level(logging.WARNING), closing(open_index(folder)) as index:
        for _ in range(3):
            index.statistics()
            index.matches(RED, 1)
    (record,) = caplog.records
    assert "number=2 shards=3" in record.message and CURE in record.message


def test_a_shard_that_is_restored_answers_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharded_index, "RETRY_INTERVAL_SECONDS", 0.0)
    (folder / "shard-0").rename(folder / "elsewhere")
    with closing(open_index(folder)) as index:
        assert index.statistics().missing_shards == 1
        (folder / "elsewhere").rename(folder / "shard-0")
        assert index.statistics().missing_shards == 0
        assert index.matches(RED, 1).total == PAGES


def test_an_open_shard_answers_after_its_files_are_deleted(folder: Path) -> None:
    with closing(open_index(folder)) as index:
        index.open_for_search()
        total = index.matches(RED, 1).total
        index.statistics()
        shutil.rmtree(folder)
        assert (index.matches(RED, 1).total, index.statistics().missing_shards) == (total, 0)
