"""URLs as we keep them: one spelling for one page; its host, its site, its part.

>>> normalise("HTTP://Example.org:80/a/../b?z=1&a=%c3%a9#top")
'http://example.org/b?z=1&a=%C3%A9'
>>> host_of(normalise("http://blog.example.co.uk:8080/post"))
'blog.example.co.uk:8080'
>>> site_of(normalise("http://blog.example.co.uk:8080/post"))
'example.co.uk'
"""

import re
from collections.abc import Collection
from functools import cache, lru_cache
from hashlib import blake2b
from ipaddress import ip_address
from typing import cast

import can_ada
from publicsuffixlist import PublicSuffixList

from byway.core.errors import UrlError
from byway.core.model import Url

MAX_URL_CHARS = 2000
"""Longer URLs are traps or mistakes: the longest that old browsers open has 2,083 characters."""

WEB_SCHEMES = ("http://", "https://")
PERCENT_ESCAPE_PATTERN = re.compile(r"%[0-9a-fA-F]{2}")
SCHEME_PATTERN = re.compile(r"[a-zA-Z][\w+.-]*://")
#: What most links are: `api/index.html`, spelt as we spell it. The parser takes ten times as long.
RELATIVE_PATH_PATTERN = re.compile(r"[\w~-][\w.~-]*(?:/[\w~-][\w.~-]*)*/?", re.ASCII)
#: What nearly all others are: `../?page=2`, `/a/`, https://example.org/a. Where one begins, and a
#: rest that is spelt as we spell it.
PLAIN_HREF_PATTERN = re.compile(
    r"(?!$)((?:\.\./){0,20}|/|https?://[a-z\d.-]+/)"
    r"(?:[\w~-][\w.~-]*(?:/[\w~-][\w.~-]*)*/?)?"
    r"(?:(?<=[\w.~/-])\?[\w.~=&;,:/+@-]+)?",
    re.ASCII,
)
PLAIN_ORIGIN_PATTERN = re.compile(r"https?://(?:[a-z\d]+(?:-[a-z\d]+)*\.)+[a-z]{2,}/")
URL_PARSE_ERRORS = (ValueError, TypeError)
"""What the parser raises: TypeError is for half surrogate pairs, which command lines may hold."""
TYPED_HOST_PATTERN = re.compile(
    r"(\[[\d:a-f.]+\]|[\w-]+(\.[\w-]+)+|localhost)(:\d+)?([/?#]|$)", re.IGNORECASE
)


def normalize(raw: str, base: str = "") -> Url:
    """The one spelling of `raw`, read on the page `base`."""
    raw = raw.strip()
    try:
        parsed = can_ada.parse(base) + raw if base else can_ada.parse(raw)
    except URL_PARSE_ERRORS as error:
        raise _not_a_url(raw) from error
    return _spelt(parsed, raw)


def parse_typed_url(typed: str) -> Url:
    """What a person means who types `example.org`: https, unless it says otherwise.

    This machine and bare addresses have no certificates as a rule, so `localhost:8000` is http.
    """
    typed = typed.strip()
    if SCHEME_PATTERN.match(typed):
        return normalize(typed)
    if not TYPED_HOST_PATTERN.match(typed):
        raise _not_a_url(typed)
    url = normalize(f"https://{typed}")
    name = bare_host(host_of(url))
    bare = _is_address(name) or name == "localhost" or name.endswith(".localhost")
    return normalize(f"http://{typed}") if bare else url


def resolve(base: Url, hrefs: Collection[str]) -> dict[str, Url]:
    """What each href means on the page `base`; those that lead to no page are left out."""
    if not hrefs:
        return {}
    start = can_ada.parse(base)
    beginnings = _UrlPrefixes(base)
    folder = beginnings[""]
    found: dict[str, str] = {}
    for href in hrefs:
        if RELATIVE_PATH_PATTERN.fullmatch(href):
            begun, rest = folder, href
        elif plain := PLAIN_HREF_PATTERN.fullmatch(href):
            begun, rest = beginnings[plain[1]], href[plain.end(1) :]
        else:
            begun = rest = ""
        if begun:
            if len(begun) + len(rest) <= MAX_URL_CHARS:
                found[href] = begun + rest
            continue
        try:
            # A link's fragment never reaches a server, so it is cut before the costly part.
            path, mark, _ = href.strip().partition("#")
            found[href] = _spelt(start + (path + mark), href)
        except (*URL_PARSE_ERRORS, UrlError):
            continue
    return cast(dict[str, Url], found)


class _UrlPrefixes(dict[str, str]):
    """The URLs that the beginnings of plain links stand for on one page, if we know at once."""

    def __init__(self, base: Url) -> None:
        folder = base.partition("?")[0].rpartition("/")[0] + "/"
        super().__init__({"": folder, "/": base[: base.index("/", 8) + 1]})

    def __missing__(self, written: str) -> str:
        if written.startswith("../"):
            below = self[written[3:]]
            meant = below if below == self["/"] else below[:-1].rpartition("/")[0] + "/"
        else:
            meant = written if PLAIN_ORIGIN_PATTERN.fullmatch(written) else ""
        self[written] = meant
        return meant


def host_of(url: Url) -> str:
    """Who answers for `url`, port included: the unit of politeness and of partitioning."""
    return url.split("/", 3)[2]


def bare_host(host: str) -> str:
    """A host without its port."""
    name, _, port = host.rpartition(":")
    return name if name and port.isdigit() else host


def path_of(url: Url) -> str:
    """What the host is asked for: the path and the query."""
    return "/" + url.split("/", 3)[3]


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()  # 60 ms, which most commands need not spend


@lru_cache(maxsize=65_536)
def _site_of_host(host: str) -> str:
    name = bare_host(host)
    return name if _is_address(name) else _suffixes().privatesuffix(name) or name


def site_of(url: Url) -> str:
    """Whose site it is: the registrable domain, as `example.co.uk`."""
    return _site_of_host(host_of(url))


def url_hash(url: str) -> int:
    """64 bits, signed as databases like them. Two URLs may share one: compare them too."""
    return int.from_bytes(blake2b(url.encode(), digest_size=8).digest(), signed=True)


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _not_a_url(raw: str) -> UrlError:
    return UrlError(f"not a URL: {raw[:200]!r}; write it whole, as https://example.org/")


def _spelt(parsed: can_ada.URL, raw: str) -> Url:
    if parsed.has_credentials():
        parsed.username = parsed.password = ""
    if parsed.hostname.endswith("."):
        parsed.hostname = parsed.hostname.rstrip(".")
    url = parsed.href
    # A name of nothing but dots is one that nobody has.
    if not url.startswith(WEB_SCHEMES) or parsed.hostname.endswith("."):
        raise UrlError(f"not a web page: {raw[:200]!r}; byway visits http:// and https:// only")
    url = url.partition("#")[0]
    if url.endswith("?") and url.count("?") == 1:
        url = url[:-1]
    if "%" in url:
        url = PERCENT_ESCAPE_PATTERN.sub(lambda found: found.group().upper(), url)
    if len(url) > MAX_URL_CHARS:
        raise UrlError(f"longer than {MAX_URL_CHARS} characters: {raw[:60]!r}…")
    return Url(url)
