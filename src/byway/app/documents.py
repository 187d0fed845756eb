"""How do kept pages become documents? They are read by the rules and words of their folder."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from byway.core.model import Extracted, Page
from byway.core.settings.schema import Settings
from byway.extract.worker.pool import Readers
from byway.index.indexer import Losing, catch_up
from byway.products.vocabulary.lookup import with_own
from byway.storage.data_folder import Folder
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.documents import SqliteDocuments, documents_to_write
from byway.storage.warc.page_store import WarcPages


def readers_of(folder: Folder, settings: Settings) -> Readers:
    """Readers with the rules and words of a folder, yet to be started."""
    rules = folder.sites if folder.sites.is_dir() else None
    most, words = settings.crawl.max_bytes, with_own(folder.words())
    return Readers(settings.extract, most, rules, words)


@contextmanager
def page_stores(folder: Folder, path: Path) -> Iterator[tuple[WarcPages, SqliteDocuments]]:
    """The pages, and the store at this path for their documents."""
    with (
        closing(open_to_read(folder.crawl_db)) as db,
        closing(WarcPages(folder.pages, db)) as pages,
        closing(documents_to_write(path)) as documents,
    ):
        yield pages, documents


def extract_missing(
    folder: Folder,
    settings: Settings,
    path: Path,
    before_each: Callable[[], None] = lambda: None,
) -> Mapping[str, int]:
    """Put the documents into the store at this path that it lacks. Needs the `crawl` lock.

    Says how many pages of each file could not be read.
    """

    async def make() -> Mapping[str, int]:
        with page_stores(folder, path) as (pages, documents):
            if documents.last() >= pages.last():
                return {}
            with closing(SqliteFrontier(folder.crawl_db)) as frontier:
                losing = Losing(frontier)
                async with readers_of(folder, settings) as readers:

                    async def read(page: Page) -> Extracted:
                        before_each()
                        return await readers.read(page)

                    await catch_up(pages, documents, read, losing)
                return losing.files

    return asyncio.run(make())
