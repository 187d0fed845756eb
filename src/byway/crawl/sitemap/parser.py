"""Which pages does a site list itself? Sitemaps in XML, text or gzip, and feeds.

A sitemap may be damaged: what can be read of it counts. It may only speak for its own host, and
it may not define anything (a DTD), as nothing good comes of that.
"""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from xml.parsers import expat

from byway.core import content_encoding as bodies
from byway.core.errors import RejectedContentError
from byway.core.model import Url
from byway.core.url import MAX_URL_CHARS, host_of, resolve

MAX_SITEMAP_URLS = 50_000
MAX_SITEMAP_BYTES = 50 * 1024 * 1024
"""As sitemaps.org has it."""

MAX_XML_ELEMENTS = 1_000_000
MAX_XML_DEPTH = 64
MAX_BYTES_WITHOUT_TAG = 32_768
"""Real ones have ten elements for a URL, four deep. Beyond these we are being kept busy."""

#: The elements that stand for a page or another sitemap, and where in them its URL and date are,
#: the best first. Some write the URL right into the entry.
ENTRY_ELEMENTS = {
    "url": (("loc", ""), ("lastmod",)),
    "sitemap": (("loc", ""), ("lastmod",)),
    "item": (("link",), ("pubdate", "date")),
    "entry": (("link",), ("updated", "published")),
}
BARE_AMPERSAND_PATTERN = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)")
INVALID_XML_CHAR_PATTERN = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
XML_DECLARATION_PATTERN = re.compile(r"<\?xml[^>]*>")
#: Only encodings that are quick to undo: `punycode` is one too, and takes hours.
XML_ENCODING_PATTERN = re.compile(
    rb"""<\?xml[^>]*encoding=["'](utf-8|iso-8859-\d+|windows-125\d|koi8-[ru]|gb\w+|shift_jis)["']""",
    re.IGNORECASE,
)


class SitemapEntry(NamedTuple):
    """A page that a sitemap lists, and when it last changed as the site has it."""

    url: Url
    lastmod: float | None = None


class Sitemap(NamedTuple):
    """What a site lists of itself."""

    pages: tuple[SitemapEntry, ...] = ()
    sitemaps: tuple[Url, ...] = ()
    """Further sitemaps, if it is an index of them."""
    skipped_entries: int = 0
    """Entries that are no URLs, or of other hosts."""


def parse(body: bytes, base: Url) -> Sitemap:
    """Read the sitemap found at `base`; `RejectedContentError` if it is too large or has a DTD."""
    if body.startswith(b"\x1f\x8b"):
        body = bodies.decode_body(body, "gzip", MAX_SITEMAP_BYTES)
    if len(body) > MAX_SITEMAP_BYTES:
        raise RejectedContentError(
            "sitemap_too_large", bytes=len(body), max_bytes=MAX_SITEMAP_BYTES
        )
    body = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if body.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
        return _of_host(_xml(body), base)
    lines = (line.strip() for line in body.decode("utf-8", "replace").splitlines())
    urls = [line for line in lines if line.lower().startswith(("http://", "https://"))]
    return _of_host([("url", url, "") for url in urls[:MAX_SITEMAP_URLS]], base)


def _of_host(entries: list[tuple[str, str, str]], base: Url) -> Sitemap:
    """What `base` may speak for: a sitemap that lists another's pages is not believed."""
    urls = resolve(base, dict.fromkeys(href for _, href, _ in entries))
    host = host_of(base)
    pages: dict[Url, SitemapEntry] = {}
    sitemaps: dict[Url, None] = {}
    left_out = 0
    for kind, href, date in entries:
        url = urls.get(href)
        if url is None or host_of(url) != host:
            left_out += 1
        elif kind != "sitemap":
            pages.setdefault(url, SitemapEntry(url, _seconds(date)))
        elif url != base:
            sitemaps[url] = None
    return Sitemap(tuple(pages.values()), tuple(sitemaps), left_out)


def _xml(body: bytes) -> list[tuple[str, str, str]]:
    """The entries of an XML document: kind, URL and date as written."""
    body = _without_endless_tags(body)
    reader = _SitemapXmlParser()
    if not reader.parse(body):
        # Mostly a bare & in a URL, or a byte that is no UTF-8: mend those and read once more.
        again = _SitemapXmlParser("utf-8")
        again.parse(_mended(body))
        reader = max(reader, again, key=lambda each: len(each.entries))
    return reader.entries


def _without_endless_tags(body: bytes) -> bytes:
    """The body up to the first block without any `<`: four million attributes took expat 11 s."""
    for start in range(0, len(body) - MAX_BYTES_WITHOUT_TAG, MAX_BYTES_WITHOUT_TAG):
        if body.find(b"<", start, start + MAX_BYTES_WITHOUT_TAG) < 0:
            return body[:start]
    return body


def _mended(body: bytes) -> bytes:
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
    """There is more, but we have what we came for."""


class _SitemapXmlParser:
    """Picks entries out of XML as it passes by; never holds the document."""

    def __init__(self, encoding: str | None = None) -> None:
        self.entries: list[tuple[str, str, str]] = []
        self._parser = expat.ParserCreate(encoding)
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._path: list[str] = []
        self._seen = 0
        self._kind = ""
        self._fields: dict[str, str] = {}

    def parse(self, body: bytes) -> bool:
        """Read as far as it goes; False when that is not the end."""
        try:
            self._parser.Parse(body, True)
        except _ParseLimitReached:
            return True
        except (expat.ExpatError, LookupError, ValueError):
            return False
        return True

    def _doctype(self, *_: object) -> None:
        raise RejectedContentError("sitemap_invalid")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._seen += 1
        if self._seen > MAX_XML_ELEMENTS or len(self._path) >= MAX_XML_DEPTH:
            raise _ParseLimitReached
        name = name.rpartition(":")[2].lower()
        if not self._kind and name in ENTRY_ELEMENTS:
            self._kind, self._fields, self._path = name, {}, []
            return
        if self._kind == "entry" and name == "link" and not self._path:
            own = attributes.get("rel", "alternate") == "alternate"
            self._fields[name] = self._fields.get(name) or (attributes.get("href", "") * own)
        self._path.append(name)

    def _text(self, text: str) -> None:
        """Take the text of an entry's own children; what lies deeper is of pictures and videos."""
        if self._kind and len(self._path) < 2:
            field = self._path[0] if self._path else ""
            so_far = self._fields.get(field, "")
            if len(so_far) <= MAX_URL_CHARS and any(
                field in names for names in ENTRY_ELEMENTS[self._kind]
            ):
                self._fields[field] = so_far + text

    def _end(self, _: str) -> None:
        if self._path:
            self._path.pop()
        elif self._kind:
            url, date = (self._best(names) for names in ENTRY_ELEMENTS[self._kind])
            if url:
                self.entries.append((self._kind, url, date))
            self._kind = ""
            if len(self.entries) >= MAX_SITEMAP_URLS:
                raise _ParseLimitReached

    def _best(self, names: Iterable[str]) -> str:
        return next(filter(None, (self._fields.get(name, "").strip() for name in names)), "")


def _seconds(date: str) -> float | None:
    """A date as seconds since 1970: `2024-05`, `2024-05-31T10:00:00+02:00`, `Fri, 31 May 2024`."""
    if not date:
        return None
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            when = read(f"{date}-01" if re.fullmatch(r"\d{4}-\d\d", date) else date)
            return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
        except (ValueError, TypeError, OverflowError):
            continue
    return None
