"""Trap detector: pauses endless URL patterns and mirrored hosts."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from byway.core.messages import Reason
from byway.core.model import ExtractionResult, Url, Visit
from byway.core.model.url_state import PausedPattern
from byway.core.url import host_of, path_of
from byway.crawl.traps.pattern_budget import PatternBudget

MIN_MIRROR_PAGES = 30
"""Pages compared before a host counts as a mirror."""
MIN_MIRROR_SHARE = 0.8
"""Share of identical pages in a mirror; below 1, as the crawl of the other host may lag behind."""
MAX_STORE_LOOKUPS_PER_HOST = 2 * MIN_MIRROR_PAGES
"""Maximum number of pages per host that are compared with stored pages of earlier runs."""
MAX_REMEMBERED_PAGES = 200_000
"""Maximum pages remembered, at 150 bytes each; the oldest is dropped first."""


@dataclass(slots=True)
class _MirrorStats:
    """Duplicate counts of one host."""

    pages: int = 0
    duplicates: Counter[str] = field(default_factory=Counter)
    """Number of identical pages under the same path on each other host."""


class MirrorDetector:
    """Compares hosts by path and content digest."""

    def __init__(
        self, urls_with_digest: Callable[[bytes], Sequence[Url]] = lambda digest: ()
    ) -> None:
        """`urls_with_digest` returns the URLs of stored pages with the same content."""
        self._urls_with_digest = urls_with_digest
        self._first_hosts: OrderedDict[bytes, str] = OrderedDict()
        self._hosts: OrderedDict[str, _MirrorStats] = OrderedDict()
        self._mirrors: set[str] = set()

    def record_page(self, url: Url, digest: bytes) -> tuple[str, float] | None:
        """Count a page; return the host that is mirrored, if any, and the share of equal pages."""
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


class TrapDetector:
    """Checks each new page against pattern budgets and mirrors; reports each pause."""

    def __init__(
        self,
        traps: PatternBudget,
        mirrors: MirrorDetector,
        pause_traps: bool,
        notify: Callable[[Reason], None],
    ) -> None:
        """`pause_traps`: pause URL patterns whose pages contain nothing new."""
        self._traps = traps
        self._mirrors = mirrors
        self._pause_traps = pause_traps
        self._notify = notify

    def record_missing(self, visit: Visit) -> None:
        """Record a visit that found no page."""
        if visit.previous_fetch is None:
            self._count_page(visit, 0, kept=False)

    def record_page(self, visit: Visit, extracted: ExtractionResult) -> None:
        """Record an extracted page."""
        if visit.previous_fetch is None and extracted.prefix_simhash:
            self._count_page(visit, extracted.prefix_simhash, kept=True)
        if visit.previous_fetch is None and extracted.digest:
            self._check_mirror(visit, extracted.digest)

    def _count_page(self, visit: Visit, simhash: int, kept: bool) -> None:
        if self._pause_traps:
            self._report(self._traps.record_page(visit.url, simhash, kept))

    def _check_mirror(self, visit: Visit, digest: bytes) -> None:
        """Pause the host if it mirrors another."""
        if found := self._mirrors.record_page(visit.url, digest):
            other, share = found
            reason = Reason("trap.mirror", host=other)
            self._report(
                self._traps.pause_host(host_of(visit.url), MIN_MIRROR_PAGES, share, reason)
            )

    def _report(self, paused: PausedPattern | None) -> None:
        if paused:
            self._notify(Reason("note.pattern_paused", trap=paused.message, host=paused.host))
