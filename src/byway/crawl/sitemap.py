"""Sitemaps in XML, text or gzip, and RSS and Atom feeds: fetched one after another, and parsed.

Damaged sitemaps are read as far as possible. Entries for other hosts are skipped; a DTD is
rejected.
"""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from xml.parsers import expat

from byway.core import content_encoding
from byway.core.errors import FetchError, RejectedContentError, UrlError
from byway.core.model import Url, Visit
from byway.core.url import MAX_URL_CHARS, host_of, normalize, resolve
from byway.crawl.http.fetcher import PageFetcher

log = logging.getLogger(__name__)

MAX_SITEMAP_URLS = 50_000
MAX_SITEMAP_BYTES = 50 * 1024 * 1024
"""Limits set by sitemaps.org."""

MAX_XML_ELEMENTS = 1_000_000
MAX_XML_DEPTH = 64
MAX_BYTES_WITHOUT_TAG = 32_768
"""XML limits. Real sitemaps have ten elements per URL, nested four deep; far more is an attack."""

#: Elements that describe a page or a sitemap, with the child elements for URL and date, best
#: first. `""` is the element's own text, where some sites put the URL.
ENTRY_ELEMENTS = {
    "url": (("loc", ""), ("lastmod",)),
    "sitemap": (("loc", ""), ("lastmod",)),
    "item": (("link",), ("pubdate", "date")),
    "entry": (("link",), ("updated", "published")),
}
BARE_AMPERSAND_PATTERN = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)")
INVALID_XML_CHAR_PATTERN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
XML_DECLARATION_PATTERN = re.compile(r"<\?xml[^>]*>")
#: Only encodings that decode quickly: `punycode` takes hours.
XML_ENCODING_PATTERN = re.compile(
    rb"""<\?xml[^>]*encoding=["'](utf-8|iso-8859-\d+|windows-125\d|koi8-[ru]|gb\w+|shift_jis)["']""",
    re.IGNORECASE,
)
MAX_SITEMAPS = 100
"""Maximum sitemaps read per host; each may list 50,000 pages."""


class SitemapEntry(NamedTuple):
    """A page in a sitemap, with the modification date the site declares."""

    url: Url
    lastmod: float | None = None


class Sitemap(NamedTuple):
    """The content of a sitemap."""

    pages: tuple[SitemapEntry, ...] = ()
    sitemaps: tuple[Url, ...] = ()
    """Further sitemaps, if it is a sitemap index."""


def parse(body: bytes, base: Url) -> Sitemap:
    """Parse the sitemap at `base`; raise `RejectedContentError` if it is too large or has a DTD."""
    if body.startswith(b"\x1f\x8b"):
        body = content_encoding.decode_body(body, "gzip", MAX_SITEMAP_BYTES)
    if len(body) > MAX_SITEMAP_BYTES:
        raise RejectedContentError(
            "sitemap_too_large", bytes=len(body), max_bytes=MAX_SITEMAP_BYTES
        )
    body = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if body.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        return _entries_of_host(_parse_xml(body), base)
    lines = (line.strip() for line in body.decode("utf-8", "replace").splitlines())
    urls = [line for line in lines if line.lower().startswith(("http://", "https://"))]
    return _entries_of_host([("url", url, "") for url in urls[:MAX_SITEMAP_URLS]], base)


def _entries_of_host(entries: list[tuple[str, str, str]], base: Url) -> Sitemap:
    """The entries on the host of `base`; a sitemap is not trusted for other hosts."""
    urls = resolve(base, dict.fromkeys(href for _, href, _ in entries))
    host = host_of(base)
    pages: dict[Url, SitemapEntry] = {}
    sitemaps: dict[Url, None] = {}
    for kind, href, date in entries:
        url = urls.get(href)
        if url is None or host_of(url) != host:
            continue
        if kind != "sitemap":
            pages.setdefault(url, SitemapEntry(url, _parse_date(date)))
        elif url != base:
            sitemaps[url] = None
    return Sitemap(tuple(pages.values()), tuple(sitemaps))


def _parse_xml(body: bytes) -> list[tuple[str, str, str]]:
    """The entries of an XML sitemap: element name, URL and date as written."""
    body = _cut_endless_tag(body)
    reader = _SitemapXmlParser()
    if not reader.parse(body):
        # Mostly a bare & in a URL, or a byte that is not UTF-8: repair those and parse again.
        again = _SitemapXmlParser("utf-8")
        again.parse(_repair(body))
        reader = max(reader, again, key=lambda each: len(each.entries))
    return reader.entries


def _cut_endless_tag(body: bytes) -> bytes:
    """The body up to the first block without `<`; expat took 11 s for four million attributes."""
    for start in range(0, len(body) - MAX_BYTES_WITHOUT_TAG, MAX_BYTES_WITHOUT_TAG):
        if body.find(b"<", start, start + MAX_BYTES_WITHOUT_TAG) < 0:
            return body[:start]
    return body


