"""Index generations port: the live documents and index, and those built to replace them.

A rebuild writes a new generation beside the live one and then takes its place as a whole, so that
searches are answered meanwhile.
"""

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
    """The index and what else can be asked of it."""
    anchors: AnchorStore


class OpenGeneration(Protocol):
    """A generation opened for searching; it stays readable even if it is replaced."""

    @property
    def documents(self) -> DocumentStore: ...
    @property
    def ports(self) -> IndexPorts: ...
    def close(self) -> None: ...


class IndexGeneration(Protocol):
    """A document store, the index of its documents and the anchor texts of its pages.

    Two are equal if they have the same content, so that a reader knows when to open another.
    """

    def open_for_search(self) -> OpenGeneration:
        """The documents and the index, read-only."""

    def open_for_update(self) -> AbstractContextManager[IndexStores]:
        """The stores, to be indexed by the holder of the `index` lock."""

    def documents_to_write(self) -> AbstractContextManager[DocumentStore]:
        """The document store, for the holder of the `crawl` lock."""

    def committed_sequence(self) -> int:
        """The sequence number of the last commit; 0 for an index that cannot be searched."""

    def anchor_texts(self, id: UrlId) -> tuple[tuple[str, int], ...]:
        """The anchor texts of links to a page, with their counts."""


class IndexGenerations(Protocol):
    """The generations of one collection. Changes need the `index` lock, a full rebuild both."""

    def live(self) -> IndexGeneration:
        """The generation that is searched."""

    def readable(self) -> IndexGeneration:
        """The live generation, or the one being built if only that can be searched."""

    def begin_full_rebuild(self) -> None:
        """Begin a new document store and index; one that was begun before is deleted."""

    def full_rebuild(self) -> IndexGeneration | None:
        """The generation with its own documents that is being built; None if there is none."""

    def is_rebuild_incompatible(self) -> bool:
        """Whether the generation that is being built was begun by incompatible code."""

    def rebuild(self) -> IndexGeneration | None:
        """The generation to fill instead of the live one; begun now if the live index must be."""

    def require_space(self) -> None:
        """Raise `DiskFullError` if there is no room to go on with a rebuild."""

    def abandon_on_full_disk(self) -> AbstractContextManager[None]:
        """Delete the generation that is being built if the disk fills up in the block."""

    def promote(self) -> None:
        """Make the generation that was built the live one, and delete the old one."""

    def abandon(self) -> None:
        """Delete the generation that is being built."""

    def progress(self, last_sequence: int) -> RebuildProgress | None:
        """The progress of the rebuild, up to the sequence number of the last page."""
