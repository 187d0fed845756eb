"""Storage in one data folder: SQLite files, WARC files and arrays. No services.

Imports are lazy: each process loads only what it opens.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from byway.core.files import size_of
from byway.core.model import FrontierOptions
from byway.storage.data_folder import DataFolder

if TYPE_CHECKING:
    from byway.core.ports import Frontier
    from byway.storage.crawl_writer import PortCrawlWriter
    from byway.storage.process_states import FileProcessStates
    from byway.storage.rank_arrays import ArrayRankStore
    from byway.storage.sqlite.accounts import SqliteAccountStore
    from byway.storage.sqlite.crawl_db.crawl_statistics import SqliteCrawlStatistics
    from byway.storage.sqlite.crawl_db.link_graph import SqliteLinkGraph
    from byway.storage.sqlite.crawl_db.url_catalog import SqliteUrlCatalog
    from byway.storage.warc.page_store import WarcPageStore


@dataclass(frozen=True, slots=True, eq=False)
class SqliteCrawlReader:
    """crawl.db and pages/ on one read-only connection."""

    _db: sqlite3.Connection
    _pages: Path
    _reverse_links: Path | None
    """The folder in which the link graph may cache arrays; only for a snapshot."""

    @property
    def catalog(self) -> "SqliteUrlCatalog":
        from byway.storage.sqlite.crawl_db.url_catalog import SqliteUrlCatalog

        return SqliteUrlCatalog(self._db)

    @property
    def pages(self) -> "WarcPageStore":
        from byway.storage.warc.page_store import WarcPageStore

        return WarcPageStore(self._pages, self._db)

    @property
    def graph(self) -> "SqliteLinkGraph":
        from byway.storage.sqlite.crawl_db.link_graph import SqliteLinkGraph

        return SqliteLinkGraph(self._db, self._reverse_links)

    @property
    def statistics(self) -> "SqliteCrawlStatistics":
        from byway.storage.sqlite.crawl_db.crawl_statistics import SqliteCrawlStatistics

        return SqliteCrawlStatistics(self._db, self.pages)


class SqliteStorage(DataFolder):
    """The storage of a data folder."""

    __slots__ = ()

    def create(self) -> None:
        from byway.storage.sqlite.crawl_db.schema import open_to_write
        from byway.storage.sqlite.documents import open_documents_to_write

        self.create_folders()
        if not (self.has_data() and self.documents_db.exists()):
            with self.write_lock("crawl"):
                open_to_write(self.crawl_db).close()
                open_documents_to_write(self.documents_db).close()

    @contextmanager
    def reader(self, snapshot: bool = False) -> Iterator[SqliteCrawlReader]:
        from byway.storage.sqlite.crawl_db.schema import open_to_read

        with closing(open_to_read(self.crawl_db)) as db:
            if snapshot:
                db.execute("begin")
            yield SqliteCrawlReader(db, self.pages, self.rank if snapshot else None)

    @contextmanager
    def frontier(self, options: FrontierOptions | None = None) -> "Iterator[Frontier]":
        from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier

        with closing(SqliteFrontier(self.crawl_db, options)) as frontier:
            yield frontier

    @contextmanager
    def writer(self, options: FrontierOptions | None = None) -> "Iterator[PortCrawlWriter]":
        from byway.storage.crawl_writer import PortCrawlWriter
        from byway.storage.sqlite.documents import open_documents_to_write

        with (
            self.reader() as reader,
            closing(reader.pages) as pages,
            closing(open_documents_to_write(self.documents_db)) as documents,
        ):
            pages.repair()
            with self.frontier(options) as frontier:
                yield PortCrawlWriter(frontier, pages, documents)

    def ranks(self) -> "ArrayRankStore":
        from byway.storage.rank_arrays import ArrayRankStore

        return ArrayRankStore(self.rank)

    def accounts(self) -> "SqliteAccountStore":
        from byway.storage.sqlite.accounts import SqliteAccountStore

        return SqliteAccountStore(self.accounts_db)

    def process_states(self) -> "FileProcessStates":
        from byway.storage.process_states import FileProcessStates

        return FileProcessStates(self.path)

    def scratch_folder(self) -> Path | None:
        return self.rank

    def bytes_by_part(self) -> Mapping[str, int]:
        parts: Counter[str] = Counter()
        for path in sorted(self.path.iterdir()):
            # The WAL and shared-memory files of SQLite are part of its database.
            if path.suffix not in (".lock", ".waiting"):
                parts[path.name.removesuffix("-wal").removesuffix("-shm")] += size_of(path)
        return +parts
