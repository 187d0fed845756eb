"""Document store port: the newest document of each page."""

from collections.abc import Iterable
from typing import Protocol

from byway.core.model import Document, UrlId


class DocumentStore(Protocol):
    """What pages say: the newest document of each. Derived from the pages, so it may be lost."""

    def put(self, documents: Iterable[tuple[int, UrlId, bytes]]) -> None:
        """Keep these, packed, under their pages' sequence numbers; no bytes: no longer a page."""

    def get(self, id: UrlId) -> Document | None: ...

    def changes_since(self, sequence: int, limit: int) -> list[tuple[int, UrlId, Document | None]]:
        """Documents put after that sequence number, oldest first."""

    def last_sequence(self) -> int:
        """The highest sequence number put; 0 when there is none."""
