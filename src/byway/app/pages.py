"""Page archive: text, original bytes, links, earlier versions and record history of a page."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from byway.app.documents import extract_pages
from byway.app.links import page_links
from byway.app.search import SearchSession
from byway.core.content_encoding import decode_body
from byway.core.errors import DataError, RejectedContentError, UrlError, UsageError
from byway.core.model import Document, ExtractionResult, Page, UrlId, UrlRecord
from byway.core.model.document import unpack
from byway.core.model.link_report import PageNeighbours
from byway.core.ports import Storage
from byway.core.settings.schema import Settings
from byway.core.text import is_stop_word, tokenize
from byway.core.url import parse_typed_url
from byway.core.verticals import HistoryPoint, Record, Vertical

MAX_LINKS = 200
MAX_FREQUENT_WORDS = 30
MAX_HISTORY_VERSIONS = 30
"""Maximum number of versions of a page that are extracted for its record history."""
HISTORY_TIMEOUT_SECONDS = 20.0
"""Time limit for extracting all of these versions on a public server."""
MAX_COUNTED_CHARS = 200_000
"""Maximum length of text in which words are counted."""


@dataclass(frozen=True, slots=True)
class OriginalPage:
    """A page as it was fetched, decompressed."""

    content_type: str
    """The Content-Type header, with its charset."""
    body: bytes


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """A stored page: the record of its URL, its document, links and versions."""

    record: UrlRecord
    document: Document
    _storage: Storage
    _settings: Settings
    _session: SearchSession

    def original(self) -> OriginalPage | None:
        """The page as it was fetched; None if its bytes are gone."""
        page = self._session.page(self.record.url)
        if page is None:
            return None
        max_bytes = self._settings.crawl.max_bytes
        try:
            body = decode_body(page.body, page.header("content-encoding"), max_bytes)
        except RejectedContentError:
            return None
        return OriginalPage(page.header("content-type"), body)

    def links(self, limit: int = MAX_LINKS) -> PageNeighbours | None:
        """The inlinks and outlinks of the page."""
        try:
            return page_links(self._storage.path, self._settings, self.record.url, limit)
        except UsageError:
            return None

    def previous_version(self) -> tuple[float, Document] | None:
        """The last version with different content: when it was fetched, and its document.

        It is extracted again in a worker process, because pages are untrusted.
        """
        page = self._session.previous_version(self.record.id)
        if page is None:
            return None
        (result,) = self._extract_again([page])
        packed = result.packed_document
        return (page.fetched_at, unpack(packed)) if packed else None

    def record_history(
        self,
        vertical: Vertical,
        max_versions: int = MAX_HISTORY_VERSIONS,
        timeout: float | None = None,
    ) -> list[HistoryPoint]:
        """The record of a vertical at each fetch, oldest first.

        Versions are extracted again, as in `previous_version`; identical content only once. Raises
        an error if that takes longer than `timeout`.
        """
        fetches: list[tuple[float, bytes]] = []
        digests: dict[bytes, None] = {}

        def distinct(versions: Iterable[tuple[bytes, Page]]) -> Iterator[Page]:
            for digest, page in versions:
                fetches.append((page.fetched_at, digest))
                if digest not in digests:
                    digests[digest] = None
                    yield page

        with self._storage.reader() as reader:
            versions = reader.pages.versions(self.record.id, max_versions)
            results = self._extract_again(distinct(versions), timeout)
        records = dict(zip(digests, (_records(each) for each in results), strict=True))
        return [
            HistoryPoint(fetched_at, records[digest][vertical.noun])
            for fetched_at, digest in fetches
            if vertical.noun in records[digest]
        ]

    def _extract_again(
        self, pages: Iterable[Page], timeout: float | None = None
    ) -> list[ExtractionResult]:
        """Extract page versions again, with the current site rules and verticals."""

        async def extract() -> list[ExtractionResult]:
            async with asyncio.timeout(timeout):
                return await extract_pages(self._storage, self._settings, pages)

        try:
            return asyncio.run(extract())
        except TimeoutError:
            raise DataError("app.extraction_timeout") from None

    def frequent_words(self) -> list[tuple[str, int]]:
        """The most frequent words of the page, without stop words."""
        text, language = self.document.text[:MAX_COUNTED_CHARS], self.document.language
        counts = Counter(
            word for word in tokenize(text) if len(word) > 2 and not is_stop_word(word, language)
        )
        return counts.most_common(MAX_FREQUENT_WORDS)


class PageArchive:
    """The stored pages of a data folder. Thread-safe."""

    def __init__(self, storage: Storage, settings: Settings, session: SearchSession) -> None:
        self._storage = storage
        self._settings = settings
        self._session = session
        self.icons = storage.icons()
        """The favicons of hosts."""

    @property
    def verticals(self) -> tuple[Vertical, ...]:
        """The verticals, including this folder's own."""
        return self._session.verticals

    def find(self, typed_url: str) -> ArchivedPage | None:
        """The page at a typed URL; None if it is not stored, or may not be shown."""
        try:
            record = self._session.catalog.find_url(parse_typed_url(typed_url))
        except UrlError:
            return None
        if record and record.redirect_target:
            record = self._session.catalog.find_url(record.redirect_target)
        document = self._session.document(record.id) if record else None
        if record is None or document is None:
            return None
        return ArchivedPage(record, document, self._storage, self._settings, self._session)

    def document(self, id: UrlId) -> Document | None:
        """The document of a page."""
        return self._session.document(id)


def _records(result: ExtractionResult) -> Mapping[str, Record]:
    return unpack(result.packed_document).records if result.packed_document else {}
