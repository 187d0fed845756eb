"""How does byway read a saved page? As the crawler does, in this process."""

from byway.core.model import Document, Page, Url
from byway.core.settings.schema import ExtractSettings
from byway.extract.dispatch import extract
from byway.extract.site_rules.load import load_rules

SETTINGS = ExtractSettings()
SITE_RULES = load_rules()
MAX_PAGE_BYTES = 64 * 1024 * 1024


def make_page(body: bytes, url: str = "https://example.org/page", **headers: str) -> Page:
    """A page that a server sent as HTML in UTF-8, which is how all of them are saved."""
    kind = ("Content-Type", "text/html; charset=utf-8")
    more = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return Page(Url(url), 0.0, 200, (kind, *more), body)


def extract_document(body: bytes) -> Document:
    """What a page says; an empty document when it cannot be read."""
    read = extract(make_page(body), SETTINGS, MAX_PAGE_BYTES, SITE_RULES)
    return read.document or Document(Url("https://example.org/page"))
