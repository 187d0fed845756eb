"""Shard writer: indexes the pages of one shard by id, in the process that owns the shard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from byway.core.model import UrlId
from byway.core.ports import DocumentStore, PageLinks
from byway.index.index_shard import IndexShard, ShardChanges
from byway.index.suggest.suggestion_store import PageSuggestions, page_suggestions


class ShardBatch(NamedTuple):
    """Pages to add to a shard and to remove from it, in one commit."""

    sequence: int
    added: Sequence[UrlId]
    removed: Sequence[UrlId]


class ShardBatchResult(NamedTuple):
    """What a batch changed in the collection's other stores."""

    changes: ShardChanges
    suggestions: list[PageSuggestions]
    anchors_hashes: dict[UrlId, int]
    """Hashes of the anchor texts that the pages were indexed with."""


class AnchorSource(Protocol):
    """Anchor texts by page."""

    def anchors_for(self, ids: Sequence[UrlId]) -> Mapping[UrlId, PageLinks]:
        """The anchor texts and link targets of these pages."""


@dataclass(frozen=True, slots=True)
class ShardWriter:
    """Writes one shard from stored documents and anchor texts."""

    shard: IndexShard
    documents: DocumentStore
    anchors: AnchorSource

    def write(self, batch: ShardBatch) -> ShardBatchResult:
        """Index a batch and commit it."""
        page_links = self.anchors.anchors_for(batch.added)
        found = [document for id in batch.added if (document := self.documents.get(id))]
        self.shard.remove(batch.removed)
        self.shard.add(found, page_links)
        changes = self.shard.commit_changes(batch.sequence)
        return ShardBatchResult(
            changes,
            [page_suggestions(document, page_links[document.id]) for document in found],
            {id: links.anchors_hash for id, links in page_links.items()},
        )
