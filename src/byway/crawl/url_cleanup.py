"""URL cleanup: removes tracking parameters and session ids.

>>> url = Url("http://example.org/a;jsessionid=1F0A3C5D7E9B2846?b=2&utm_source=mail&a=1")
>>> default_url_cleaner().clean(url)
'http://example.org/a?b=2&a=1'
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from byway.core.model import Link, Url
from byway.core.settings.schema import CrawlSettings
from byway.core.url import normalize

PARAMETERS_FILE = Path(__file__).parent / "parameters.toml"

HEX_ID_PATTERN = re.compile(r"(?=.*[a-fA-F])[0-9a-fA-F-]{16,}")
ID_CHARS_PATTERN = re.compile(r"(?:[\w.!~,+/=:-]|%[0-9A-F]{2}){16,}", re.ASCII)
MIXED_ALPHANUMERIC_PATTERN = re.compile(
    r"[a-zA-Z][0-9]+[a-zA-Z]+[0-9]|[0-9][a-zA-Z]+[0-9]+[a-zA-Z]"
)
"""Alternating letters and digits, unlike any word or date."""

PATH_PARAMETER_PATTERN = re.compile(r";([^=;/]+)=([^;/]*)")
ASP_SESSION_PATTERN = re.compile(
    r"/\((?:[A-Z]\([^()/]+\))*S\([0-9a-zA-Z]{16,}\)(?:[A-Z]\([^()/]+\))*\)(?=/|$)"
)
"""Cookieless ASP.NET session: /(S(lit3py55t21z5v55vlm25s55))/page.aspx"""


def looks_random(text: str) -> bool:
    """Whether a text looks like a session id, a digest or a UUID.

    That means at least 16 hexadecimal digits, not all decimal as in article numbers, or
    at least 16 other characters in which letters and digits alternate.
    """
    if HEX_ID_PATTERN.fullmatch(text):
        return True
    return bool(ID_CHARS_PATTERN.fullmatch(text) and MIXED_ALPHANUMERIC_PATTERN.search(text))


@dataclass(frozen=True, slots=True)
class UrlCleaner:
    """Removes parameters by name; `*` in a name matches any characters."""

    tracking_parameters: tuple[str, ...] = ()
    """Parameters that are removed regardless of their value."""
    session_parameters: tuple[str, ...] = ()
    """Parameters that are removed if their value looks like a session id."""
    _tracking: "_ParameterNames" = field(init=False, repr=False, compare=False)
    _sessions: "_ParameterNames" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_tracking", _ParameterNames(self.tracking_parameters))
        object.__setattr__(self, "_sessions", _ParameterNames(self.session_parameters))

    def clean(self, url: Url) -> Url:
        """The URL without tracking and session parameters; the rest keeps its order."""
        # Fast path: a page has hundreds of links, and most have no parameters.
        if "?" not in url and ";" not in url and "S(" not in url:
            return url
        address, mark, query = url.partition("?")
        path = self._clean_path(address)
        kept = "&".join(one for one in query.split("&") if not self._is_noise(one)) if mark else ""
        cleaned = Url(f"{path}?{kept}" if kept else path)
        # `/a/..;jsessionid=…/b` has become `/a/../b`.
        return cleaned if path == address else normalize(cleaned)

    def clean_links(self, links: Iterable[Link]) -> tuple[Link, ...]:
        """Links with cleaned targets; links that need no change are reused."""
        return tuple(
            link
            if (target := self.clean(link.target)) is link.target
            else link._replace(target=target)
            for link in links
        )

    def _clean_path(self, address: str) -> str:
        # A host name may contain a semicolon.
        end_of_host = address.index("/", len("https://"))
        path = PATH_PARAMETER_PATTERN.sub(self._drop_session, address[end_of_host:])
        return address[:end_of_host] + ASP_SESSION_PATTERN.sub("", path)

    def _drop_session(self, found: re.Match[str]) -> str:
        return "" if self._is_session(*found.groups()) else found.group()

    def _is_noise(self, parameter: str) -> bool:
        name, _, value = parameter.partition("=")
        return name in self._tracking or self._is_session(name, value)

    def _is_session(self, name: str, value: str) -> bool:
        return name in self._sessions and looks_random(value)


@cache
def default_url_cleaner() -> UrlCleaner:
    """The cleaner with the parameter lists in parameters.toml."""
    lists = tomllib.loads(PARAMETERS_FILE.read_text(encoding="utf-8"))
    return UrlCleaner(tuple(lists["tracking"]), tuple(lists["sessions"]))


def url_cleaner_for(settings: CrawlSettings) -> UrlCleaner:
    """The cleaner for a crawl with these settings."""
    base = default_url_cleaner() if settings.strip_tracking_parameters else UrlCleaner()
    return UrlCleaner(
        (*base.tracking_parameters, *settings.extra_tracking_parameters), base.session_parameters
    )


class _ParameterNames:
    """A set of parameter names and name patterns with a fast membership test."""

    def __init__(self, names: Iterable[str]) -> None:
        lower = [name.lower() for name in names]
        self._names = frozenset(name for name in lower if "*" not in name)
        patterns = (".*".join(map(re.escape, name.split("*"))) for name in lower if "*" in name)
        self._patterns = re.compile("|".join(patterns) or "(?!)", re.DOTALL)

    def __contains__(self, name: str) -> bool:
        name = name.lower()
        return name in self._names or self._patterns.fullmatch(name) is not None
