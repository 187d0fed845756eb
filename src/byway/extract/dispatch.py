"""Page extraction: decodes the body, detects the format and calls its reader."""

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from byway.core.content_encoding import decode_body, image_media_type
from byway.core.errors import RejectedContentError
from byway.core.media_types import (
    UNKNOWN_MEDIA_TYPES,
    XML_MEDIA_TYPES,
    document_formats,
    document_type_of,
)
from byway.core.messages import Reason
from byway.core.model import ExtractionResult, Page
from byway.core.settings.schema import ExtractSettings
from byway.core.verticals import Vertical
from byway.extract.formats import ReaderContext, reader_of
from byway.extract.indexable import with_robots_headers
from byway.extract.site_rules.load import load_rules
from byway.extract.site_rules.rule import SiteRule

log = logging.getLogger(__name__)

VARIABLE_URL_PATTERN = re.compile(r"[0-9?;]")
"""A digit or parameter after the host: the part of a URL that varies in crawler traps."""

SNIFF_BYTES = 1024
"""Bytes at the start of a body used to detect its format."""

PLAIN_TEXT = "text"
"""The document type of text not claimed by another format."""


def extract(
    page: Page,
    settings: ExtractSettings,
    max_bytes: int,
    rules: Sequence[SiteRule] | None = None,
    verticals: Sequence[Vertical] = (),
) -> ExtractionResult:
    """The document and links of a page, or the reason it cannot be read."""
    try:
        body = decode_body(page.body, page.header("content-encoding"), max_bytes)
        context = ReaderContext(settings, load_rules() if rules is None else rules, verticals)
        extracted = with_robots_headers(page, _read(page, body, context))
        return replace(
            extracted,
            digest=sha256(body).digest(),
            prefix_simhash=_prefix_simhash(page, extracted),
        )
    except RejectedContentError as error:
        return ExtractionResult(failure=error.reason)
    except MemoryError:
        raise  # the pool replaces the worker
    except Exception as error:
        log.exception("extract failed url=%s", page.url)
        return ExtractionResult(failure=Reason("extract_error", error=type(error).__name__))


def _read(page: Page, body: bytes, context: ReaderContext) -> ExtractionResult:
    document_type = detect_format(page, body)
    if not document_type:
        return ExtractionResult(failure=_unreadable_reason(page.content_type, body))
    return reader_of(document_type)(page, body, context)


def _prefix_simhash(page: Page, extracted: ExtractionResult) -> int:
    """SimHash for trap detection, if the URL may belong to a crawler trap; else 0."""
    document = extracted.document
    if document is None or not VARIABLE_URL_PATTERN.search(page.url, page.url.index("/", 8)):
        return 0
    # Imported lazily: most sites have no such pages, and numpy takes a tenth of a second to load.
    from byway.core.text.simhash import prefix_simhash

    return prefix_simhash(document.text)


def _unreadable_reason(claimed: str, body: bytes) -> Reason:
    """The reason a page's format cannot be read."""
    image_type = image_media_type(body)
    if document_type_of(claimed) == "pdf" and not image_type:
        return Reason("not_a_pdf")
    media_type = image_type or claimed[:100]
    return Reason("unreadable_type", media_type=media_type) if media_type else Reason("binary_data")


def detect_format(page: Page, body: bytes) -> str:
    """Detect the document type of a page by signature, media type or markup; may be empty."""
    start = body[:SNIFF_BYTES]
    claimed = page.content_type
    formats = document_formats()
    if not start.lstrip().startswith(b"<"):
        for name, format in formats.items():
            if format.signature and format.signature in start:
                return name
    declared = next((name for name, format in formats.items() if format.declares(claimed)), "")
    is_unsigned = bool(declared and formats[declared].signature)
    if declared and not is_unsigned and not formats[declared].is_text:
        return declared
    if is_unsigned or claimed in UNKNOWN_MEDIA_TYPES or claimed in XML_MEDIA_TYPES:
        for name, format in formats.items():
            if format.tag_pattern and format.tag_pattern.search(start):
                return name
        if claimed in XML_MEDIA_TYPES:
            return ""
    elif not declared and not claimed.startswith("text/"):
        return ""
    return "" if is_binary(start) else _text_format(page)


def _text_format(page: Page) -> str:
    """The text format for the media type or the URL's extension; else plain text."""
    path = page.url.partition("?")[0].lower()
    for name, format in document_formats().items():
        if not format.is_text or name == PLAIN_TEXT:
            continue
        if format.declares(page.content_type) or path.endswith(tuple(format.extensions)):
            return name
    return PLAIN_TEXT


def is_binary(start: bytes) -> bool:
    """Whether the bytes are binary: they contain NULs and have no UTF-16 byte order mark."""
    return b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff"))
