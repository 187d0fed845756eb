"""What is kept of one page? Its text, its bytes, its links, and what it said and cost before."""

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
"""Versions of a page that are read for its prices, the newest: each takes a moment."""
PRICE_HISTORY_TIMEOUT_SECONDS = 20.0
"""Seconds that all these together may take, where anybody may ask."""
MAX_COUNTED_CHARS = 200_000
"""Characters of a text whose words are counted."""


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """A page that is kept: what became of its URL, and what it says."""

    record: UrlRecord
    document: Document


@dataclass(frozen=True, slots=True)
class PricePoint:
    """What a product cost when its page was seen."""

    at: float
    """In seconds from 1970."""
    price: float | None = None
    currency: str = ""
    old_price: float | None = None
    availability: str = ""


@dataclass(frozen=True, slots=True)
class OriginalPage:
    """A page as it came, decompressed."""

    content_type: str
    """The whole header, with its charset."""
    body: bytes


class PageArchive:
    """The pages of a data folder, one at a time. Threads may share it."""

    def __init__(self, folder: DataFolder, settings: Settings, session: SearchSession) -> None:
        self._folder = folder
        self._settings = settings
        self._reading = session
        self._icons = FileIconStore(folder.icons)
        # Read now: a mistake in it is for who starts us, and not for who asks.
        self.vocabulary = session.vocabulary
        """What goods are called here."""

    def find(self, typed_url: str) -> ArchivedPage | None:
        """The page at a URL as somebody types it; None if we do not have it, or may not show it."""
        try:
            record = self._reading.find_url(parse_typed_url(typed_url))
        except UrlError:
            return None
        if record and record.redirect_target:
            record = self._reading.find_url(record.redirect_target)
        document = self._reading.document(record.id) if record else None
        return ArchivedPage(record, document) if record and document else None

    def document(self, id: UrlId) -> Document | None:
        """What a page says."""
        return self._reading.document(id)

    def icon(self, host: str) -> bytes:
        """The favicon of a host; nothing where there is none."""
        return self._icons.get(host)

    def has_icon(self, host: str) -> bool:
        """Is there a favicon of that host?"""
        return self._icons.has_image(host)

    def original(self, archived: ArchivedPage) -> OriginalPage | None:
        """The page as it came; None where the bytes are no more."""
        page = self._reading.page(archived.record.url)
        if page is None:
            return None
        most = self._settings.crawl.max_bytes
        try:
            body = decode_body(page.body, page.header("content-encoding"), most)
        except RejectedContentError:
            return None
        return OriginalPage(page.header("content-type"), body)

    def links(self, archived: ArchivedPage, limit: int = MAX_LINKS) -> PageNeighbours | None:
        """Who links to the page, and to whom it links."""
        try:
            with open_link_explorer(self._folder) as explorer:
                return explorer.neighbours(archived.record.url, limit)
        except UsageError:
            return None

    def previous_version(self, archived: ArchivedPage) -> tuple[float, Document] | None:
        """When the page last was another, and what it said then.

        It is read again, by a process of its own as pages always are: they are not to be trusted.
        """
        page = self._reading.previous_version(archived.record.id)
        if page is None:
            return None
        (read,) = self._extract_again([page])
        return (page.fetched_at, unpack(read.packed_document)) if read.packed_document else None

    def price_history(
        self,
        archived: ArchivedPage,
        max_versions: int = MAX_PRICE_VERSIONS,
        timeout: float | None = None,
    ) -> list[PricePoint]:
        """What the product of a page cost each time it was seen, the first time first.

        Versions are read again, as with `previous_version`, one at a time; what is the same again
        is read
        once. It is an error if that takes longer than `timeout`.
        """
        seen: list[tuple[float, bytes]] = []
        fresh: dict[bytes, None] = {}

        def unread(versions: Iterable[tuple[bytes, Page]]) -> Iterator[Page]:
            for digest, page in versions:
                seen.append((page.fetched_at, digest))
                if digest not in fresh:
                    fresh[digest] = None
                    yield page

        with (
            closing(open_to_read(self._folder.crawl_db)) as db,
            closing(WarcPageStore(self._folder.pages, db)) as pages,
        ):
            read = self._extract_again(
                unread(pages.versions(archived.record.id, max_versions)), timeout
            )
        products = dict(zip(fresh, map(_product, read), strict=True))
        return [
            PricePoint(at, one.price, one.currency, one.old_price, one.availability)
            for at, digest in seen
            if (one := products[digest]) is not None
        ]

    def _extract_again(
        self, pages: Iterable[Page], seconds: float | None = None
    ) -> list[ExtractionResult]:
        """What versions of a page say, by the rules and the vocabulary of today."""
        from byway.app.page_preview import (
            extract_pages,  # late: it loads what fetches, and few need it
        )

        rules = self._folder.site_rules if self._folder.site_rules.is_dir() else None

        async def work() -> list[ExtractionResult]:
            async with asyncio.timeout(seconds):
                return await extract_pages(pages, self._settings, rules, self.vocabulary)

        try:
            return asyncio.run(work())
        except TimeoutError:
            raise DataError("it takes too long to read this page again; try later") from None

    def frequent_words(self, archived: ArchivedPage) -> list[tuple[str, int]]:
        """The words the page has most often, without those that every page has."""
        text, language = archived.document.text[:MAX_COUNTED_CHARS], archived.document.language
        counts = Counter(
            word for word in tokenize(text) if len(word) > 2 and not is_stop_word(word, language)
        )
        return counts.most_common(MAX_FREQUENT_WORDS)


def _product(read: ExtractionResult) -> Product | None:
    return product_of(unpack(read.packed_document)) if read.packed_document else None
