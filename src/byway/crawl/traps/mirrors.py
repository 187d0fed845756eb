"""Mirror detection: two hosts that serve identical content under the same paths."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from byway.core.model import Url
from byway.core.url import host_of, path_of

MIN_MIRROR_PAGES = 30
"""Pages compared before a host counts as a mirror."""
MIN_MIRROR_SHARE = 0.8
"""Share of them that must be identical; the other host is being crawled too and may lag behind."""
MAX_STORE_LOOKUPS_PER_HOST = 2 * MIN_MIRROR_PAGES
"""Maximum pages per host looked up on disk, among the pages of earlier runs."""
MAX_REMEMBERED_PAGES = 200_000
"""Maximum pages remembered, at 150 bytes each; the oldest is dropped first."""


@dataclass(slots=True)
class _MirrorStats:
    """Duplicate counts of one host."""

    pages: int = 0
    duplicates: Counter[str] = field(default_factory=Counter)
    """Identical pages under the same path, by other host."""


class MirrorDetector:
    """Compares hosts by path and content digest."""

    def __init__(
        self, urls_with_digest: Callable[[bytes], Sequence[Url]] = lambda digest: ()
    ) -> None:
        """`urls_with_digest`: the URLs of stored pages with this content."""
        self._urls_with_digest = urls_with_digest
        self._first_hosts: OrderedDict[bytes, str] = OrderedDict()
        self._hosts: OrderedDict[str, _MirrorStats] = OrderedDict()
        self._mirrors: set[str] = set()

    def record_page(self, url: Url, digest: bytes) -> tuple[str, float] | None:
        """Count a page; return the host its own host mirrors, if any, and the share of pages."""
        host, stats = host_of(url), self._stats_of(host_of(url))
        first = self._first_host(url, digest, stats.pages < MAX_STORE_LOOKUPS_PER_HOST)
        stats.pages += 1
        if first == host:
            return None
        stats.duplicates[first] += 1
        self._stats_of(first).duplicates[host] += 1
        share = stats.duplicates[first] / stats.pages
        if (
            stats.pages < MIN_MIRROR_PAGES
            or share < MIN_MIRROR_SHARE
            or self._mirrors & {host, first}
        ):
            return None
        self._mirrors.add(host)
        return first, share

    def _stats_of(self, host: str) -> _MirrorStats:
        stats = self._hosts.setdefault(host, _MirrorStats())
        self._hosts.move_to_end(host)
        if len(self._hosts) > MAX_REMEMBERED_PAGES // MIN_MIRROR_PAGES:
            self._hosts.popitem(last=False)
        return stats

    def _first_host(self, url: Url, digest: bytes, look_up: bool) -> str:
        """The host where this page was first seen."""
        page = blake2b(path_of(url).encode() + digest, digest_size=8).digest()
        first = self._first_hosts.get(page)
        if first is None:
            first = self._first_hosts[page] = self._stored_host(url, digest if look_up else b"")
            if len(self._first_hosts) > MAX_REMEMBERED_PAGES:
                self._first_hosts.popitem(last=False)
        return first

    def _stored_host(self, url: Url, digest: bytes) -> str:
        """The host of a stored page with this path and content; the URL's own host if none."""
        others = self._urls_with_digest(digest) if digest else ()
        return next((host_of(one) for one in others if path_of(one) == path_of(url)), host_of(url))
