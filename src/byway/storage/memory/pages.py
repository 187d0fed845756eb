"""Reference page store in memory."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from byway.core.model import Page, RecordLocation, UrlId


class PageVersion(NamedTuple):
    """A version of a page; without a page it is a tombstone."""

    id: UrlId
    page: Page | None = None
    digest: bytes = b""


class MemoryPageStore:
    """Pages in a list; a page is visible once the frontier has recorded it."""

    def __init__(self) -> None:
        self._appended: list[tuple[Page, bytes]] = []
        self._locations: dict[bytes, RecordLocation] = {}
        self.recorded: list[PageVersion] = []
        """All versions; the sequence number of the first is 1."""

    def append(self, pages: Sequence[tuple[Page, bytes]]) -> list[RecordLocation]:
        locations = []
        for page, digest in pages:
            body = self._locations.get(digest)
            location = RecordLocation("memory", len(self._appended), 1, body)
            self._locations.setdefault(digest, location)
            self._appended.append((page, digest))
            locations.append(location)
        return locations

    def record_version(self, location: RecordLocation | None, id: UrlId) -> int:
        """Record the page at `location`, or a tombstone; return the sequence number."""
        version = PageVersion(id)
        if location:
            page, digest = self._appended[location.offset]
            version = PageVersion(id, replace(page, id=id), digest)
        self.recorded.append(version)
        return len(self.recorded)

    def get(self, id: UrlId) -> Page | None:
        return next((one.page for one in reversed(self.recorded) if one.id == id), None)

    def previous_version(self, id: UrlId) -> Page | None:
        own = [one for one in self.recorded if one.id == id]
        others = [one.page for one in own if one.page and one.digest != own[-1].digest]
        return others[-1] if others else None

    def versions(self, id: UrlId, limit: int) -> Iterator[tuple[bytes, Page]]:
        own = [(one.digest, one.page) for one in self.recorded if one.id == id and one.page]
        yield from own[-limit:] if limit else ()

    def changes_since(self, sequence: int) -> Generator[tuple[int, UrlId, Page | None], None, None]:
        newest = {one.id: number for number, one in enumerate(self.recorded, 1)}
        for number, one in enumerate(self.recorded[sequence:], sequence + 1):
            if number == newest[one.id]:
                yield number, one.id, one.page

    def last_sequence(self) -> int:
        return len(self.recorded)

    def require_files(self) -> None:
        """Do nothing: in memory, no file can be missing."""
