"""Documents: the searchable text, metadata and links extracted from a page, and their codec."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Any, NamedTuple

import msgspec
import zstandard

from byway.core.media_types import document_type_of
from byway.core.messages import NO_REASON, Reason
from byway.core.model.url_state import NO_ID, Url, UrlId


class Link(NamedTuple):
    """A hyperlink on a page. A tuple, because processes exchange hundreds per page."""

    target: Url
    anchor: str = ""
    nofollow: bool = False


class Neighbour(NamedTuple):
    """The page at the other end of a link, and the anchor text."""

    id: UrlId
    anchor: str = ""
    nofollow: bool = False


class Heading(NamedTuple):
    """A heading of a document: its `level` from 1 to 6, and the `#anchor` that links to it."""

    level: int
    text: str
    anchor: str = ""


class Image(NamedTuple):
    """An image in a document and its alt text."""

    url: Url
    text: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """The searchable text of a page with its structure and metadata."""

    url: Url
    id: UrlId = NO_ID
    title: str = ""
    text: str = ""
    """The main text, with paragraphs separated by newlines."""
    description: str = ""
    keywords: str = ""
    headings: tuple[Heading, ...] = ()
    emphasis: tuple[str, ...] = ()
    capitals: tuple[str, ...] = ()
    """Words in all caps, such as `IMPORTANT`."""
    link_text: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """Names it defines: terms in definition lists, and ids that links can point to."""
    images: tuple[Image, ...] = ()
    content_type: str = "text/html"
    language: str = ""
    """ISO 639-1 code, such as `en`; empty if unknown."""
    published: str = ""
    modified: str = ""
    """Publication and modification dates, such as 2024-05-31."""
    canonical: str = ""
    """The canonical URL that the page declares."""
    author: str = ""
    """The authors named on the page, separated by commas."""
    breadcrumbs: tuple[str, ...] = ()
    """The breadcrumb trail shown on the page."""
    attributes: Mapping[str, object] = field(default_factory=dict)
    """Values from site rules or structured data: price, brand, categories …"""

    @property
    def document_type(self) -> str:
        """The short name of its media type: `html`, `pdf`, `text` …"""
        return document_type_of(self.content_type)

    @property
    def epoch_day(self) -> int:
        """Publication date, or else modification date, in days since 1970-01-01; 0 if unknown."""
        return max(0, parse_epoch_day(self.published) or parse_epoch_day(self.modified) or 0)

    @property
    def records(self) -> Mapping[str, Mapping[str, Any]]:
        """The records that verticals found, by noun: `{"product": {"filters": {...}, ...}}`."""
        return {
            name: value
            for name, value in self.attributes.items()
            if isinstance(value, Mapping) and isinstance(value.get(FILTERS_KEY), Mapping)
        }


FILTERS_KEY, EXACT_FILTERS_KEY = "filters", "whole"
"""Keys of a record: its filters, and its vocabulary values such as `colour=dark blue`, which only
match as a whole: "artificial leather" is not leather."""
DOCUMENT_FIELDS = ("author", "breadcrumbs", "description", "modified", "published")
"""Site rule fields that fill document fields; all others become attributes."""

DATE_PATTERN = re.compile(
    r"(\d{4})(?:[-./](\d{1,2})(?:[-./](\d{1,2}))?|(\d\d)(\d\d))?(?!\d)", re.ASCII
)
EPOCH_ORDINAL = date(1970, 1, 1).toordinal()


def parse_epoch_day(text: str) -> int | None:
    """The first day of a date (2024, 2024-05, 2024-05-31, 20240531), in days since 1970-01-01."""
    match = DATE_PATTERN.match(text.strip())
    if not match:
        return None
    year, *separated, month, day = match.groups()
    month, day = separated if month is None else (month, day)
    try:
        return date(int(year), int(month or 1), int(day or 1)).toordinal() - EPOCH_ORDINAL
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class ExtractionResult:
    """The result of extracting one page."""

    document: Document | None = None
    packed_document: bytes = b""
    """The document as packed by `pack`, if it comes from another process."""
    links: tuple[Link, ...] = ()
    follow_links: bool = True
    """False if the page has nofollow."""
    may_index: bool = True
    """False if the page has noindex."""
    failure: Reason = NO_REASON
    """Why there is no document."""
    digest: bytes = b""
    """SHA-256 of the decompressed content."""
    feeds: tuple[Url, ...] = ()
    """RSS and Atom feeds of the page."""
    prefix_simhash: int = 0
    """`simhash.prefix_simhash` of the text if its URL matches a pattern; otherwise 0."""

    @property
    def indexable_document(self) -> bytes:
        """The packed document if the page may be indexed (see `extract/indexable.py`)."""
        return self.packed_document if self.may_index else b""


ZSTD_LEVEL = 1
"""The compression level; level 3 made documents 7 % smaller but took twice as long."""
_field_names = [item.name for item in fields(Document)]
_decode = msgspec.json.Decoder(Document).decode


def pack(document: Document) -> bytes:
    """Encode a document as compressed JSON, without its empty fields."""
    values = ((name, getattr(document, name)) for name in _field_names)
    filled = {name: value for name, value in values if value}
    return zstandard.compress(json.dumps(filled, ensure_ascii=False).encode(), ZSTD_LEVEL)


def unpack(body: bytes) -> Document:
    """Decode a document."""
    encoded = zstandard.decompress(body)
    try:
        return _decode(encoded)
    except msgspec.DecodeError:  # pages contain NaN and infinity, which are not JSON
        return _decode(msgspec.json.encode(json.loads(encoded)))
