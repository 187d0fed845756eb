"""What does this page say? Unpacks it, sees what kind it is, and hands it to who can read that."""

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from byway.core.content_encoding import decode_body, image_media_type
from byway.core.errors import RejectedContentError
from byway.core.model import ExtractionResult, Page
from byway.core.model.message import Reason
from byway.core.settings.schema import ExtractSettings
from byway.extract.formats import plain_text
from byway.extract.formats.html import reader
from byway.extract.site_rules.load import load_rules
from byway.extract.site_rules.rule import SiteRule
from byway.products.vocabulary.lookup import ProductVocabulary

log = logging.getLogger(__name__)

HTML_TYPES = {"text/html", "application/xhtml+xml"}
PDF_TYPE = "application/pdf"
UNKNOWN_TYPES = {"", "application/octet-stream", "application/unknown", "unknown/unknown", "*/*"}
XML_TYPES = {"application/xml", "text/xml"}
HTML_TAG_PATTERN = re.compile(
    rb"<(?:!doctype html|html|head|body|title|script|style|meta|link|table|div|h1|p|a|br|!--)"
    rb"[\s>]",
    re.IGNORECASE,
)
VARIABLE_URL_PATTERN = re.compile(r"[0-9?;]")
"""Endless pages are told apart by a number or a parameter somewhere behind their host."""
SNIFF_BYTES = 1024
"""Bytes looked at when a page does not say what it is."""


def extract(
    page: Page,
    settings: ExtractSettings,
    max_bytes: int,
    rules: Sequence[SiteRule] | None = None,
    vocabulary: ProductVocabulary | None = None,
) -> ExtractionResult:
    """All that one reading of a page gives; a page that cannot be read gives the reason."""
    try:
        body = decode_body(page.body, page.header("content-encoding"), max_bytes)
        rules = load_rules() if rules is None else rules
        read = _read(page, body, settings, rules, vocabulary)
        return replace(read, digest=sha256(body).digest(), prefix_simhash=_sketch(page, read))
    except RejectedContentError as error:
        return ExtractionResult(failure=error.reason)
    except MemoryError:
        raise  # the process must go, and only who watches over it can see to that
    except Exception as error:
        log.exception("extract failed url=%s", page.url)
        return ExtractionResult(failure=Reason("extract_error", error=type(error).__name__))


def _sketch(page: Page, read: ExtractionResult) -> int:
    """What a page that may be one of endlessly many is like; pages of a trap are alike."""
    if read.document is None or not VARIABLE_URL_PATTERN.search(page.url, page.url.index("/", 8)):
        return 0
    # Loaded only here: most sites have no such pages, and numpy takes a tenth of a second.
    from byway.core.text.simhash import prefix_simhash

    return prefix_simhash(read.document.text)


def _read(
    page: Page,
    body: bytes,
    settings: ExtractSettings,
    rules: Sequence[SiteRule],
    vocabulary: ProductVocabulary | None,
) -> ExtractionResult:
    match detect_format(page, body):
        case "html":
            return reader.read(page, body, settings, rules, vocabulary)
        case "pdf":
            # Reading PDF takes a tenth of a second to load, and few crawls need it.
            from byway.extract.formats import pdf

            return pdf.read(page, body, settings)
        case "text":
            return plain_text.read(page, body, settings)
    return ExtractionResult(failure=_unread(page.content_type, body))


def _unread(claimed: str, body: bytes) -> Reason:
    """Why a page is none that can be read."""
    found = image_media_type(body)
    if claimed == PDF_TYPE and not found:
        return Reason("not_a_pdf")
    named = found or claimed[:100]
    return Reason("unreadable_type", media_type=named) if named else Reason("binary_data")


def detect_format(page: Page, body: bytes) -> str:
    """`html`, `pdf`, `text`, or nothing: what the header says, unless the bytes know better."""
    start = body[:SNIFF_BYTES]
    claimed = page.content_type
    if b"%PDF-" in start and not start.lstrip().startswith(b"<"):
        return "pdf"
    if claimed in HTML_TYPES:
        return "html"
    if claimed in UNKNOWN_TYPES | XML_TYPES | {PDF_TYPE}:
        if HTML_TAG_PATTERN.search(start):
            return "html"
        return "text" if claimed not in XML_TYPES and not is_binary(start) else ""
    return "text" if claimed.startswith("text/") and not is_binary(start) else ""


def is_binary(start: bytes) -> bool:
    """Is it data rather than text? NULs tell, except in UTF-16, which says so at its start."""
    return b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff"))
