"""Is a host what it seems? Its pages tell of parts without an end, and of a second name."""

from collections.abc import Callable

from byway.core.model import ExtractionResult, Visit
from byway.core.model.message import Reason
from byway.core.url import host_of
from byway.crawl.traps.mirrors import MIN_MIRROR_PAGES, MirrorDetector
from byway.crawl.traps.pattern_budget import PatternBudget, PausedPattern


class TrapDetector:
    """Looks at each new page; what it pauses is told to a person."""

    def __init__(
        self,
        traps: PatternBudget,
        mirrors: MirrorDetector,
        pause_traps: bool,
        notify: Callable[[Reason], None],
    ) -> None:
        """`pause_traps`: pause parts of hosts that bring nothing new."""
        self._traps = traps
        self._mirrors = mirrors
        self._watching = pause_traps
        self._told = notify

    def record_missing(self, visit: Visit) -> None:
        """There is no such page."""
        if visit.previous_fetch is None:
            self._watch(visit, 0, kept=False)

    def record_page(self, visit: Visit, extracted: ExtractionResult) -> None:
        """A page came."""
        if visit.previous_fetch is None and extracted.prefix_simhash:
            self._watch(visit, extracted.prefix_simhash, kept=True)
        if visit.previous_fetch is None and extracted.digest:
            self._compare(visit, extracted.digest)

    def _watch(self, visit: Visit, sketch: int, kept: bool) -> None:
        if self._watching:
            self._tell(self._traps.record_page(visit.url, sketch, kept))

    def _compare(self, visit: Visit, digest: bytes) -> None:
        """A host that is another one under a second name is visited no further."""
        if found := self._mirrors.record_page(visit.url, digest):
            other, share = found
            reason = Reason("trap.mirror", host=other)
            self._tell(self._traps.pause_host(host_of(visit.url), MIN_MIRROR_PAGES, share, reason))

    def _tell(self, paused: PausedPattern | None) -> None:
        if paused:
            self._told(Reason("note.pattern_paused", trap=paused.message, host=paused.host))
