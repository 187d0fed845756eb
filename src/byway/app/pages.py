"""What is kept of one page? Its text, its bytes, its links, and what it said and cost before."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass

from byway.app.links import exploring
from byway.app.search import Reading
from byway.core.content_encoding import decoded
from byway.core.errors import DataError, Unwanted, UrlError, UsageError
from byway.core.model import Document, Extracted, Page, UrlId, UrlRecord
from byway.core.model.codec import unpack
from byway.core.settings.schema import Settings
from byway.core.text import is_common, words
from byway.core.url import guess
from byway.products.record import Product, product_of
from byway.reports.links.neighbours import Around
from byway.storage.data_folder import Folder
from byway.storage.favicons import FileIcons
from byway.storage.sqlite.crawl_db.schema import open_to_read
from byway.storage.warc.page_store import WarcPages

MOST_LINKS = 200
MOST_WORDS = 30
MOST_VERSIONS = 30
"""Versions of a page that are read for its prices, the newest: each takes a moment."""
PATIENCE = 20.0
"""Seconds that all these together may take, where anybody may ask."""
COUNTED = 200_000
"""Characters of a text whose words are counted."""


@dataclass(frozen=True, slots=True)
class Found:
    """A page that is kept: what became of its URL, and what it says."""

    record: UrlRecord
    document: Document


@dataclass(frozen=True, slots=True)
class Priced:
    """What a product cost when its page was seen."""

    at: float
    """In seconds from 1970."""
    price: float | None = None
    currency: str = ""
    old_price: float | None = None
    availability: str = ""


@dataclass(frozen=True, slots=True)
class Original:
    """A page as it came, decompressed."""

    content_type: str
    """The whole header, with its charset."""
    body: bytes


class Kept:
    """The pages of a data folder, one at a time. Threads may share it."""

    def __init__(self, folder: Folder, settings: Settings, reading: Reading) -> None:
        self._folder = folder
        self._settings = settings
        self._reading = reading
        self._icons = FileIcons(folder.icons)
        # Read now: a mistake in it is for who starts us, and not for who asks.
        self.vocabulary = reading.vocabulary
        """What goods are called here."""

    def find(self, typed: str) -> Found | None:
        """The page at a URL as somebody types it; None if we do not have it, or may not show it."""
        try:
            record = self._reading.look_up(guess(typed))
        except UrlError:
            return None
        if record and record.leads_to:
            record = self._reading.look_up(record.leads_to)
        document = self._reading.document(record.id) if record else None
        return Found(record, document) if record and document else None

    def document(self, id: UrlId) -> Document | None:
        """What a page says."""
        return self._reading.document(id)

    def icon(self, host: str) -> bytes:
        """The favicon of a host; nothing where there is none."""
        return self._icons.get(host)

    def has_icon(self, host: str) -> bool:
        """Is there a favicon of that host?"""
        return self._icons.shows(host)

    def original(self, found: Found) -> Original | None:
        """The page as it came; None where the bytes are no more."""
        page = self._reading.page(found.record.url)
        if page is None:
            return None
        most = self._settings.crawl.max_bytes
        try:
            body = decoded(page.body, page.header("content-encoding"), most)
        except Unwanted:
            return None
        return Original(page.header("content-type"), body)

    def links(self, found: Found, most: int = MOST_LINKS) -> Around | None:
        """Who links to the page, and to whom it links."""
        try:
            with exploring(self._folder) as explorer:
                return explorer.around(found.record.url, most)
        except UsageError:
            return None

    def before(self, found: Found) -> tuple[float, Document] | None:
        """When the page last was another, and what it said then.

        It is read again, by a process of its own as pages always are: they are not to be trusted.
        """
        page = self._reading.page_before(found.record.id)
        if page is None:
            return None
        (read,) = self._read_again([page])
        return (page.fetched_at, unpack(read.packed)) if read.packed else None

    def prices(
        self, found: Found, most: int = MOST_VERSIONS, seconds: float | None = None
    ) -> list[Priced]:
        """What the product of a page cost each time it was seen, the first time first.

        Versions are read again, as with `before`, one at a time; what is the same again is read
        once. It is an error if that takes longer than `seconds`.
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
            closing(WarcPages(self._folder.pages, db)) as pages,
        ):
            read = self._read_again(unread(pages.each_version(found.record.id, most)), seconds)
        products = dict(zip(fresh, map(_product, read), strict=True))
        return [
            Priced(at, one.price, one.currency, one.old_price, one.availability)
            for at, digest in seen
            if (one := products[digest]) is not None
        ]

    def _read_again(self, pages: Iterable[Page], seconds: float | None = None) -> list[Extracted]:
        """What versions of a page say, by the rules and the vocabulary of today."""
        from byway.app.page_preview import read_each  # late: it loads what fetches, and few need it

        rules = self._folder.sites if self._folder.sites.is_dir() else None

        async def work() -> list[Extracted]:
            async with asyncio.timeout(seconds):
                return await read_each(pages, self._settings, rules, self.vocabulary)

        try:
            return asyncio.run(work())
        except TimeoutError:
            raise DataError("it takes too long to read this page again; try later") from None

    def words(self, found: Found) -> list[tuple[str, int]]:
        """The words the page has most often, without those that every page has."""
        text, language = found.document.text[:COUNTED], found.document.language
        counts = Counter(
            word for word in words(text) if len(word) > 2 and not is_common(word, language)
        )
        return counts.most_common(MOST_WORDS)


def _product(read: Extracted) -> Product | None:
    return product_of(unpack(read.packed)) if read.packed else None
