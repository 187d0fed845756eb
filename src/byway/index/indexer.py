"""Documents into the index: what is new since the last time, part by part."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from byway.core.model import ExtractionResult, Page, UnreadablePage, UrlId

if TYPE_CHECKING:  # for numpy, which ports speak of and a crawl that catches up does not need
    from byway.core.ports import AnchorStore, DocumentStore, Frontier, PageStore, SearchIndex

ExtractPage = Callable[[Page], Awaitable[ExtractionResult]]
ReportLost = Callable[[Sequence[UnreadablePage]], object]

PAGES_PER_BATCH = 100
"""Pages that are read at once when documents are made anew."""


@dataclass(frozen=True, slots=True)
class LostPageRecorder:
    """Queues pages that cannot be read, and counts them."""

    frontier: "Frontier"
    counts_by_file: Counter[str] = field(default_factory=Counter)
    """How many there were, by the file they were in."""

    def __call__(self, lost: Sequence[UnreadablePage]) -> None:
        self.frontier.requeue_unreadable(lost)
        self.counts_by_file.update(one.file for one in lost)


async def extract_missing_documents(
    pages: "PageStore", documents: "DocumentStore", extract: ExtractPage, report_lost: ReportLost
) -> int:
    """Read again the pages whose documents are missing; return how many there were.

    `report_lost` is told of pages that cannot be read, before they count as done.
    """
    done = 0
    # Closed, whatever happens: as long as pages are looked at, who writes them cannot tidy up.
    with closing(pages.changes_since(documents.last_sequence())) as versions:
        while batch := list(islice(versions, PAGES_PER_BATCH)):
            if lost := [page for _, _, page in batch if isinstance(page, UnreadablePage)]:
                report_lost(lost)
            packed = await asyncio.gather(*(_document(page, extract) for _, _, page in batch))
            documents.put(
                (sequence, id, document)
                for (sequence, id, _), document in zip(batch, packed, strict=True)
            )
            done += len(batch)
    return done


async def _document(page: Page | UnreadablePage | None, read: ExtractPage) -> bytes:
    return (await read(page)).indexable_document if isinstance(page, Page) else b""


def index_new(
    documents: "DocumentStore",
    index: "SearchIndex",
    batch_size: int,
    anchors: "AnchorStore | None" = None,
) -> Iterator[int]:
    """Make findable what was put since the last commit; yields how many are so after each batch.

    A batch that a crash interrupts is simply added again: adding replaces.
    """
    done = 0
    while rows := documents.changes_since(index.committed_sequence(), batch_size):
        gone = [id for _, id, document in rows if document is None]
        kept = [document for _, _, document in rows if document is not None]
        ids = [UrlId(document.id) for document in kept]
        if anchors is not None:
            anchors.update_sources(rows[-1][0], ids, gone)
        linked = anchors.anchors_for(ids) if anchors is not None else {}
        index.remove(gone)
        index.add(kept, linked)
        if anchors is not None:  # first: who is interrupted here takes all of them in again
            anchors.mark_indexed(linked)
        index.commit(rows[-1][0])
        done += len(kept)
        yield done


def reindex_changed(
    documents: "DocumentStore",
    index: "SearchIndex",
    batch_size: int,
    anchors: "AnchorStore",
    should_stop: Callable[[], bool] = lambda: False,
) -> int:
    """Index pages again that links call otherwise, or that are outdated; return how many.

    What they are called counts as indexed only when it is: who is interrupted does it again.
    `should_stop`: has something else to be done first? Then the rest is left for another time.
    """
    done = 0
    anchors.commit_changes()
    while not should_stop() and (
        ids := anchors.pages_with_changed_anchors(batch_size)
        or index.documents_to_reindex(batch_size)
    ):
        found = {id: documents.get(id) for id in ids}
        linked = anchors.anchors_for(ids)
        index.remove(id for id, one in found.items() if one is None)
        index.add([one for one in found.values() if one is not None], linked)
        index.commit(index.committed_sequence())
        anchors.mark_indexed(linked)
        done += len(ids)
    return done
