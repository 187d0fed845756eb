"""Documents into the index: what is new since the last time, part by part."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from byway.core.model import Extracted, Lost, Page, UrlId

if TYPE_CHECKING:  # for numpy, which ports speak of and a crawl that catches up does not need
    from byway.core.ports import AnchorStore, DocumentStore, Frontier, PageStore, SearchIndex

Read = Callable[[Page], Awaitable[Extracted]]
Lose = Callable[[Sequence[Lost]], object]

BATCH = 100
"""Pages that are read at once when documents are made anew."""


@dataclass(frozen=True, slots=True)
class Losing:
    """Queues pages that cannot be read, and counts them."""

    frontier: "Frontier"
    files: Counter[str] = field(default_factory=Counter)
    """How many there were, by the file they were in."""

    def __call__(self, lost: Sequence[Lost]) -> None:
        self.frontier.queue_lost(lost)
        self.files.update(one.file for one in lost)


async def catch_up(pages: "PageStore", documents: "DocumentStore", read: Read, lose: Lose) -> int:
    """Read again the pages whose documents are missing; return how many there were.

    `lose` is told of pages that cannot be read, before they count as done.
    """
    done = 0
    # Closed, whatever happens: as long as pages are looked at, who writes them cannot tidy up.
    with closing(pages.after(documents.last())) as versions:
        while batch := list(islice(versions, BATCH)):
            if lost := [page for _, _, page in batch if isinstance(page, Lost)]:
                lose(lost)
            packed = await asyncio.gather(*(_document(page, read) for _, _, page in batch))
            documents.put(
                (sequence, id, document)
                for (sequence, id, _), document in zip(batch, packed, strict=True)
            )
            done += len(batch)
    return done


async def _document(page: Page | Lost | None, read: Read) -> bytes:
    return findable(await read(page)) if isinstance(page, Page) else b""


def findable(extracted: Extracted) -> bytes:
    """The document to index, packed; nothing when the page asks not to be found."""
    return extracted.packed if extracted.keep else b""


def index_new(
    documents: "DocumentStore",
    index: "SearchIndex",
    batch: int,
    anchors: "AnchorStore | None" = None,
) -> Iterator[int]:
    """Make findable what was put since the last commit; yields how many are so after each batch.

    A batch that a crash interrupts is simply added again: adding replaces.
    """
    done = 0
    while rows := documents.after(index.last(), batch):
        gone = [id for _, id, document in rows if document is None]
        kept = [document for _, _, document in rows if document is not None]
        ids = [UrlId(document.id) for document in kept]
        if anchors is not None:
            anchors.learn(rows[-1][0], ids, gone)
        linked = anchors.of(ids) if anchors is not None else {}
        index.remove(gone)
        index.add(kept, linked)
        if anchors is not None:  # first: who is interrupted here takes all of them in again
            anchors.indexed(linked)
        index.commit(rows[-1][0])
        done += len(kept)
        yield done


def index_renamed(
    documents: "DocumentStore",
    index: "SearchIndex",
    batch: int,
    anchors: "AnchorStore",
    wait: Callable[[], bool] = lambda: False,
) -> int:
    """Index pages again that links call otherwise, or that are outdated; return how many.

    What they are called counts as indexed only when it is: who is interrupted does it again.
    `wait`: has something else to be done first? Then the rest is left for another time.
    """
    done = 0
    anchors.pass_on()
    while not wait() and (ids := anchors.renamed(batch) or index.outdated(batch)):
        found = {id: documents.get(id) for id in ids}
        linked = anchors.of(ids)
        index.remove(id for id, one in found.items() if one is None)
        index.add([one for one in found.values() if one is not None], linked)
        index.commit(index.last())
        anchors.indexed(linked)
        done += len(ids)
    return done
