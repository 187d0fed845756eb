"""Pages for tests, made of text."""

from byway.app.verticals.vertical_folders import load_verticals
from byway.core.model import Document, ExtractionResult, Page, Url
from byway.core.settings.schema import ExtractSettings
from byway.extract.dispatch import extract

SETTINGS = ExtractSettings(workers=1)
VERTICALS = load_verticals()
MAX_BYTES = 8 * 1024 * 1024
FETCHED_AT = 1_763_000_000.0
"""A day in November 2025."""


MANY_ATTRIBUTES = " ".join(f"a{number}=1" for number in range(50_000))
HOSTILE_PAGES = (
    "<div>" * 100_000 + "deep",
    "<table><tr><td>" * 5_000 + "cell",
    f"<p {MANY_ATTRIBUTES}>many",
    "<b><p>" * 5_000 + "bold",
    "<a href=x><table>" * 5_000,
    "<div itemscope itemprop=a>" * 5_000 + "x",
    "<!--" * 100_000,
    "<plaintext></html>words",
    "<p>NUL \0 in text &#0; &#xD800; &#x110000;",
    "<script>never closed",
    "<frameset><frame src=a.html></frameset>",
    "<base href='javascript:1'><base href='::'><a href='http://['>x</a>",
)
"""Pages on which some parsers hang or crash."""


def page(
    body: str | bytes,
    content_type: str = "text/html; charset=utf-8",
    url: str = "https://example.org/a/page",
    **headers: str,
) -> Page:
    """A page; header names are keywords with underscores."""
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    kind = (("Content-Type", content_type),) if content_type else ()
    data = body.encode() if isinstance(body, str) else body
    return Page(Url(url), FETCHED_AT, 200, (*kind, *named), data)


def extract_page(body: str | bytes, **page_options: str) -> ExtractionResult:
    """The extraction result of such a page."""
    return extract(page(body, **page_options), SETTINGS, MAX_BYTES, verticals=VERTICALS)


def document(body: str | bytes, **page_options: str) -> Document:
    """The document of such a page."""
    extracted = extract_page(body, **page_options)
    assert extracted.document is not None, extracted.failure
    return extracted.document
