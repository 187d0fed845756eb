"""Reference index generations in memory."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext

from byway.core.model import RebuildProgress, UrlId
from byway.core.model.candidates import Codes, FeatureFunction, Lengths, PositionFeatures
from byway.core.model.query import TermClause
from byway.core.ports import IndexStores, LinkGraph
from byway.storage.memory.anchor_store import MemoryAnchorStore
from byway.storage.memory.documents import MemoryDocumentStore
from byway.storage.memory.search_index import MemorySearchIndex


class MemoryGeneration:
    """Documents, index and anchor texts; always open."""

    def __init__(self, graph: LinkGraph, features: FeatureFunction) -> None:
        self.documents = MemoryDocumentStore()
        self.index = MemorySearchIndex(features)
        self.ports = self.index.ports
        self._anchors = MemoryAnchorStore(graph)

    def open_for_search(self) -> "MemoryGeneration":
        return self

    def close(self) -> None:
        """Do nothing: there are no files to close."""

    @contextmanager
    def open_for_update(self) -> Iterator[IndexStores]:
        yield IndexStores(self.documents, self.index, self.ports, self._anchors)

    def index_in_parallel(self, stores: IndexStores, min_documents: int) -> Iterator[int]:
        yield from ()

    @contextmanager
    def documents_to_write(self) -> Iterator[MemoryDocumentStore]:
        yield self.documents

    def committed_sequence(self) -> int:
        return self.index.committed_sequence()

    def anchor_texts(self, id: UrlId) -> tuple[tuple[str, int], ...]:
        return self._anchors.anchors_for([id])[id].anchors


class MemoryGenerations:
    """The live generation, and the one that is being built."""

    def __init__(self, graph: LinkGraph, is_locked: Callable[[str], bool]) -> None:
        self._graph = graph
        self._is_locked = is_locked
        self.features: FeatureFunction | None = None
        """Computes the ranking features; must be set before a search."""
        self._live = MemoryGeneration(graph, self._compute_features)
        self._building: MemoryGeneration | None = None

    def _compute_features(
        self, codes: Codes, lengths: Lengths, words: Sequence[TermClause]
    ) -> PositionFeatures:
        assert self.features
        return self.features(codes, lengths, words)

    def live(self) -> MemoryGeneration:
        return self._live

    def readable(self) -> MemoryGeneration:
        return self._live

    def begin_full_rebuild(self) -> None:
        self._building = MemoryGeneration(self._graph, self._compute_features)

    def full_rebuild(self) -> MemoryGeneration | None:
        return self._building

    def is_rebuild_incompatible(self) -> bool:
        return False

    def rebuild(self) -> MemoryGeneration | None:
        return self._building

    def require_space(self) -> None:
        """Do nothing: memory storage uses no disk."""

    def abandon_on_full_disk(self) -> AbstractContextManager[None]:
        return nullcontext()

    def promote(self) -> None:
        self._live, self._building = self._building or self._live, None

    def abandon(self) -> None:
        self._building = None

    def progress(self, last_sequence: int) -> RebuildProgress | None:
        if self._building is None:
            return None
        done = self._building.documents.last_sequence() + self._building.committed_sequence()
        return RebuildProgress(min(1.0, done / 2 / max(1, last_sequence)), self._is_locked("index"))
