"""Reference storage in memory: one process, nothing on disk but the user's files."""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import numpy as np

from byway.core.errors import DataNotFoundError
from byway.core.model import FrontierOptions
from byway.core.model.process import ProcessState
from byway.core.ports import Ranks
from byway.core.ports.process_states import StatePublisher
from byway.storage.crawl_writer import PortCrawlWriter
from byway.storage.memory.crawl_control import MemoryCrawlControl
from byway.storage.memory.frontier import MemoryFrontier
from byway.storage.memory.generations import MemoryGenerations
from byway.storage.memory.link_graph import MemoryLinkGraph
from byway.storage.memory.pages import MemoryPageStore
from byway.storage.sqlite.accounts import SqliteAccountStore
from byway.storage.sqlite.accounts_schema import SCHEMA
from byway.storage.user_folder import UserFolder


class MemoryIconStore:
    """Favicons in a dict."""

    def __init__(self) -> None:
        self._images: dict[str, bytes] = {}

    def has(self, host: str) -> bool:
        return host in self._images

    def has_image(self, host: str) -> bool:
        return bool(self.get(host))

    def put(self, host: str, image: bytes) -> None:
        self._images[host] = image

    def get(self, host: str) -> bytes:
        return self._images.get(host, b"")


class MemoryRankStore:
    """The ranks computed last."""

    def __init__(self) -> None:
        self._ranks = Ranks(np.zeros(0, np.float32), np.zeros(0, np.float32))

    def save(self, ranks: Ranks) -> None:
        self._ranks = ranks

    def load(self) -> Ranks:
        return self._ranks


class MemoryAccountStore(SqliteAccountStore):
    """The accounts of one process."""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._db.executescript(SCHEMA)
        self._db.execute("pragma foreign_keys = on")
        self._lock = Lock()

    def close(self) -> None:
        """Do nothing: the accounts stay until the process ends."""


class MemoryProcessStates:
    """The states of each publisher in a dict."""

    def __init__(self) -> None:
        self._states: dict[object, Sequence[ProcessState]] = {}

    @contextmanager
    def publisher(self) -> Iterator[StatePublisher]:
        publisher = object()

        def publish(states: Sequence[ProcessState]) -> None:
            self._states[publisher] = tuple(states)

        try:
            yield publish
        finally:
            self._states.pop(publisher, None)

    def read(self) -> tuple[ProcessState, ...]:
        states = [state for each in self._states.values() for state in each]
        return tuple(sorted(states, key=lambda state: state.name))

    def read_by_publisher(self) -> Iterator[tuple[int, Sequence[ProcessState]]]:
        return ((os.getpid(), states) for states in list(self._states.values()))


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
