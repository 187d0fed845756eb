"""Page store port: fetched pages, version after version."""

from collections.abc import Generator, Sequence
from typing import Protocol

from byway.core.model import Page, RecordLocation, UnreadablePage, UrlId


class PageStore(Protocol):
    """The pages as they were fetched, version after version."""

    def append(self, pages: Sequence[tuple[Page, bytes]]) -> list[RecordLocation]:
        """Write these pages, each with its digest, down for good, a content only once.

        Nobody sees them until `Frontier.finish` says so.
        """

    def get(self, id: UrlId) -> Page | None:
        """The newest version of a page."""

    def changes_since(
        self, sequence: int
    ) -> Generator[tuple[int, UrlId, Page | UnreadablePage | None], None, None]:
        """The newest version of each page, if it is newer than that sequence number; oldest first.

        None: it was taken down.
        """

    def last_sequence(self) -> int:
        """The sequence number of the newest version; 0 when there is none."""
