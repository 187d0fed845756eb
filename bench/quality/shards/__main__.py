"""Equality of results: 1, 2, 3 and 8 shards, fresh and after updates, on real pages.

python -m bench.quality.shards [--pages N] [--per-kind N] [--corpus FOLDER]
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bench.quality.shards.comparison import (
    Answer,
    answers,
    batches_of,
    build_index,
    differences,
    open_searcher,
    store_documents,
)
from bench.quality.shards.queries import make_queries
from bench.quality.shards.village_pages import product_queries, village_documents
from bench.speed.search.pages import collect_pages, read_documents
from byway.core.model import Document, Query, UrlId
from byway.index.shard_map import SLOTS, ShardMap

SEED = 7
CHANGED_SHARE = 0.1
MIN_SHARE_WITH_HITS = 0.9

Batches = list[tuple[Sequence[Document], list[UrlId]]]


def main() -> None:
    """Build, compare, print, and fail if an answer differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--per-kind", type=int, default=60)
    parser.add_argument("--corpus", type=Path, default=Path(tempfile.gettempdir()) / "byway-corpus")
    args = parser.parse_args()
    documents = [*read_documents(collect_pages(args.corpus, args.pages), args.pages)]
    queries = make_queries([*final_documents(documents)], args.per_kind, SEED)
    documents += village_documents(1 + max(document.id for document in documents))
    queries += product_queries()
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(1 if compare_shards(Path(folder), documents, queries) else 0)


def compare_shards(folder: Path, documents: Sequence[Document], queries: Sequence[Query]) -> int:
    """The number of answers that differ from those of one fresh shard."""
    failed = 0
    kept = [*final_documents(documents)]
    expected = index_answers(folder / "one", ShardMap.even(1), [*batches_of(kept)], kept, queries)
    with_hits = sum(bool(one["hits"]) for one in expected) / len(expected)
    print(f"{len(kept):,} pages, {len(queries):,} queries, {with_hits:.1%} of them with hits")
    assert with_hits >= MIN_SHARE_WITH_HITS
    for name, shard_map, batches in variants(documents, kept):
        found = index_answers(folder / name, shard_map, batches, kept, queries)
        different = differences(expected, found)
        failed += len(different)
        parts = Counter(part for parts in different.values() for part in parts)
        print(
            f"{name:24} {len(queries) - len(different):,} equal, {len(different)} not", dict(parts)
        )
        for number in [*different][:3]:
            print("   ", queries[number].text, different[number])
    return failed


def variants(
    documents: Sequence[Document], kept: Sequence[Document]
) -> Iterator[tuple[str, ShardMap, Batches]]:
    """Names, shard maps and histories of the indexes that are compared."""
    generator = random.Random(SEED)
    grown = [*grown_batches(documents, kept)]
    for shards in (2, 3, 8):
        yield f"{shards} shards", ShardMap.even(shards), [*batches_of(kept)]
    slots = tuple(generator.randrange(5) for _ in range(SLOTS))
    yield "5 shards, random map", ShardMap(slots), [*batches_of(kept)]
    for shards in (1, 3):
        yield f"{shards} shards, updated", ShardMap.even(shards), grown


def final_documents(documents: Sequence[Document]) -> Iterator[Document]:
    """The documents that are left after the updates: a tenth changed, a tenth removed."""
    for number, document in enumerate(documents):
        if number % 10 == 3:
            yield replace(document, text=f"{document.text[: len(document.text) // 2]} updated")
        elif number % 10 != 7:
            yield document


def grown_batches(
    documents: Sequence[Document], kept: Sequence[Document]
) -> Iterator[tuple[Sequence[Document], list[UrlId]]]:
    """The original documents, then the updates and removals."""
    yield from batches_of(documents)
    ids = {document.id for document in kept}
    removed = [document.id for document in documents if document.id not in ids]
    original = {document.id: document for document in documents}
    changed = [document for document in kept if document != original[document.id]]
    yield changed[::2], removed[::2]
    yield changed[1::2], removed[1::2]


def index_answers(
    folder: Path,
    shard_map: ShardMap,
    batches: Batches,
    kept: Sequence[Document],
    queries: Sequence[Query],
) -> list[Answer]:
    """The answers of an index that is built of these batches."""
    build_index(folder, shard_map, batches)
    with open_searcher(folder, store_documents(kept)) as (searcher, index):
        return answers(searcher, index, queries)


if __name__ == "__main__":
    main()
