"""Trap detector: pauses endless URL patterns and mirrored hosts."""

from collections.abc import Callable

from byway.core.model import ExtractionResult, Visit
from byway.core.model.message import Reason
from byway.core.model.paused_pattern import PausedPattern
from byway.core.url import host_of
from byway.crawl.traps.mirrors import MIN_MIRROR_PAGES, MirrorDetector
from byway.crawl.traps.pattern_budget import PatternBudget


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