def _repair(body: bytes) -> bytes:
    declared = XML_ENCODING_PATTERN.match(body)
    try:
        text = body.decode(declared.group(1).decode() if declared else "utf-8", "replace")
    except LookupError:
        text = body.decode("utf-8", "replace")
    start = XML_DECLARATION_PATTERN.match(text)
    text = INVALID_XML_CHAR_PATTERN.sub(
        "\N{REPLACEMENT CHARACTER}", text[start.end() if start else 0 :]
    )
    return BARE_AMPERSAND_PATTERN.sub("&amp;", text).encode()


class _ParseLimitReached(Exception):
    """A limit on elements, depth or entries was reached."""


class _SitemapXmlParser:
    """Streaming XML parser that collects entries without building a tree."""

    def __init__(self, encoding: str | None = None) -> None:
        self.entries: list[tuple[str, str, str]] = []
        self._parser = expat.ParserCreate(encoding)
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._reject_doctype
        self._parser.StartElementHandler = self._on_start
        self._parser.EndElementHandler = self._on_end
        self._parser.CharacterDataHandler = self._on_text
        self._path: list[str] = []
        self._element_count = 0
        self._kind = ""
        self._fields: dict[str, str] = {}

    def parse(self, body: bytes) -> bool:
        """Parse as far as possible; False if the XML is malformed."""
        try:
            self._parser.Parse(body, True)
        except _ParseLimitReached:
            return True
        except (expat.ExpatError, LookupError, ValueError):
            return False
        return True

    def _reject_doctype(self, *_: object) -> None:
        raise RejectedContentError("sitemap_invalid")

    def _on_start(self, name: str, attributes: dict[str, str]) -> None:
        self._element_count += 1
        if self._element_count > MAX_XML_ELEMENTS or len(self._path) >= MAX_XML_DEPTH:
            raise _ParseLimitReached
        name = name.rpartition(":")[2].lower()
        if not self._kind and name in ENTRY_ELEMENTS:
            self._kind, self._fields, self._path = name, {}, []
            return
        if self._kind == "entry" and name == "link" and not self._path:
            own = attributes.get("rel", "alternate") == "alternate"
            self._fields[name] = self._fields.get(name) or (attributes.get("href", "") * own)
        self._path.append(name)

    def _on_text(self, text: str) -> None:
        """Collect text of an entry's direct children; deeper text describes images and videos."""
        if self._kind and len(self._path) < 2:
            field = self._path[0] if self._path else ""
            collected = self._fields.get(field, "")
            if len(collected) <= MAX_URL_CHARS and any(
                field in names for names in ENTRY_ELEMENTS[self._kind]
            ):
                self._fields[field] = collected + text

    def _on_end(self, _: str) -> None:
        if self._path:
            self._path.pop()
        elif self._kind:
            url, date = (self._first_value(names) for names in ENTRY_ELEMENTS[self._kind])
            if url:
                self.entries.append((self._kind, url, date))
            self._kind = ""
            if len(self.entries) >= MAX_SITEMAP_URLS:
                raise _ParseLimitReached

    def _first_value(self, names: Iterable[str]) -> str:
        return next(filter(None, (self._fields.get(name, "").strip() for name in names)), "")


def _parse_date(date: str) -> float | None:
    """A date as a Unix time: `2024-05`, `2024-05-31T10:00:00+02:00`, `Fri, 31 May 2024`."""
    if not date:
        return None
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            when = read(f"{date}-01" if re.fullmatch(r"\d{4}-\d\d", date) else date)
            return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError):
            continue
    return None


async def fetch_sitemap_entries(
    fetcher: PageFetcher, url: Url, sitemaps: Iterable[str], allowed: Callable[[Url], bool]
) -> AsyncIterator[tuple[SitemapEntry, ...]]:
    """The entries of a host's sitemaps, file by file; sitemaps on other hosts are skipped."""
    queue = [sitemap for text in sitemaps if (sitemap := _resolve(text, url))]
    seen: set[Url] = set()
    while queue and len(seen) < MAX_SITEMAPS:
        sitemap = queue.pop(0)
        if sitemap in seen or host_of(sitemap) != host_of(url) or not allowed(sitemap):
            continue
        seen.add(sitemap)
        try:
            page = await fetcher.fetch(Visit(sitemap), any_type=True, truncate_at=MAX_SITEMAP_BYTES)
            if page.status != 200:
                log.info("sitemap skipped url=%s status=%d", sitemap, page.status)
                continue
            content = content_encoding.decode_body(
                page.body, page.header("content-encoding"), MAX_SITEMAP_BYTES
            )
            # In a thread: the worst 50 MB sitemap took 2.4 s, and other hosts are waiting.
            parsed = await asyncio.to_thread(parse, content, sitemap)
        except FetchError as error:
            log.info("sitemap skipped url=%s reason=%s", sitemap, error.reason)
            continue
        queue += parsed.sitemaps
        yield parsed.pages


def _resolve(text: str, base: Url) -> Url | None:
    try:
        return normalize(text, base)
    except UrlError:
        return None
