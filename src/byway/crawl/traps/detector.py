"""Is a host what it seems? Its pages tell of parts without an end, and of a second name."""

from collections.abc import Callable

from byway.core.model import Extracted, Visit
from byway.core.url import host_of
from byway.crawl.traps.mirrors import ENOUGH, Mirrors
from byway.crawl.traps.pattern_budget import Paused, Traps


class Suspicion:
    """Looks at each new page; what it pauses is told to a person."""

    def __init__(
        self, traps: Traps, mirrors: Mirrors, watching: bool, told: Callable[[str], None]
    ) -> None:
        """`watching`: pause parts of hosts that bring nothing new."""
        self._traps = traps
        self._mirrors = mirrors
        self._watching = watching
        self._told = told

    def missed(self, visit: Visit) -> None:
        """There is no such page."""
        if visit.known is None:
            self._watch(visit, 0, kept=False)

    def saw(self, visit: Visit, extracted: Extracted) -> None:
        """A page came."""
        if visit.known is None and extracted.sketch:
            self._watch(visit, extracted.sketch, kept=True)
        if visit.known is None and extracted.digest:
            self._compare(visit, extracted.digest)

    def _watch(self, visit: Visit, sketch: int, kept: bool) -> None:
        if self._watching:
            self._tell(self._traps.saw(visit.url, sketch, kept))

    def _compare(self, visit: Visit, digest: bytes) -> None:
        """A host that is another one under a second name is visited no further."""
        if found := self._mirrors.saw(visit.url, digest):
            other, share = found
            reason = f"as on {other}: the same site under a second name"
            self._tell(self._traps.pause_host(host_of(visit.url), ENOUGH, share, reason))

    def _tell(self, paused: Paused | None) -> None:
        if paused:
            self._told(f"{paused} on {paused.host}; see `byway traps`")
