"""Reference storage in memory: one process, nothing on disk but the user's files."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from byway.core.errors import DataNotFoundError
from byway.core.model import FrontierOptions
from byway.storage.crawl_writer import PortCrawlWriter
from byway.storage.memory.accounts import MemoryAccountStore
from byway.storage.memory.crawl_control import MemoryCrawlControl
from byway.storage.memory.frontier import MemoryFrontier
from byway.storage.memory.generations import MemoryGenerations
from byway.storage.memory.icons import MemoryIconStore
from byway.storage.memory.link_graph import MemoryLinkGraph
from byway.storage.memory.pages import MemoryPageStore
from byway.storage.memory.process_states import MemoryProcessStates
from byway.storage.memory.ranks import MemoryRankStore
from byway.storage.user_folder import UserFolder


class MemoryStorage(MemoryCrawlControl, UserFolder):
    """Stores that are always open; the storage is its own reader."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._created = False
        self.pages = MemoryPageStore()
        self.graph = MemoryLinkGraph()
        self.catalog = self.statistics = MemoryFrontier(self.pages, self.graph)
        self.generations = MemoryGenerations(self.graph, self.is_locked)
        self._ranks = MemoryRankStore()
        self._icons = MemoryIconStore()
        self._accounts = MemoryAccountStore()
        self._process_states = MemoryProcessStates()

    def create(self) -> None:
        self._created = True

    def has_data(self) -> bool:
        return self._created

    def require_data(self) -> None:
        if not self._created:
            raise DataNotFoundError("storage.no_data", path=self.path)

    @contextmanager
    def reader(self, snapshot: bool = False) -> "Iterator[MemoryStorage]":
        yield self

    @contextmanager
    def frontier(self, options: FrontierOptions | None = None) -> Iterator[MemoryFrontier]:
        self.catalog.reopen(options or FrontierOptions())
        yield self.catalog

    @contextmanager
    def writer(self, options: FrontierOptions | None = None) -> Iterator[PortCrawlWriter]:
        with self.frontier(options) as frontier:
            yield PortCrawlWriter(frontier, self.pages, self.generations.live().documents)

    def ranks(self) -> MemoryRankStore:
        return self._ranks

    def icons(self) -> MemoryIconStore:
        return self._icons

    def accounts(self) -> MemoryAccountStore:
        return self._accounts

    def process_states(self) -> MemoryProcessStates:
        return self._process_states

    def scratch_folder(self) -> Path | None:
        return None

    def bytes_by_part(self) -> Mapping[str, int]:
        return {"pages": self.statistics.stored_bytes()}
