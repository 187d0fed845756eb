"""Is this host another one under a second name? Then the same paths say the same, byte for byte."""

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b

from byway.model import Url
from byway.url import host_of, path_of

ENOUGH = 30
"""Pages of a host that are looked at before it is called a mirror."""
SHARE = 0.8
"""How many of them must be as on the other host; it is visited meanwhile, and may be behind."""
MOST = 200_000
"""Pages remembered, of 150 bytes; the oldest are forgotten first."""


@dataclass(slots=True)
class _Seen:
    """What the pages of one host were."""

    pages: int = 0
    same: Counter[str] = field(default_factory=Counter)
    """How many were found, under the same path, on each other host."""


class Mirrors:
    """Compares hosts by what is at their paths."""

    def __init__(self) -> None:
        self._first: OrderedDict[bytes, str] = OrderedDict()
        self._hosts: OrderedDict[str, _Seen] = OrderedDict()
        self._found: set[str] = set()

    def saw(self, url: Url, digest: bytes) -> tuple[str, float] | None:
        """Take note of a page; the host that this one mirrors, and how closely, if it does."""
        host = host_of(url)
        first = self._remembered(blake2b(path_of(url).encode() + digest, digest_size=8), host)
        seen = self._seen(host)
        seen.pages += 1
        if first == host:
            return None
        seen.same[first] += 1
        self._seen(first).same[host] += 1
        share = seen.same[first] / seen.pages
        if seen.pages < ENOUGH or share < SHARE or self._found & {host, first}:
            return None
        self._found.add(host)
        return first, share

    def _seen(self, host: str) -> _Seen:
        seen = self._hosts.setdefault(host, _Seen())
        self._hosts.move_to_end(host)
        if len(self._hosts) > MOST // ENOUGH:
            self._hosts.popitem(last=False)
        return seen

    def _remembered(self, page: blake2b, host: str) -> str:
        """The host where a page was seen first."""
        first = self._first.setdefault(page.digest(), host)
        if len(self._first) > MOST:
            self._first.popitem(last=False)
        return first
