"""A data folder to ask, and never to write: what searching needs, and none of the crawler."""

import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cached_property

from byway.backends.embedded.database import open_to_read
from byway.backends.embedded.documents import SqliteDocuments, documents_to_read
from byway.backends.embedded.folder import Folder
from byway.backends.embedded.index import TantivyIndex
from byway.backends.embedded.known import (
    causes,
    counts,
    jobs,
    look_up,
    next_due,
    queues,
    rests,
    seeds,
    traps,
)
from byway.backends.embedded.pages import WarcPages
from byway.backends.embedded.ranks import ArrayRanks
from byway.model import (
    Document,
    Job,
    Page,
    Query,
    Results,
    Signal,
    State,
    Status,
    Url,
    UrlId,
    UrlRecord,
)
from byway.ports import Candidates
from byway.products.vocabulary import Vocabulary, with_own
from byway.search.searcher import Searcher
from byway.search.suggest import suggestions
from byway.settings import Settings

BATCH = 200
"""Documents read at a time, when all are asked for."""
DAY = 86_400


@contextmanager
def reading(folder: Folder, settings: Settings) -> Iterator["Reading"]:
    """Open a folder for questions."""
    folder.require()
    with (
        closing(open_to_read(folder.crawl_db)) as db,
        closing(documents_to_read(folder.documents_db)) as documents,
        closing(TantivyIndex(folder.index, settings.index)) as index,
    ):
        yield Reading(folder, settings, db, documents, index)


class Reading:
    """Questions to a data folder that another process may be writing to."""

    def __init__(
        self,
        folder: Folder,
        settings: Settings,
        db: sqlite3.Connection,
        documents: SqliteDocuments,
        index: TantivyIndex,
    ) -> None:
        self._folder = folder
        self._db = db
        self._index = index
        self._documents = documents
        self._searcher = Searcher(
            settings.search,
            index,
            documents,
            ArrayRanks(folder.rank),
            number_of=lambda url: record.id if (record := self.look_up(url)) else None,
            today=lambda: int(time.time() // DAY),
            vocabulary=lambda: self.vocabulary,
        )

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """What goods are called here."""
        return with_own(self._folder.words())

    def search(self, query: Query) -> Results:
        """The best hits for a query."""
        return self._searcher.search(query)

    def suggest(self, typed: str, most: int) -> list[str]:
        """How what somebody has begun to type might go on."""
        return suggestions(self._index, typed, most)

    def explain(self, text: str, id: UrlId) -> tuple[Signal, ...]:
        """Why a page stands where it does; nothing if it does not match."""
        return self._searcher.explain(text, id)

    def matching(self, text: str, limit: int) -> Candidates:
        """The pages whose words match a query best, whatever else speaks for them."""
        question, _ = self._searcher.understood(Query(text))
        return self._index.candidates(question, limit)

    def document(self, id: UrlId) -> Document | None:
        """What a page says."""
        return self._documents.get(id)

    def unindexed(self) -> int:
        """How many documents could be found, were they indexed."""
        return self._documents.waiting(self._index.last())

    def documents(self) -> Iterator[Document]:
        """What every page says, in the order in which they were put."""
        last = 0
        while rows := self._documents.after(last, BATCH):
            yield from (document for _, _, document in rows if document is not None)
            last = rows[-1][0]

    def look_up(self, url: Url) -> UrlRecord | None:
        """What became of a URL; None if we never heard of it."""
        return look_up(self._db, url)

    def page(self, url: Url) -> Page | None:
        """The newest version of a page, as it came; None if it is not kept."""
        record = self.look_up(url)
        return WarcPages(self._folder.pages, self._db).get(record.id) if record else None

    def page_before(self, id: UrlId) -> Page | None:
        """The last version of a page that was not as the newest is; None if there is none."""
        return WarcPages(self._folder.pages, self._db).before(id)

    def versions(self, id: UrlId, most: int) -> list[tuple[bytes, Page]]:
        """The newest versions of a page with their digests, the oldest of them first."""
        return WarcPages(self._folder.pages, self._db).versions(id, most)

    def seeds(self) -> list[Url]:
        """The URLs people named."""
        return seeds(self._db)

    def jobs(self) -> list[Job]:
        """The crawls that share the folder, each with its seeds and how far it has come."""
        return jobs(self._db)

    def traps(self) -> list[tuple[object, ...]]:
        """What is known of parts of hosts that may have no end."""
        return traps(self._db)

    def next_due(self) -> float | None:
        """When the first kept page should be seen again; None when there is none."""
        return next_due(self._db)

    def queues(self) -> list[tuple[str, int]]:
        """The hosts of which URLs wait, and how many, the longest queue first."""
        return queues(self._db)

    def rests(self) -> Mapping[str, float]:
        """How many seconds each host was last left alone, where that is known."""
        return rests(self._db)

    def causes(self) -> Mapping[str, int]:
        """Why URLs that were asked for gave no page; looks at every URL."""
        return causes(self._db)

    def status(self) -> Status:
        """How things stand."""
        states = counts(self._db)
        return Status(
            pages=states.get(State.KEPT, 0),
            queued=states.get(State.QUEUED, 0),
            indexed=self._index.count(),
            crawling=self._folder.is_writing("crawl"),
            paused=self._folder.is_paused(),
            seeds=tuple(self.seeds()),
            states=states,
            goods="is" in self._index.attributes(),
        )
