"""Document store port: the newest document of each page."""

from collections.abc import Iterable
from typing import Protocol

from byway.core.model import Document, UrlId


class DocumentStore(Protocol):
    """The newest document of each page. Derived from the pages, so rebuildable."""

    def put(self, documents: Iterable[tuple[int, UrlId, bytes]]) -> None:
        """Store packed documents under their pages' sequence numbers; empty bytes mean delete."""

    def get(self, id: UrlId) -> Document | None: ...

    def has(self, id: UrlId) -> bool:
        """Whether this page was extracted, even if it produced no document."""

    def changes_since(self, sequence: int, limit: int) -> list[tuple[int, UrlId, Document | None]]:
        """Documents stored after this sequence number, oldest first."""

    def changed_ids_since(self, sequence: int, limit: int) -> list[tuple[int, UrlId, bool]]:
        """Sequence number and id of each of these documents, and whether it was deleted."""

    def count_documents_since(self, sequence: int) -> int:
        """The number of documents after this sequence number, not counting deleted ones."""

    def last_sequence(self) -> int:
        """The highest stored sequence number; 0 if there is none."""
