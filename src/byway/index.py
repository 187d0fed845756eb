"""Documents into the index: what is new since the last time, part by part."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from itertools import islice

from byway.model import Document, Extracted, Page
from byway.ports import DocumentStore, PageStore, SearchIndex

Read = Callable[[Page], Awaitable[Extracted]]

BATCH = 100
"""Pages that are read at once when documents are made anew."""


async def catch_up(pages: PageStore, documents: DocumentStore, read: Read) -> int:
    """Read again the pages whose documents are missing; return how many there were."""
    done = 0
    versions = pages.after(documents.last())
    while batch := list(islice(versions, BATCH)):
        extracted = await asyncio.gather(*(read(page) for _, page in batch))
        documents.put(
            (sequence, page.id, findable(one))
            for (sequence, page), one in zip(batch, extracted, strict=True)
        )
        done += len(batch)
    return done


def findable(extracted: Extracted) -> Document | None:
    """The document to index, unless the page asks not to be found."""
    return extracted.document if extracted.keep else None


def index_new(documents: DocumentStore, index: SearchIndex, batch: int) -> Iterator[int]:
    """Make findable what was put since the last commit; yields how many after each batch.

    A batch that a crash interrupts is simply added again: adding replaces.
    """
    done = 0
    while rows := documents.after(index.last(), batch):
        index.remove(id for _, id, document in rows if document is None)
        index.add(document for _, _, document in rows if document is not None)
        index.commit(rows[-1][0])
        done += len(rows)
        yield done
