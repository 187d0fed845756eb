"""The backends that the contract suite runs on: adding one here is all that a new one needs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from byway.app.storage import open_generations
from byway.core.ports import (
    AnchorStore,
    CrawlStatistics,
    CrawlWriter,
    DocumentStore,
    Frontier,
    IndexPorts,
    LinkGraph,
    PageStore,
    RankStore,
    SearchIndex,
    Storage,
    UrlCatalog,
)
from byway.core.settings.schema import IndexSettings, Settings
from byway.storage.memory.storage import MemoryStorage
from byway.storage.sqlite.storage import SqliteStorage


@dataclass(frozen=True, slots=True)
class Backend:
    """One of each port, over the same data."""

    storage: Storage
    writer: CrawlWriter
    catalog: UrlCatalog
    statistics: CrawlStatistics
    frontier: Frontier
    pages: PageStore
    documents: DocumentStore
    graph: LinkGraph
    ranks: RankStore
    ports: IndexPorts
    anchors: AnchorStore

    @property
    def index(self) -> SearchIndex:
        return self.ports.index


@contextmanager
def memory_backend(path: Path) -> Iterator[Backend]:
    with _opened(MemoryStorage(path)) as backend:
        yield backend


@contextmanager
def embedded_backend(path: Path) -> Iterator[Backend]:
    with _opened(SqliteStorage(path)) as backend:
        yield backend


@contextmanager
def sharded_backend(path: Path) -> Iterator[Backend]:
    """The embedded backend with an index of three shards."""
    with _opened(SqliteStorage(path), shards=3) as backend:
        yield backend


@contextmanager
def _opened(storage: Storage, shards: int = 1) -> Iterator[Backend]:
    settings = Settings(index=IndexSettings(writer_memory_mb=15, shards=shards))
    storage.create()
    live = open_generations(storage, settings).live()
    with (
        storage.writer() as writer,
        storage.reader() as reader,
        live.open_for_update() as stores,
    ):
        yield Backend(
            storage=storage,
            writer=writer,
            catalog=reader.catalog,
            statistics=reader.statistics,
            frontier=writer.frontier,
            pages=writer.pages,
            documents=writer.documents,
            graph=reader.graph,
            ranks=storage.ranks(),
            ports=stores.ports,
            anchors=stores.anchors,
        )


BACKENDS: dict[str, Callable[[Path], object]] = {
    "memory": memory_backend,
    "embedded": embedded_backend,
    "sharded": sharded_backend,
}
STORAGES: dict[str, Callable[[Path], Storage]] = {
    "embedded": SqliteStorage,
    "memory": MemoryStorage,
}
"""The same without an open crawl."""
