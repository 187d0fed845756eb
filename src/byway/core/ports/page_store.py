"""Page store port: all versions of each fetched page."""

from collections.abc import Generator, Iterator, Sequence
from typing import Protocol

from byway.core.model import Page, RecordLocation, UnreadablePage, UrlId


class PageStore(Protocol):
    """All versions of each page, as fetched."""

    def append(self, pages: Sequence[tuple[Page, bytes]]) -> list[RecordLocation]:
        """Store these pages durably, each with its digest; equal content is stored once.

        They become visible with `Frontier.finish`.
        """

    def get(self, id: UrlId) -> Page | None:
        """The newest version of a page."""

    def previous_version(self, id: UrlId) -> Page | None:
        """The last version that differs from the newest; None if there is none or it is damaged."""

    def versions(self, id: UrlId, limit: int) -> Iterator[tuple[bytes, Page]]:
        """The newest undamaged versions of a page with their digests, oldest first."""

    def changes_since(
        self, sequence: int
    ) -> Generator[tuple[int, UrlId, Page | UnreadablePage | None], None, None]:
        """Pages with a version after this sequence number, oldest first; only the newest version.

        None means the page was removed.
        """

    def last_sequence(self) -> int:
        """The sequence number of the newest version; 0 if there is none."""

    def require_files(self) -> None:
        """Raise `DataError` if all pages are missing or unreadable; users can fix both."""
