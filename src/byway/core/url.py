"""URL normalization, link resolution, and the host and site (registrable domain) of a URL.

>>> normalize("HTTP://Example.org:80/a/../b?z=1&a=%c3%a9#top")
'http://example.org/b?z=1&a=%C3%A9'
>>> host_of(normalize("http://blog.example.co.uk:8080/post"))
'blog.example.co.uk:8080'
>>> site_of(normalize("http://blog.example.co.uk:8080/post"))
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
"""Maximum length of a URL; longer ones are traps or mistakes: old browsers stop at 2,083."""

WEB_SCHEMES = ("http://", "https://")
PERCENT_ESCAPE_PATTERN = re.compile(r"%[0-9a-fA-F]{2}")
SCHEME_PATTERN = re.compile(r"[a-zA-Z][\w+.-]*://")
#: Most links: already normalized, such as `api/index.html`. The parser takes ten times as long.
RELATIVE_PATH_PATTERN = re.compile(r"[\w~-][\w.~-]*(?:/[\w~-][\w.~-]*)*/?", re.ASCII)
#: Nearly all others: a prefix and an already normalized rest, such as `../?page=2`, `/a/` or
#: https://example.org/a.
PLAIN_HREF_PATTERN = re.compile(
    r"(?!$)((?:\.\./){0,20}|/|https?://[a-z\d.-]+/)"
    r"(?:[\w~-][\w.~-]*(?:/[\w~-][\w.~-]*)*/?)?"
    r"(?:(?<=[\w.~/-])\?[\w.~=&;,:/+@-]+)?",
    re.ASCII,
)
PLAIN_ORIGIN_PATTERN = re.compile(r"https?://(?:[a-z\d]+(?:-[a-z\d]+)*\.)+[a-z]{2,}/")
URL_PARSE_ERRORS = (ValueError, TypeError)
"""Errors the parser raises; TypeError for lone surrogates, which command lines can contain."""
TYPED_HOST_PATTERN = re.compile(
    r"(\[[\d:a-f.]+\]|[\w-]+(\.[\w-]+)+|localhost)(:\d+)?([/?#]|$)", re.IGNORECASE
)


def normalize(raw: str, base: str = "") -> Url:
    """The normalized URL of `raw`, resolved against `base`."""
    raw = raw.strip()
    try:
        parsed = can_ada.parse(base) + raw if base else can_ada.parse(raw)
    except URL_PARSE_ERRORS as error:
        raise _not_a_url(raw) from error
    return _normalize_parsed(parsed, raw)


def parse_typed_url(typed: str) -> Url:
    """The URL of a typed address; without a scheme, `example.org` is https.

    Localhost and IP addresses rarely have certificates, so `localhost:8000` is http.
    """
    typed = typed.strip()
    if SCHEME_PATTERN.match(typed):
        return normalize(typed)
    if not TYPED_HOST_PATTERN.match(typed):
        raise _not_a_url(typed)
    url = normalize(f"https://{typed}")
    name = bare_host(host_of(url))
    is_local = _is_ip_address(name) or name == "localhost" or name.endswith(".localhost")
    return normalize(f"http://{typed}") if is_local else url


def resolve(base: Url, hrefs: Collection[str]) -> dict[str, Url]:
    """The URL of each href on the page `base`, except those that are not web URLs."""
    if not hrefs:
        return {}
    start = can_ada.parse(base)
    prefixes = _UrlPrefixes(base)
    folder = prefixes[""]
    urls: dict[str, str] = {}
    for href in hrefs:
        if RELATIVE_PATH_PATTERN.fullmatch(href):
            prefix, rest = folder, href
        elif plain := PLAIN_HREF_PATTERN.fullmatch(href):
            prefix, rest = prefixes[plain[1]], href[plain.end(1) :]
        else:
            prefix = rest = ""
        if prefix:
            if len(prefix) + len(rest) <= MAX_URL_CHARS:
                urls[href] = prefix + rest
            continue
        try:
            # A fragment never reaches the server, so cut it before the expensive parsing.
            path, mark, _ = href.strip().partition("#")
            urls[href] = _normalize_parsed(start + (path + mark), href)
        except (*URL_PARSE_ERRORS, UrlError):
            continue
    return cast(dict[str, Url], urls)


class _UrlPrefixes(dict[str, str]):
    """Cache that maps link prefixes (`../`, `/`) to absolute URLs; empty if parsing is needed."""

    def __init__(self, base: Url) -> None:
        folder = base.partition("?")[0].rpartition("/")[0] + "/"
        super().__init__({"": folder, "/": base[: base.index("/", 8) + 1]})

    def __missing__(self, prefix: str) -> str:
        if prefix.startswith("../"):
            child = self[prefix[3:]]
            url = child if child == self["/"] else child[:-1].rpartition("/")[0] + "/"
        else:
            url = prefix if PLAIN_ORIGIN_PATTERN.fullmatch(prefix) else ""
        self[prefix] = url
        return url


def host_of(url: Url) -> str:
    """The host of a URL, including its port: the unit of politeness and partitioning."""
    return url.split("/", 3)[2]


def bare_host(host: str) -> str:
    """A host without its port."""
    name, _, port = host.rpartition(":")
    return name if name and port.isdigit() else host


def path_of(url: Url) -> str:
    """The path and query of a URL."""
    return "/" + url.split("/", 3)[3]


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()  # takes 60 ms, so load it only when needed


@lru_cache(maxsize=65_536)
def _site_of_host(host: str) -> str:
    name = bare_host(host)
    return name if _is_ip_address(name) else _suffixes().privatesuffix(name) or name


def site_of(url: Url) -> str:
    """The site of a URL: its registrable domain, such as `example.co.uk`."""
    return _site_of_host(host_of(url))


def url_hash(url: str) -> int:
    """A 64-bit hash of a URL, signed for SQLite. Hashes can collide, so compare the URLs too."""
    return int.from_bytes(blake2b(url.encode(), digest_size=8).digest(), signed=True)


def _is_ip_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _not_a_url(raw: str) -> UrlError:
    return UrlError("core.not_a_url", url=raw[:200])


def _normalize_parsed(parsed: can_ada.URL, raw: str) -> Url:
    if parsed.has_credentials():
        parsed.username = parsed.password = ""
    if parsed.hostname.endswith("."):
        parsed.hostname = parsed.hostname.rstrip(".")
    url = parsed.href
    # There are no host names made up only of dots.
    if not url.startswith(WEB_SCHEMES) or parsed.hostname.endswith("."):
        raise UrlError("core.not_a_web_page", url=raw[:200])
    url = url.partition("#")[0]
    if url.endswith("?") and url.count("?") == 1:
        url = url[:-1]
    if "%" in url:
        url = PERCENT_ESCAPE_PATTERN.sub(lambda match: match.group().upper(), url)
    if len(url) > MAX_URL_CHARS:
        raise UrlError("core.url_too_long", max_chars=MAX_URL_CHARS, url=raw[:60])
    return Url(url)
