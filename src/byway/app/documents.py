"""How do kept pages become documents? They are read by the rules and words of their folder."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from byway.core.model import ExtractionResult, Page
from byway.core.settings.schema import Settings
from byway.extract.worker.pool import WorkerPool
from byway.index.indexer import LostPageRecorder, extract_missing_documents
from byway.products.vocabulary.lookup import vocabulary_with_overrides
from byway.storage.data_folder import DataFolder
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.documents import SqliteDocumentStore, open_documents_to_write
from byway.storage.warc.page_store import WarcPageStore


def make_worker_pool(folder: DataFolder, settings: Settings) -> WorkerPool:
    """Readers with the rules and words of a folder, yet to be started."""
    rules = folder.site_rules if folder.site_rules.is_dir() else None
    most, words = settings.crawl.max_bytes, vocabulary_with_overrides(folder.read_vocabulary())
    return WorkerPool(settings.extract, most, rules, words)


@contextmanager
def open_page_stores(
    folder: DataFolder, path: Path
) -> Iterator[tuple[WarcPageStore, SqliteDocumentStore]]:
    """The pages, and the store at this path for their documents."""
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
    """Put the documents into the store at this path that it lacks. Needs the `crawl` lock.

    Says how many pages of each file could not be read.
    """

    async def make() -> Mapping[str, int]:
        with open_page_stores(folder, path) as (pages, documents):
            if documents.last_sequence() >= pages.last_sequence():
                return {}
            with closing(SqliteFrontier(folder.crawl_db)) as frontier:
                losing = LostPageRecorder(frontier)
                async with make_worker_pool(folder, settings) as readers:

                    async def read(page: Page) -> ExtractionResult:
                        before_each()
                        return await readers.extract(page)

                    await extract_missing_documents(pages, documents, read, losing)
                return losing.counts_by_file

    return asyncio.run(make())
