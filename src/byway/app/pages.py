"""Page archive: text, original bytes, links, earlier versions and price history of a page."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass

from byway.app.links import open_link_explorer
from byway.app.search import SearchSession
from byway.core.content_encoding import decode_body
from byway.core.errors import DataError, RejectedContentError, UrlError, UsageError
from byway.core.model import Document, ExtractionResult, Page, UrlId, UrlRecord
from byway.core.model.codec import unpack
from byway.core.settings.schema import Settings
from byway.core.text import is_stop_word, tokenize
from byway.core.url import parse_typed_url
from byway.products.record import Product, product_of
from byway.reports.links.neighbours import PageNeighbours
from byway.storage.data_folder import DataFolder
from byway.storage.favicons import FileIconStore
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.warc.page_store import WarcPageStore

MAX_LINKS = 200
MAX_FREQUENT_WORDS = 30
MAX_PRICE_VERSIONS = 30
"""Newest versions of a page that are extracted for its price history."""
PRICE_HISTORY_TIMEOUT_SECONDS = 20.0
"""Time limit for extracting them all on a public server."""
MAX_COUNTED_CHARS = 200_000
"""Characters of a text in which words are counted."""


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """A stored page: the record of its URL, and its document."""

    record: UrlRecord
    document: Document


@dataclass(frozen=True, slots=True)
class PricePoint:
    """The price of a product when its page was fetched."""

    at: float
    """Unix time."""
    price: float | None = None
    currency: str = ""
    old_price: float | None = None
    availability: str = ""


@dataclass(frozen=True, slots=True)
class OriginalPage:
    """A page as it was fetched, decompressed."""

    content_type: str
    """The Content-Type header, with its charset."""
    body: bytes


class PageArchive:
    """The stored pages of a data folder. Thread-safe."""

    def __init__(self, folder: DataFolder, settings: Settings, session: SearchSession) -> None:
        self._folder = folder
        self._settings = settings
        self._session = session
        self._icons = FileIconStore(folder.icons)
        # Loaded now, so that an error in it shows at startup and not in a request.
        self.vocabulary = session.vocabulary
        """The product vocabulary."""

    def find(self, typed_url: str) -> ArchivedPage | None:
        """The page at a typed URL; None if it is not stored, or may not be shown."""
        try:
            record = self._session.find_url(parse_typed_url(typed_url))
        except UrlError:
            return None
        if record and record.redirect_target:
            record = self._session.find_url(record.redirect_target)
        document = self._session.document(record.id) if record else None
        return ArchivedPage(record, document) if record and document else None

    def document(self, id: UrlId) -> Document | None:
        """The document of a page."""
        return self._session.document(id)

    def icon(self, host: str) -> bytes:
        """The favicon of a host; empty if it has none."""
        return self._icons.get(host)

    def has_icon(self, host: str) -> bool:
        """Whether a favicon of that host is stored."""
        return self._icons.has_image(host)

    def original(self, archived: ArchivedPage) -> OriginalPage | None:
        """The page as it was fetched; None if its bytes are gone."""
        page = self._session.page(archived.record.url)
        if page is None:
            return None
        max_bytes = self._settings.crawl.max_bytes
        try:
            body = decode_body(page.body, page.header("content-encoding"), max_bytes)
        except RejectedContentError:
            return None
        return OriginalPage(page.header("content-type"), body)

    def links(self, archived: ArchivedPage, limit: int = MAX_LINKS) -> PageNeighbours | None:
        """The inlinks and outlinks of the page."""
        try:
            with open_link_explorer(self._folder) as explorer:
                return explorer.neighbours(archived.record.url, limit)
        except UsageError:
            return None

    def previous_version(self, archived: ArchivedPage) -> tuple[float, Document] | None:
        """The last version with different content: when it was fetched, and its document.

        It is extracted again in a worker process, because pages are untrusted.
        """
        page = self._session.previous_version(archived.record.id)
        if page is None:
            return None
        (result,) = self._extract_again([page])
        packed = result.packed_document
        return (page.fetched_at, unpack(packed)) if packed else None

    def price_history(
        self,
        archived: ArchivedPage,
        max_versions: int = MAX_PRICE_VERSIONS,
        timeout: float | None = None,
    ) -> list[PricePoint]:
        """The price of the product at each fetch, oldest first.

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

        with (
            closing(open_to_read(self._folder.crawl_db)) as db,
            closing(WarcPageStore(self._folder.pages, db)) as pages,
        ):
            results = self._extract_again(
                distinct(pages.versions(archived.record.id, max_versions)), timeout
            )
        products = dict(zip(digests, map(_product, results), strict=True))
        return [
            PricePoint(
                at=fetched_at,
                price=product.price,
                currency=product.currency,
                old_price=product.old_price,
                availability=product.availability,
            )
            for fetched_at, digest in fetches
            if (product := products[digest]) is not None
        ]

    def _extract_again(
        self, pages: Iterable[Page], timeout: float | None = None
    ) -> list[ExtractionResult]:
        """Extraction of page versions with the current site rules and vocabulary."""
        from byway.app.page_preview import (
            extract_pages,  # late: it loads the fetching code
        )

        rules = self._folder.site_rules if self._folder.site_rules.is_dir() else None

        async def extract() -> list[ExtractionResult]:
            async with asyncio.timeout(timeout):
                return await extract_pages(pages, self._settings, rules, self.vocabulary)

        try:
            return asyncio.run(extract())
        except TimeoutError:
            raise DataError("app.extraction_timeout") from None

    def frequent_words(self, archived: ArchivedPage) -> list[tuple[str, int]]:
        """The most frequent words of the page, without stop words."""
        text, language = archived.document.text[:MAX_COUNTED_CHARS], archived.document.language
        counts = Counter(
            word for word in tokenize(text) if len(word) > 2 and not is_stop_word(word, language)
        )
        return counts.most_common(MAX_FREQUENT_WORDS)


def _product(result: ExtractionResult) -> Product | None:
    return product_of(unpack(result.packed_document)) if result.packed_document else None
