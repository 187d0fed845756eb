"""Is this host another one under a second name? Then the same paths say the same, byte for byte."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from byway.core.model import Url
from byway.core.url import host_of, path_of

ENOUGH = 30
"""Pages of a host that are looked at before it is called a mirror."""
SHARE = 0.8
"""How many of them must be as on the other host; it is visited meanwhile, and may be behind."""
ASKED = 2 * ENOUGH
"""Pages of a host that are looked for among those of earlier runs, too: on disk."""
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

    def __init__(self, kept_as: Callable[[bytes], Sequence[Url]] = lambda digest: ()) -> None:
        """`kept_as`: the URLs at which earlier runs kept this very content."""
        self._kept_as = kept_as
        self._first: OrderedDict[bytes, str] = OrderedDict()
        self._hosts: OrderedDict[str, _Seen] = OrderedDict()
        self._found: set[str] = set()

    def saw(self, url: Url, digest: bytes) -> tuple[str, float] | None:
        """Take note of a page; the host that this one mirrors, and how closely, if it does."""
        host, seen = host_of(url), self._seen(host_of(url))
        first = self._remembered(url, digest, seen.pages < ASKED)
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

    def _remembered(self, url: Url, digest: bytes, ask: bool) -> str:
        """The host where a page was seen first."""
        page = blake2b(path_of(url).encode() + digest, digest_size=8).digest()
        first = self._first.get(page)
        if first is None:
            first = self._first[page] = self._kept_on(url, digest if ask else b"")
            if len(self._first) > MOST:
                self._first.popitem(last=False)
        return first

    def _kept_on(self, url: Url, digest: bytes) -> str:
        """The host where an earlier run kept this page; its own, if none did."""
        others = self._kept_as(digest) if digest else ()
        return next((host_of(one) for one in others if path_of(one) == path_of(url)), host_of(url))
