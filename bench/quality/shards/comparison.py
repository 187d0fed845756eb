"""Compares the results of two indexes of the same pages."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from byway.app.verticals.vertical_folders import load_verticals
from byway.core.model import Document, Query, UrlId
from byway.core.model.document import pack
from byway.core.ports import DocumentStore
from byway.core.settings.schema import IndexSettings, SearchSettings
from byway.index.shard_map import ShardMap
from byway.index.sharded_index import ShardedIndex
from byway.search.rank.position_features import position_features
from byway.search.searcher import Searcher
from byway.search.suggest.autocomplete import suggestions
from byway.storage.memory.documents import MemoryDocumentStore
from byway.storage.memory.storage import MemoryRankStore

SETTINGS = IndexSettings(writer_memory_mb=30, max_dictionary_words=1_000_000)
BATCH_PAGES = 1000
MAX_SUGGESTIONS = 10

Answer = dict[str, object]


def store_documents(documents: Sequence[Document]) -> MemoryDocumentStore:
    """A document store with these documents."""
    store = MemoryDocumentStore()
    store.put((number, one.id, pack(one)) for number, one in enumerate(documents, 1))
    return store


def build_index(
    folder: Path,
    shard_map: ShardMap,
    batches: Iterable[tuple[Sequence[Document], Sequence[UrlId]]],
) -> None:
    """An index of batches of documents, each with the pages that are removed with it."""
    with closing(ShardedIndex(folder, SETTINGS, position_features, shard_map)) as index:
        for sequence, (documents, removed) in enumerate(batches, 1):
            index.remove(removed)
            index.add(documents)
            index.commit(sequence)


def batches_of(documents: Sequence[Document]) -> Iterator[tuple[Sequence[Document], list[UrlId]]]:
    """The documents in batches, without removals."""
    for start in range(0, len(documents), BATCH_PAGES):
        yield documents[start : start + BATCH_PAGES], []


@contextmanager
def open_searcher(
    folder: Path, documents: DocumentStore
) -> Iterator[tuple[Searcher, ShardedIndex]]:
    """A searcher on an index."""
    with closing(ShardedIndex(folder, SETTINGS, position_features)) as index:
        yield (
            Searcher(
                SearchSettings(),
                index.ports,
                documents,
                MemoryRankStore(),
                verticals=load_verticals(),
            ),
            index,
        )


def answer(searcher: Searcher, index: ShardedIndex, query: Query) -> Answer:
    """All that a user sees of the results, and suggestions for the last word."""
    results = searcher.search(query)
    return {
        "hits": [(hit.url, hit.score, str(hit.snippet)) for hit in results.hits],
        "total": results.total,
        "facets": results.facets,
        "did_you_mean": results.did_you_mean,
        "related": results.related_searches,
        "suggestions": suggestions(index.ports, query.text[:6], MAX_SUGGESTIONS),
    }


def answers(searcher: Searcher, index: ShardedIndex, queries: Iterable[Query]) -> list[Answer]:
    """The answers to all queries."""
    return [answer(searcher, index, query) for query in queries]


def differences(expected: Sequence[Answer], found: Sequence[Answer]) -> dict[int, list[str]]:
    """The parts in which answers differ, by the number of the query."""
    parts = {
        number: [part for part in one if one[part] != other[part]]
        for number, (one, other) in enumerate(zip(expected, found, strict=True))
    }
    return {number: names for number, names in parts.items() if names}
