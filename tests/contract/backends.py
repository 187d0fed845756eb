"""The backends that the contract suite runs on: adding one here is all that a new one needs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from byway.core.ports import (
    AnchorStore,
    DocumentStore,
    Frontier,
    LinkGraph,
    PageStore,
    RankStore,
    SearchIndex,
)
from byway.core.settings.schema import IndexSettings
from byway.index.anchors.anchor_store import SqliteAnchors
from byway.index.tantivy_index import TantivyIndex
from byway.storage.data_folder import Folder
from byway.storage.memory import stores
from byway.storage.rank_arrays import ArrayRanks
from byway.storage.sqlite.crawl_db.frontier import SqliteFrontier
from byway.storage.sqlite.crawl_db.link_graph import SqliteGraph
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.sqlite.documents import documents_to_write
from byway.storage.warc.page_store import WarcPages


@dataclass(frozen=True, slots=True)
class Backend:
    """One of each port, over the same data."""

    frontier: Frontier
    pages: PageStore
    documents: DocumentStore
    graph: LinkGraph
    ranks: RankStore
    index: SearchIndex
    anchors: AnchorStore


@contextmanager
def in_memory(_: Path) -> Iterator[Backend]:
    pages, graph = stores.MemoryPages(), stores.MemoryGraph()
    yield Backend(
        stores.MemoryFrontier(pages, graph),
        pages,
        stores.MemoryDocuments(),
        graph,
        stores.MemoryRanks(),
        stores.MemoryIndex(),
        stores.MemoryAnchors(graph),
    )


@contextmanager
def embedded(path: Path) -> Iterator[Backend]:
    folder = Folder(path)
    folder.create()
    frontier = SqliteFrontier(folder.crawl_db)
    reader = open_to_read(folder.crawl_db)
    documents = documents_to_write(folder.documents_db)
    pages = WarcPages(folder.pages, reader)
    index = TantivyIndex(folder.index, IndexSettings(memory=15))
    graph = SqliteGraph(reader)
    anchors = SqliteAnchors(folder.index / "anchors.db", graph)
    yield Backend(frontier, pages, documents, graph, ArrayRanks(folder.rank), index, anchors)
    anchors.close()
    index.close()
    pages.close()
    documents.close()
    frontier.close()
    reader.close()


BACKENDS: dict[str, Callable[[Path], object]] = {"memory": in_memory, "embedded": embedded}
