"""Indexer: adds new and changed documents to the index, batch by batch."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from byway.core.model import ExtractionResult, Page, UnreadablePage, UrlId

if TYPE_CHECKING:  # the ports import numpy, which a crawl does not need
    from byway.core.ports import AnchorStore, DocumentStore, Frontier, PageStore, SearchIndex

ExtractPage = Callable[[Page], Awaitable[ExtractionResult]]
ReportLost = Callable[[Sequence[UnreadablePage]], object]

PAGES_PER_BATCH = 100
"""Pages extracted at once when documents are rebuilt."""
SOURCES_PER_BATCH = 1000
"""Pages whose outgoing links are read in one transaction."""


@dataclass(frozen=True, slots=True)
class LostPageRecorder:
    """Queues unreadable pages for refetching and counts them."""

    frontier: "Frontier"
    counts_by_file: Counter[str] = field(default_factory=Counter)
    """The number of unreadable pages in each WARC file."""

    def __call__(self, lost: Sequence[UnreadablePage]) -> None:
        self.frontier.requeue_unreadable(lost)
        self.counts_by_file.update(page.file for page in lost)


async def extract_missing_documents(
    pages: "PageStore", documents: "DocumentStore", extract: ExtractPage, report_lost: ReportLost
) -> int:
    """Extract the stored pages whose documents are missing; return their number.

    Unreadable pages are passed to `report_lost` before they count as done.
    """
    page_count = 0
    # Closed even on errors: an open cursor keeps the writer from truncating its log.
    with closing(pages.changes_since(documents.last_sequence())) as versions:
        while batch := list(islice(versions, PAGES_PER_BATCH)):
            if lost := [page for _, _, page in batch if isinstance(page, UnreadablePage)]:
                report_lost(lost)
            packed = await asyncio.gather(
                *(_extract_document(page, extract) for _, _, page in batch)
            )
            documents.put(
                (sequence, id, document)
                for (sequence, id, _), document in zip(batch, packed, strict=True)
            )
            page_count += len(batch)
    return page_count


async def _extract_document(page: Page | UnreadablePage | None, extract: ExtractPage) -> bytes:
    return (await extract(page)).indexable_document if isinstance(page, Page) else b""


def index_new(
    documents: "DocumentStore",
    index: "SearchIndex",
    batch_size: int,
    anchors: "AnchorStore | None" = None,
) -> Iterator[int]:
    """Index documents stored since the last commit; yields the total after each batch.

    A batch that was interrupted by a crash is indexed again and replaces the partial one.
    """
    document_count = 0
    anchors_sequence = index.committed_sequence()
    while rows := documents.changes_since(index.committed_sequence(), batch_size):
        removed = [id for _, id, document in rows if document is None]
        added = [document for _, _, document in rows if document is not None]
        ids = [UrlId(document.id) for document in added]
        if anchors is not None and rows[-1][0] > anchors_sequence:
            anchors_sequence = read_anchors(documents, anchors, anchors_sequence)
        page_links = anchors.anchors_for(ids) if anchors is not None else {}
        index.remove(removed)
        index.add(added, page_links)
        if anchors is not None:  # before the commit: after a crash here, the batch is repeated
            anchors.mark_indexed({id: links.anchors_hash for id, links in page_links.items()})
        index.commit(rows[-1][0])
        document_count += len(added)
        yield document_count


def read_anchors(documents: "DocumentStore", anchors: "AnchorStore", sequence: int) -> int:
    """Read the outgoing links of all new documents before any of them is indexed.

    Otherwise a page would be indexed again for each batch with new links to it: a third of all
    pages was indexed twice. Returns the last sequence number.
    """
    while rows := documents.changed_ids_since(sequence, SOURCES_PER_BATCH):
        sequence = rows[-1][0]
        sources = [id for _, id, is_deleted in rows if not is_deleted]
        anchors.update_sources(sequence, sources, [id for _, id, deleted in rows if deleted])
    return sequence


def reindex_changed(
    documents: "DocumentStore",
    index: "SearchIndex",
    batch_size: int,
    anchors: "AnchorStore",
    should_stop: Callable[[], bool] = lambda: False,
) -> int:
    """Reindex pages whose anchor texts have changed; return their number.

    Anchor texts are marked as indexed after the commit, so a crash repeats a batch. Stops between
    batches when `should_stop` returns true.
    """
    document_count = 0
    anchors.commit_changes()
    while not should_stop() and (ids := anchors.pages_with_changed_anchors(batch_size)):
        documents_by_id = {id: documents.get(id) for id in ids}
        page_links = anchors.anchors_for(ids)
        index.remove(id for id, document in documents_by_id.items() if document is None)
        index.add(
            [document for document in documents_by_id.values() if document is not None], page_links
        )
        index.commit(index.committed_sequence())
        anchors.mark_indexed({id: links.anchors_hash for id, links in page_links.items()})
        document_count += len(ids)
    return document_count
