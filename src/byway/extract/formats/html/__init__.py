"""HTML and XHTML: web pages."""

import re

from byway.core.media_types import DocumentFormat
from byway.core.model import ExtractionResult, Page
from byway.extract.formats import ReaderContext

FORMAT = DocumentFormat(
    media_types=("text/html", "application/xhtml+xml"),
    extensions={
        ".html": "text/html",
        ".htm": "text/html",
        ".xhtml": "application/xhtml+xml",
    },
    tag_pattern=re.compile(
        rb"<(?:!doctype html|html|head|body|title|script|style|meta|link|table|div|h1|p|a|br|!--)"
        rb"[\s>]",
        re.IGNORECASE,
    ),
)


def read(page: Page, body: bytes, context: ReaderContext) -> ExtractionResult:
    """Read a web page."""
    from byway.extract.formats.html.html_reader import read_html

    return read_html(page, body, context)
