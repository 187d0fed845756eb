"""The backends that the contract suite runs on: adding one here is all that a new one needs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from byway.backends import memory
from byway.backends.embedded.anchors import SqliteAnchors
from byway.backends.embedded.database import open_to_read
from byway.backends.embedded.documents import documents_to_write
from byway.backends.embedded.folder import Folder
from byway.backends.embedded.frontier import SqliteFrontier
from byway.backends.embedded.index import TantivyIndex
from byway.backends.embedded.links import SqliteGraph
from byway.backends.embedded.pages import WarcPages
from byway.backends.embedded.ranks import ArrayRanks
from byway.ports import (
    AnchorStore,
    DocumentStore,
    Frontier,
    LinkGraph,
    PageStore,
    RankStore,
    SearchIndex,
)
from byway.settings import IndexSettings


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
    pages, graph = memory.MemoryPages(), memory.MemoryGraph()
    yield Backend(
        memory.MemoryFrontier(pages, graph),
        pages,
        memory.MemoryDocuments(),
        graph,
        memory.MemoryRanks(),
        memory.MemoryIndex(),
        memory.MemoryAnchors(graph),
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
