"""Parallel indexer: divides new documents among shard writers, and merges what they report."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from byway.core.model import Url, UrlId
from byway.core.ports import AnchorStore, DocumentStore
from byway.index.indexer import read_anchors
from byway.index.shard_writer import ShardBatch, ShardBatchResult
from byway.index.sharded_index import ShardedIndex

MAX_BATCHES_IN_FLIGHT = 2
"""Shards index one batch while the results of the previous one are stored."""

FindUrls = Callable[[Sequence[UrlId]], Mapping[UrlId, Url]]


class ShardWriters(Protocol):
    """The writers of all shards, each in a process of its own."""

    def send(self, batches: Sequence[ShardBatch]) -> None:
        """Send each shard its batch."""

    def receive(self) -> list[ShardBatchResult]:
        """The results of the oldest batches that were sent."""


def index_new_in_parallel(
    documents: DocumentStore,
    index: ShardedIndex,
    anchors: AnchorStore,
    writers: ShardWriters,
    find_urls: FindUrls,
    batch_size: int,
) -> Iterator[int]:
    """Index documents stored since the last commit; yields the total after each batch.

    A batch that was interrupted by a crash is indexed again and replaces the partial one.
    """
    sent: deque[tuple[int, list[UrlId]]] = deque()
    sequence = index.committed_sequence()
    read_anchors(documents, anchors, sequence)
    index.prepare_to_write()
    document_count = 0

    def finish_oldest() -> int:
        last, removed = sent.popleft()
        results = writers.receive()
        for result in results:  # before the commit: after a crash here, the batch is repeated
            anchors.mark_indexed(result.anchors_hashes)
        index.finish_commit(
            [result.changes for result in results],
            last,
            index.statistics().page_count,
            (one for result in results for one in result.suggestions),
            removed,
        )
        return sum(result.changes.documents for result in results)

    while rows := documents.changed_ids_since(sequence, batch_size * len(index.shards)):
        sequence = rows[-1][0]
        removed = [id for _, id, is_deleted in rows if is_deleted]
        added: list[list[UrlId]] = [[] for _ in index.shards]
        urls = find_urls([id for _, id, is_deleted in rows if not is_deleted])
        for id, url in urls.items():
            added[index.shard_of(url)].append(id)
        writers.send([ShardBatch(sequence, ids, removed) for ids in added])
        sent.append((sequence, removed))
        if len(sent) >= MAX_BATCHES_IN_FLIGHT:
            document_count += finish_oldest()
            yield document_count
    while sent:
        document_count += finish_oldest()
        yield document_count
