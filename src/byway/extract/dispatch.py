"""What does this page say? Unpacks it, sees what kind it is, and hands it to who can read that."""

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from byway.core.content_encoding import decoded, picture_kind
from byway.core.errors import Unwanted
from byway.core.model import Extracted, Page
from byway.core.settings.schema import ExtractSettings
from byway.extract.formats import plain_text
from byway.extract.formats.html import reader
from byway.extract.site_rules.load import load
from byway.extract.site_rules.rule import Rule
from byway.products.vocabulary.lookup import Vocabulary

log = logging.getLogger(__name__)

HTML = {"text/html", "application/xhtml+xml"}
PDF = "application/pdf"
UNKNOWN = {"", "application/octet-stream", "application/unknown", "unknown/unknown", "*/*"}
XML = {"application/xml", "text/xml"}
LOOKS_LIKE_HTML = re.compile(
    rb"<(?:!doctype html|html|head|body|title|script|style|meta|link|table|div|h1|p|a|br|!--)"
    rb"[\s>]",
    re.IGNORECASE,
)
ONE_OF_MANY = re.compile(r"[0-9?;]")
"""Endless pages are told apart by a number or a parameter somewhere behind their host."""
START = 1024
"""Bytes looked at when a page does not say what it is."""


def extract(
    page: Page,
    settings: ExtractSettings,
    max_bytes: int,
    rules: Sequence[Rule] | None = None,
    vocabulary: Vocabulary | None = None,
) -> Extracted:
    """All that one reading of a page gives; a page that cannot be read gives the reason."""
    try:
        body = decoded(page.body, page.header("content-encoding"), max_bytes)
        rules = load() if rules is None else rules
        read = _read(page, body, settings, rules, vocabulary)
        return replace(read, digest=sha256(body).digest(), sketch=_sketch(page, read))
    except Unwanted as error:
        return Extracted(failed=str(error))
    except MemoryError:
        raise  # the process must go, and only who watches over it can see to that
    except Exception as error:
        log.exception("extract failed url=%s", page.url)
        return Extracted(failed=f"could not be read: {type(error).__name__}")


def _sketch(page: Page, read: Extracted) -> int:
    """What a page that may be one of endlessly many is like; pages of a trap are alike."""
    if read.document is None or not ONE_OF_MANY.search(page.url, page.url.index("/", 8)):
        return 0
    # Loaded only here: most sites have no such pages, and numpy takes a tenth of a second.
    from byway.core.text.simhash import sketch

    return sketch(read.document.text)


def _read(
    page: Page,
    body: bytes,
    settings: ExtractSettings,
    rules: Sequence[Rule],
    vocabulary: Vocabulary | None,
) -> Extracted:
    match kind_of(page, body):
        case "html":
            return reader.read(page, body, settings, rules, vocabulary)
        case "pdf":
            # Reading PDF takes a tenth of a second to load, and few crawls need it.
            from byway.extract.formats import pdf

            return pdf.read(page, body, settings)
        case "text":
            return plain_text.read(page, body, settings)
    return Extracted(failed=_unread(page.content_type, body))


def _unread(claimed: str, body: bytes) -> str:
    """Why a page is none that can be read."""
    found = picture_kind(body)
    if claimed == PDF and not found:
        return "this PDF is damaged, or is none: it does not begin with %PDF-"
    named = found or claimed[:100] or "data that is no text"
    return f"not a kind of page that is read (HTML, PDF, Markdown and plain text are): {named}"


def kind_of(page: Page, body: bytes) -> str:
    """`html`, `pdf`, `text`, or nothing: what the header says, unless the bytes know better."""
    start = body[:START]
    claimed = page.content_type
    if b"%PDF-" in start and not start.lstrip().startswith(b"<"):
        return "pdf"
    if claimed in HTML:
        return "html"
    if claimed in UNKNOWN | XML | {PDF}:
        if LOOKS_LIKE_HTML.search(start):
            return "html"
        return "text" if claimed not in XML and not is_binary(start) else ""
    return "text" if claimed.startswith("text/") and not is_binary(start) else ""


def is_binary(start: bytes) -> bool:
    """Is it data rather than text? NULs tell, except in UTF-16, which says so at its start."""
    return b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff"))
