"""Extraction of documents from stored pages, with the site rules and verticals of their folder."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from byway.app.vertical_folders import vertical_loader
from byway.core.model import ExtractionResult, Page
from byway.core.settings.schema import Settings
from byway.extract.worker.pool import WorkerPool
from byway.index.indexer import LostPageRecorder, extract_missing_documents
from byway.storage.data_folder import DataFolder
from byway.storage.process_states import StatePublisher
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.documents import SqliteDocumentStore, open_documents_to_write
from byway.storage.warc.page_store import WarcPageStore


def make_worker_pool(
    folder: DataFolder, settings: Settings, on_change: StatePublisher = lambda states: None
) -> WorkerPool:
    """A worker pool with the site rules and verticals of a folder, not yet started."""
    rules = folder.site_rules if folder.site_rules.is_dir() else None
    load = vertical_loader(folder.path)
    return WorkerPool(settings.extract, settings.crawl.max_bytes, rules, load, on_change)


@contextmanager
def open_page_stores(
    folder: DataFolder, path: Path
) -> Iterator[tuple[WarcPageStore, SqliteDocumentStore]]:
    """The page store, and the document store at this path."""
    with (
        closing(open_to_read(folder.crawl_db)) as db,
        closing(WarcPageStore(folder.pages, db)) as pages,
        closing(open_documents_to_write(path)) as documents,
    ):
        yield pages, documents


def extract_missing(
    folder: DataFolder,
    settings: Settings,
    path: Path,
    before_each: Callable[[], None] = lambda: None,
) -> Mapping[str, int]:
    """Extract the documents that the store at this path lacks. Needs the `crawl` lock.

    Returns the number of unreadable pages by file.
    """

    async def extract() -> Mapping[str, int]:
        with open_page_stores(folder, path) as (pages, documents):
            if documents.last_sequence() >= pages.last_sequence():
                return {}
            with closing(SqliteFrontier(folder.crawl_db)) as frontier:
                lost_pages = LostPageRecorder(frontier)
                async with make_worker_pool(folder, settings) as workers:

                    async def extract_one(page: Page) -> ExtractionResult:
                        before_each()
                        return await workers.extract(page)

                    await extract_missing_documents(pages, documents, extract_one, lost_pages)
                return lost_pages.counts_by_file

    return asyncio.run(extract())
