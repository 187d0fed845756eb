"""byway's extraction of saved pages, with the crawler's settings, in this process."""

from byway.core.model import Document, Page, Url
from byway.core.settings.schema import ExtractSettings
from byway.extract.dispatch import extract
from byway.extract.site_rules.load import load_rules

SETTINGS = ExtractSettings()
SITE_RULES = load_rules()
MAX_PAGE_BYTES = 64 * 1024 * 1024


def make_page(body: bytes, url: str = "https://example.org/page", **headers: str) -> Page:
    """A page as HTML in UTF-8, which all pages are saved in."""
    content_type = ("Content-Type", "text/html; charset=utf-8")
    more = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Page(Url(url), 0.0, 200, (content_type, *more), body)


def extract_document(body: bytes) -> Document:
    """The document of a page; an empty one if extraction fails."""
    result = extract(make_page(body), SETTINGS, MAX_PAGE_BYTES, SITE_RULES)
    return result.document or Document(Url("https://example.org/page"))
