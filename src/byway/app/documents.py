"""Extracts pages with the site rules and verticals of a data folder."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from byway.app.verticals.vertical_folders import vertical_loader
from byway.core.model import ExtractionResult, Page
from byway.core.settings.schema import Settings
from byway.extract.worker.pool import WorkerPool
from byway.index.indexer import LostPageRecorder, extract_missing_documents

if TYPE_CHECKING:  # ports import numpy, which a crawl does not need
    from byway.core.ports import IndexGeneration, Storage, UserFiles
    from byway.core.ports.process_states import StatePublisher


def make_worker_pool(
    files: "UserFiles", settings: Settings, on_change: "StatePublisher" = lambda states: None
) -> WorkerPool:
    """A worker pool with the site rules and verticals of a folder, not yet started."""
    load = vertical_loader(files.path)
    max_bytes = settings.crawl.max_bytes
    return WorkerPool(settings.extract, max_bytes, files.site_rules, load, on_change)


async def extract_pages(
    files: "UserFiles", settings: Settings, pages: Iterable[Page]
) -> list[ExtractionResult]:
    """Extract these pages in one worker."""
    settings = replace(settings, extract=replace(settings.extract, workers=1))
    async with make_worker_pool(files, settings) as workers:
        return [await workers.extract(page) for page in pages]


def extract_missing(
    storage: "Storage",
    settings: Settings,
    generation: "IndexGeneration",
    before_each: Callable[[], None] = lambda: None,
) -> Mapping[str, int]:
    """Extract the documents that this generation lacks. Needs the `crawl` lock.

    Returns the number of unreadable pages by file.
    """

    async def extract() -> Mapping[str, int]:
        with storage.reader() as reader, generation.documents_to_write() as documents:
            pages = reader.pages
            if documents.last_sequence() >= pages.last_sequence():
                return {}
            with storage.frontier() as frontier:
                lost_pages = LostPageRecorder(frontier)
                async with make_worker_pool(storage, settings) as workers:

                    async def extract_one(page: Page) -> ExtractionResult:
                        before_each()
                        return await workers.extract(page)

                    await extract_missing_documents(pages, documents, extract_one, lost_pages)
                return lost_pages.counts_by_file

    return asyncio.run(extract())
