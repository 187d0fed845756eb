"""The backends that the contract suite runs on: adding one here is all that a new one needs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from byway.core.ports import (
    AnchorStore,
    DocumentStore,
    Frontier,
    IndexPorts,
    LinkGraph,
    PageStore,
    RankStore,
    SearchIndex,
)
from byway.core.settings.schema import IndexSettings
from byway.index.anchors.anchor_store import SqliteAnchorStore
from byway.index.tantivy_index import TantivyIndex
from byway.search.rank.position_features import position_features
from byway.storage.data_folder import DataFolder
from byway.storage.memory import stores
from byway.storage.rank_arrays import ArrayRankStore
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.link_graph import SqliteLinkGraph
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.documents import open_documents_to_write
from byway.storage.warc.page_store import WarcPageStore


@dataclass(frozen=True, slots=True)
class Backend:
    """One of each port, over the same data."""

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
def memory_backend(_: Path) -> Iterator[Backend]:
    pages, graph = stores.MemoryPageStore(), stores.MemoryLinkGraph()
    yield Backend(
        stores.MemoryFrontier(pages, graph),
        pages,
        stores.MemoryDocumentStore(),
        graph,
        stores.MemoryRankStore(),
        stores.MemorySearchIndex(position_features).ports,
        stores.MemoryAnchorStore(graph),
    )


@contextmanager
def embedded_backend(path: Path) -> Iterator[Backend]:
    folder = DataFolder(path)
    folder.create()
    frontier = SqliteFrontier(folder.crawl_db)
    reader = open_to_read(folder.crawl_db)
    documents = open_documents_to_write(folder.documents_db)
    pages = WarcPageStore(folder.pages, reader)
    index = TantivyIndex(folder.index, IndexSettings(writer_memory_mb=15), position_features)
    graph = SqliteLinkGraph(reader)
    anchors = SqliteAnchorStore(folder.index / "anchors.db", graph)
    yield Backend(
        frontier, pages, documents, graph, ArrayRankStore(folder.rank), index.ports, anchors
    )
    anchors.close()
    index.close()
    pages.close()
    documents.close()
    frontier.close()
    reader.close()


BACKENDS: dict[str, Callable[[Path], object]] = {
    "memory": memory_backend,
    "embedded": embedded_backend,
}
