"""Is this host another one under a second name? Then the same paths say the same, byte for byte."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from byway.core.model import Url
from byway.core.url import host_of, path_of

MIN_MIRROR_PAGES = 30
"""Pages of a host that are looked at before it is called a mirror."""
MIN_MIRROR_SHARE = 0.8
"""How many of them must be as on the other host; it is visited meanwhile, and may be behind."""
MAX_STORE_LOOKUPS_PER_HOST = 2 * MIN_MIRROR_PAGES
"""Pages of a host that are looked for among those of earlier runs, too: on disk."""
MAX_REMEMBERED_PAGES = 200_000
"""Pages remembered, of 150 bytes; the oldest are forgotten first."""


@dataclass(slots=True)
class _MirrorStats:
    """What the pages of one host were."""

    pages: int = 0
    duplicates: Counter[str] = field(default_factory=Counter)
    """How many were found, under the same path, on each other host."""


class MirrorDetector:
    """Compares hosts by what is at their paths."""

    def __init__(
        self, urls_with_digest: Callable[[bytes], Sequence[Url]] = lambda digest: ()
    ) -> None:
        """`urls_with_digest`: the URLs at which earlier runs kept this very content."""
        self._kept_as = urls_with_digest
        self._first: OrderedDict[bytes, str] = OrderedDict()
        self._hosts: OrderedDict[str, _MirrorStats] = OrderedDict()
        self._found: set[str] = set()

    def record_page(self, url: Url, digest: bytes) -> tuple[str, float] | None:
        """Take note of a page; the host that this one mirrors, and how closely, if it does."""
        host, seen = host_of(url), self._seen(host_of(url))
        first = self._remembered(url, digest, seen.pages < MAX_STORE_LOOKUPS_PER_HOST)
        seen.pages += 1
        if first == host:
            return None
        seen.duplicates[first] += 1
        self._seen(first).duplicates[host] += 1
        share = seen.duplicates[first] / seen.pages
        if seen.pages < MIN_MIRROR_PAGES or share < MIN_MIRROR_SHARE or self._found & {host, first}:
            return None
        self._found.add(host)
        return first, share

    def _seen(self, host: str) -> _MirrorStats:
        seen = self._hosts.setdefault(host, _MirrorStats())
        self._hosts.move_to_end(host)
        if len(self._hosts) > MAX_REMEMBERED_PAGES // MIN_MIRROR_PAGES:
            self._hosts.popitem(last=False)
        return seen

    def _remembered(self, url: Url, digest: bytes, ask: bool) -> str:
        """The host where a page was seen first."""
        page = blake2b(path_of(url).encode() + digest, digest_size=8).digest()
        first = self._first.get(page)
        if first is None:
            first = self._first[page] = self._kept_on(url, digest if ask else b"")
            if len(self._first) > MAX_REMEMBERED_PAGES:
                self._first.popitem(last=False)
        return first

    def _kept_on(self, url: Url, digest: bytes) -> str:
        """The host where an earlier run kept this page; its own, if none did."""
        others = self._kept_as(digest) if digest else ()
        return next((host_of(one) for one in others if path_of(one) == path_of(url)), host_of(url))
