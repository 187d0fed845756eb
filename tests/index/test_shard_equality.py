"""Any number of shards, fresh or updated, gives the same results as one fresh shard."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from vectors import vector_path

from bench.quality.shards.__main__ import final_documents, index_answers, variants
from bench.quality.shards.comparison import Answer, batches_of, build_index, differences
from bench.quality.shards.queries import make_queries
from byway.core.model import Document, Query, UrlId
from byway.core.model.candidates import CollectionStatistics
from byway.core.url import normalize
from byway.index.shard_map import SLOTS, ShardMap, automatic_shards, slot_of
from byway.index.sharded_index import ShardedIndex

SETS = {"xquad-en": "en", "xquad-de": "de", "xquad-ru": "ru", "danetqa-ru": "ru"}
MIN_PAGES = 2000
QUERIES_PER_KIND = 12


def _read(name: str, language: str) -> Iterator[Document]:
    path = vector_path(f"relevance/{name}/docs.jsonl")
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        yield Document(
            normalize(f"http://{name}-{number % 7}.example/{number}"),
            UrlId(0),
            row.get("title") or " ".join(row["text"].split()[:5]),
            row["text"],
            language=language,
            published=f"20{10 + number % 9}-03-0{1 + number % 9}",
        )


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    """Articles in three languages."""
    read = [one for name, language in SETS.items() for one in _read(name, language)]
    assert len(read) >= MIN_PAGES
    return [replace(one, id=UrlId(id)) for id, one in enumerate(read, 1)]


@pytest.fixture(scope="module")
def queries(kept: Sequence[Document]) -> list[Query]:
    return make_queries(kept, QUERIES_PER_KIND, seed=3)


@pytest.fixture(scope="module")
def kept(documents: Sequence[Document]) -> list[Document]:
    return [*final_documents(documents)]


@pytest.fixture(scope="module")
def expected(
    kept: Sequence[Document], queries: Sequence[Query], tmp_path_factory: pytest.TempPathFactory
) -> list[Answer]:
    """The answers of one fresh shard."""
    folder = tmp_path_factory.mktemp("one")
    return index_answers(folder, ShardMap.even(1), [*batches_of(kept)], kept, queries)


@pytest.mark.parametrize("name", ["3 shards", "5 shards, random map", "3 shards, updated"])
def test_results_do_not_depend_on_shards_or_history(
    name: str,
    documents: Sequence[Document],
    kept: Sequence[Document],
    queries: Sequence[Query],
    expected: Sequence[Answer],
    tmp_path: Path,
) -> None:
    maps = {each: (shard_map, batches) for each, shard_map, batches in variants(documents, kept)}
    found = index_answers(tmp_path, *maps[name], kept, queries)
    assert sum(bool(one["hits"]) for one in found) >= 0.9 * len(queries)
    assert differences(expected, found) == {}


def test_results_differ_with_the_statistics_of_one_shard(
    kept: Sequence[Document],
    queries: Sequence[Query],
    expected: Sequence[Answer],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def own_statistics(index: ShardedIndex, terms: Sequence[str] = ()) -> CollectionStatistics:
        return index.shards[0].statistics(terms)

    build_index(tmp_path, ShardMap.even(3), [*batches_of(kept)])
    monkeypatch.setattr(ShardedIndex, "statistics", own_statistics)
    found = index_answers(tmp_path, ShardMap.even(3), [], kept, queries)
    assert len(differences(expected, found)) > len(queries) / 10


def test_pages_of_one_host_are_spread_over_all_shards() -> None:
    urls = [normalize(f"http://a.org/{number}") for number in range(4000)]
    shard_map = ShardMap.even(4)
    counts = [sum(shard_map.shard_of(url) == shard for url in urls) for shard in range(4)]
    assert min(counts) > 900
    assert {slot_of(url) for url in urls} <= set(range(SLOTS))


def test_splitting_a_shard_leaves_the_other_slots_alone() -> None:
    two, four = ShardMap.even(2), ShardMap.even(4)
    assert all(
        one == other // 2 for one, other in zip(two.shard_by_slot, four.shard_by_slot, strict=True)
    )


@pytest.mark.parametrize(
    ("pages", "cores", "shards"), [(0, 8, 1), (39_999, 8, 1), (40_000, 8, 2), (10**6, 4, 4)]
)
def test_the_number_of_shards_follows_pages_and_cores(pages: int, cores: int, shards: int) -> None:
    assert automatic_shards(pages, cores) == shards


def test_each_shard_is_an_index_of_its_own(kept: Sequence[Document], tmp_path: Path) -> None:
    build_index(tmp_path, ShardMap.even(3), [*batches_of(kept[:300])])
    with_pages = [tmp_path / f"shard-{number}" for number in range(3)]
    assert all((folder / "tantivy").is_dir() for folder in with_pages)
