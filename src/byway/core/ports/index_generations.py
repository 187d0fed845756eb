"""Index generations port: the live documents and index, and their replacements being built.

A rebuild writes a new generation alongside the live one, then replaces it atomically, so that
searches keep working meanwhile.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from byway.core.model import RebuildProgress, UrlId
from byway.core.ports.anchor_store import AnchorStore
from byway.core.ports.document_store import DocumentStore
from byway.core.ports.search_index import IndexPorts, SearchIndex


@dataclass(frozen=True, slots=True, eq=False)
class IndexStores:
    """The stores of a generation, opened to update the index."""

    documents: DocumentStore
    index: SearchIndex
    ports: IndexPorts
    """The index, its term dictionary and its suggestions."""
    anchors: AnchorStore


class OpenGeneration(Protocol):
    """A generation opened for searching; it stays readable after it is replaced."""

    @property
    def documents(self) -> DocumentStore: ...
    @property
    def ports(self) -> IndexPorts: ...
    def close(self) -> None: ...


class IndexGeneration(Protocol):
    """A document store, the index of its documents and the anchor texts of its pages.

    Generations with the same content are equal, so a reader knows when to open a new one.
    """

    def open_for_search(self) -> OpenGeneration:
        """The documents and the index, read-only."""

    def open_for_update(self) -> AbstractContextManager[IndexStores]:
        """The stores for indexing; the caller must hold the `index` lock."""

    def index_in_parallel(self, stores: IndexStores, min_documents: int) -> Iterator[int]:
        """Index new documents in a process per shard, if that pays; yields the total so far.

        `min_documents`: the least number of new documents for which processes are started.
        """

    def documents_to_write(self) -> AbstractContextManager[DocumentStore]:
        """The document store for writing; the caller must hold the `crawl` lock."""

    def committed_sequence(self) -> int:
        """The sequence number of the last commit; 0 if the index is not searchable."""

    def anchor_texts(self, id: UrlId) -> tuple[tuple[str, int], ...]:
        """The anchor texts of a page's inlinks, with their counts."""


class IndexGenerations(Protocol):
    """The generations of a collection. Changes need the `index` lock, full rebuilds both locks."""

    def live(self) -> IndexGeneration:
        """The generation that is searched."""

    def readable(self) -> IndexGeneration:
        """The live generation, or the one being built if only that one is searchable."""

    def begin_full_rebuild(self) -> None:
        """Begin a new document store and index, and delete any unfinished ones."""

    def full_rebuild(self) -> IndexGeneration | None:
        """The generation being built with its own documents; None if there is none."""

    def is_rebuild_incompatible(self) -> bool:
        """Whether incompatible code began the generation being built."""

    def rebuild(self) -> IndexGeneration | None:
        """The generation being built; begins one if the live index must be rebuilt."""

    def require_space(self) -> None:
        """Raise `DiskFullError` if there is no room to continue a rebuild."""

    def abandon_on_full_disk(self) -> AbstractContextManager[None]:
        """Delete the generation being built if the disk fills up within the block."""

    def promote(self) -> None:
        """Make the newly built generation live, and delete the old one."""

    def abandon(self) -> None:
        """Delete the generation being built."""

    def progress(self, last_sequence: int) -> RebuildProgress | None:
        """The progress of the rebuild towards the sequence number of the last page."""
