"""Index generations on disk: documents.db with a tantivy index, and their rebuild beside them.

A full rebuild, with its own documents, happens on request; the index alone is rebuilt when the live
one was made by incompatible code.
"""

import errno
import logging
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from byway.core.errors import DataError, DiskFullError
from byway.core.files import size_of
from byway.core.model import RebuildProgress, Url, UrlId
from byway.core.ports import IndexPorts, IndexStores
from byway.core.settings.schema import IndexSettings, Settings
from byway.index.anchors.anchor_store import (
    ANCHORS_FILE,
    AnchorReader,
    SqliteAnchorStore,
    copy_anchors,
    read_anchors,
)
from byway.index.index_files import CommitMarker, has_intact_commit
from byway.index.shard_map import ShardMap, automatic_shards, read_shard_map
from byway.index.shard_writer import ShardWriter
from byway.index.sharded_index import ShardedIndex, open_shard
from byway.search.rank.position_features import position_features
from byway.storage.data_folder import Generation
from byway.storage.sqlite.documents import (
    SqliteDocumentStore,
    open_documents_to_read,
    open_documents_to_write,
)
from byway.storage.sqlite.storage import SqliteStorage

BYTES_PER_MB = 1_000_000
SHARD_PROCESS_DIED_CODE = "index.shard_process_died"
MAX_INDEXING_ATTEMPTS = 4
"""How often indexing is started when shard processes die."""
log = logging.getLogger(__name__)

DISK_FULL_MESSAGES = ("No space left on device", "disk is full", "requested and")
"""Error texts of the system, SQLite and NumPy for a full disk: some libraries drop the errno."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenDiskGeneration:
    """Documents and index, open; the files stay readable even if they are deleted."""

    documents: SqliteDocumentStore
    index: ShardedIndex

    @property
    def ports(self) -> IndexPorts:
        return self.index.ports

    def close(self) -> None:
        """Close the files."""
        self.documents.close()
        self.index.close()


@dataclass(frozen=True, slots=True)
class DiskGeneration:
    """A generation on disk; the inode tells whether a file was replaced under the same name."""

    paths: Generation
    inode: int
    _storage: SqliteStorage = field(compare=False)
    _settings: Settings = field(compare=False)
    _marker: CommitMarker = field(compare=False)

    def open_for_search(self) -> OpenDiskGeneration:
        documents = open_documents_to_read(self.paths.documents)
        index = ShardedIndex(self.paths.index, self._settings.index, position_features)
        with suppress(DataError):  # the first search reports the damage
            index.open_for_search()
        return OpenDiskGeneration(documents, index)

    @contextmanager
    def open_for_update(self) -> Iterator[IndexStores]:
        folder = self.paths.index
        folder.mkdir(exist_ok=True)  # it was deleted for a rebuild
        with (
            self._storage.reader() as reader,
            closing(open_documents_to_read(self.paths.documents)) as documents,
            closing(self._index_to_write(documents.last_sequence())) as index,
            closing(SqliteAnchorStore(folder / ANCHORS_FILE, reader.graph)) as anchors,
        ):
            yield IndexStores(documents, index, index.ports, anchors)

    def index_in_parallel(self, stores: IndexStores, min_documents: int) -> Iterator[int]:
        index, documents = stores.index, stores.documents
        assert isinstance(index, ShardedIndex)
        new = documents.count_documents_since(index.committed_sequence())
        if len(index.shards) == 1 or new < min_documents:
            return
        index.prepare_to_write()
        for attempt in range(MAX_INDEXING_ATTEMPTS):
            try:
                yield from self._index_in_processes(stores, index)
                return
            except DataError as error:
                if error.code != SHARD_PROCESS_DIED_CODE or attempt + 1 == MAX_INDEXING_ATTEMPTS:
                    raise
                log.warning("shard process died; continuing after the last commit")

    def _index_in_processes(self, stores: IndexStores, index: ShardedIndex) -> Iterator[int]:
        # Imported late: searches start no processes.
        from byway.app.processes.local_runner import supervise
        from byway.app.processes.shard_processes import start_shard_processes
        from byway.index.parallel_indexer import index_new_in_parallel

        paths = self._storage.path, self.paths.documents, self.paths.index
        with (
            self._storage.reader() as reader,
            supervise(self._storage) as runner,
            start_shard_processes(runner, *paths, len(index.shards), self._settings) as writers,
        ):

            def find_urls(ids: Sequence[UrlId]) -> dict[UrlId, Url]:
                return {id: record.url for id, record in reader.graph.url_records(ids).items()}

            yield from index_new_in_parallel(
                stores.documents,
                index,
                stores.anchors,
                writers,
                find_urls,
                self._settings.index.batch_size,
            )

    def _index_to_write(self, pages: int) -> ShardedIndex:
        """The index; a new one gets its shards now."""
        settings = self._settings.index
        shards = settings.shards or automatic_shards(pages, os.cpu_count() or 1)
        new_map = ShardMap.even(shards)
        return ShardedIndex(self.paths.index, settings, position_features, new_map)

    @contextmanager
    def documents_to_write(self) -> Iterator[SqliteDocumentStore]:
        with closing(open_documents_to_write(self.paths.documents)) as documents:
            yield documents

    def committed_sequence(self) -> int:
        return self._marker.committed_sequence() if self.inode else 0

    def anchor_texts(self, id: UrlId) -> tuple[tuple[str, int], ...]:
        return read_anchors(self.paths.index / ANCHORS_FILE, id)


@contextmanager
def open_shard_writer(
    path: Path, documents: Path, index: Path, shard: int, settings: IndexSettings
) -> Iterator[ShardWriter]:
    """The writer of one shard, for the process that owns the shard; the indexer holds the lock."""
    shard_map = read_shard_map(index)
    if shard_map is None:
        raise DataError("index.missing_shard_map", path=index)
    with (
        SqliteStorage(path).reader() as reader,
        closing(open_documents_to_read(documents)) as store,
        closing(AnchorReader(index / ANCHORS_FILE, reader.graph)) as anchors,
        closing(open_shard(index, shard, settings, position_features, shard_map.shards)) as opened,
    ):
        yield ShardWriter(opened, store, anchors)


class DiskGenerations:
    """The generations of a data folder; at least `crawl.min_free_disk_mb` of disk stay free."""

    def __init__(self, storage: SqliteStorage, settings: Settings) -> None:
        self._storage = storage
        self._settings = settings
        self._min_free_mb = settings.crawl.min_free_disk_mb
        # Kept, because a marker already read costs only one `stat` at the next search.
        self._markers: dict[Path, CommitMarker] = {}

    def live(self) -> DiskGeneration:
        return self._generation(self._storage.live_generation)

    def readable(self) -> DiskGeneration:
        live, building = self._storage.live_generation, self._storage.building_generation
        # An index with another number of shards than wanted is searched until it is replaced.
        unreadable = building and self._marker(live.index).is_incompatible()
        return self._generation(building if building and unreadable else live)

    def begin_full_rebuild(self) -> None:
        # A live generation that cannot be searched is deleted at once.
        live = self._storage.live_generation
        new = self._storage.begin_generation(new_documents=True)
        open_documents_to_write(new.documents).close()
        if _last_document(live.documents) and has_intact_commit(live.index):
            self.require_space(size_of(live.documents) + size_of(live.index))
        else:
            self.promote()

    def full_rebuild(self) -> DiskGeneration | None:
        building = self._storage.building_generation
        if building is None or building.documents == self._storage.live_generation.documents:
            return None
        return self._generation(building)

    def is_rebuild_incompatible(self) -> bool:
        building = self._storage.building_generation
        return building is not None and self._is_incompatible(building)

    def rebuild(self) -> DiskGeneration | None:
        live, building = self._storage.live_generation, self._storage.building_generation
        if building and not self._is_incompatible(building):
            return self._generation(building)
        if not self._is_incompatible(live):
            self.abandon()
            return None
        self.require_space(size_of(live.index))
        new = self._storage.begin_generation(new_documents=False)
        copy_anchors(live.index / ANCHORS_FILE, new.index / ANCHORS_FILE)
        return self._generation(new)

    def require_space(self, needed_bytes: int = 0) -> None:
        path, free = self._storage.path, self._storage.disk_space().free
        if free - needed_bytes >= self._min_free_mb * BYTES_PER_MB:
            return
        code = "index.disk_full_for_rebuild" if needed_bytes else "index.disk_limit_reached"
        needed = {"needed_mb": math.ceil(needed_bytes / BYTES_PER_MB)} if needed_bytes else {}
        free_mb = free // BYTES_PER_MB
        raise DiskFullError(
            code, path=path, free_mb=free_mb, min_free_mb=self._min_free_mb, **needed
        )

    @contextmanager
    def abandon_on_full_disk(self) -> Iterator[None]:
        try:
            yield
        except DiskFullError:
            self.abandon()
            raise
        except Exception as error:
            if self._storage.building_generation is None or not _means_full_disk(error):
                raise
            free_mb = self._storage.disk_space().free // BYTES_PER_MB
            self.abandon()
            raise DiskFullError(
                "index.disk_full", path=self._storage.path, free_mb=free_mb
            ) from error

    def promote(self) -> None:
        self._storage.promote_generation()

    def abandon(self) -> None:
        self._storage.abandon_generation()

    def progress(self, last_sequence: int) -> RebuildProgress | None:
        building = self._storage.building_generation
        if building is None:
            return None
        steps = [self._generation(building).committed_sequence()]
        if self.full_rebuild():
            steps.append(_last_document(building.documents))
        share = sum(steps) / len(steps) / max(1, last_sequence)
        return RebuildProgress(min(1.0, share), self._storage.is_locked("index"))

    def _generation(self, paths: Generation) -> DiskGeneration:
        try:
            inode = paths.documents.stat().st_ino
        except FileNotFoundError:
            inode = 0
        return DiskGeneration(
            paths, inode, self._storage, self._settings, self._marker(paths.index)
        )

    def _is_incompatible(self, generation: Generation) -> bool:
        """Whether the index must be rebuilt: by other code, or with another number of shards."""
        if self._marker(generation.index).is_incompatible():
            return True
        wanted, shard_map = self._settings.index.shards, read_shard_map(generation.index)
        return bool(wanted and shard_map and shard_map.shards != wanted)

    def _marker(self, index: Path) -> CommitMarker:
        return self._markers.setdefault(index, CommitMarker(index))


def _means_full_disk(error: Exception) -> bool:
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return True
    return any(text in str(error) for text in DISK_FULL_MESSAGES)


def _last_document(documents: Path) -> int:
    try:
        with closing(open_documents_to_read(documents)) as store:
            return store.last_sequence()
    except DataError:
        return 0  # does not exist yet, or cannot be read
