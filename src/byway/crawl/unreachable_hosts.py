"""Who does not answer, and when is it tried again? What a person hears of it."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from byway.core.model import Outcome, UrlState, Visit
from byway.core.url import host_of
from byway.crawl import politeness
from byway.crawl.recorder import CrawlProgress
from byway.crawl.visitor import Visitor

if TYPE_CHECKING:  # for numpy, which ports speak of and a crawl does not need
    from byway.core.ports import Frontier

log = logging.getLogger(__name__)

NOTICE_AFTER_SECONDS = 3.0
"""Seconds after which somebody who watches wonders what is waited for."""
MAX_SILENT_HOSTS = 100
"""Hosts that did not answer that are remembered by name."""
MAX_NAMED_HOSTS = 3
"""Those of them that are told."""
REACHED_STATES = (UrlState.KEPT, UrlState.LINKS_ONLY, UrlState.REDIRECTED)


WaitListener = Callable[[str, float], None]
"""Hears why nothing can be done until then, and, with nothing, when something can."""


class UnreachableHosts:
    """Hears how visits ended, and puts down for a person what they should know."""

    def __init__(
        self,
        progress: CrawlProgress,
        clock: Callable[[], float],
        frontier: "Frontier",
        visitor: Visitor,
        on_wait: WaitListener,
    ) -> None:
        self._progress = progress
        self._clock = clock
        self._frontier = frontier
        self._visitor = visitor
        self._tell_others = on_wait
        self._told_others = ""
        self._begun = False
        self._last = ""
        self._told_until = 0.0
        self._silent: dict[str, str] = {}

    def record(self, visit: Visit, outcome: Outcome) -> None:
        """Remember who did not answer; of a seed that led nowhere a person hears at once."""
        self._begun = True
        host = host_of(visit.url)
        trouble = f"{host}: {outcome.reason}"
        self._last = trouble if outcome.retry_at else ""
        silent = outcome.state is UrlState.UNREACHABLE and not self._visitor.has_answered(host)
        if silent and (len(self._silent) < MAX_SILENT_HOSTS or host in self._silent):
            self._silent[host] = trouble
        if not visit.seed or outcome.state in REACHED_STATES:
            return
        if outcome.retry_at:
            self._tell(trouble, outcome.retry_at)
        else:
            self._progress.notes.append(f"{visit.url}: {outcome.state}: {outcome.reason}")

    def retry_soon(self) -> bool:
        """Nothing can be done for long: hosts that never answered are not waited for so long.

        Is anything tried sooner for that? Who has answered before is left its time.
        """
        hosts = self._frontier.hosts_awaiting_retry()
        if not hosts or not all(map(self._visitor.never_answered, hosts)):
            return False
        self._visitor.retry_hosts_soon(hosts)
        self._frontier.advance_retries(self._clock() + politeness.QUICK_RETRY_SECONDS)
        self._told_until = 0.0  # what a person was told does not hold any more
        return True

    def report_wait(self, until: float) -> None:
        """Nothing can be done until then: say why, once for each wait."""
        if until - self._clock() <= NOTICE_AFTER_SECONDS or not (trouble := self._left(until)):
            return
        self._progress.wait_message = self._again(trouble, until)
        if self._told_others != (told := f"{until} {trouble}"):
            self._told_others = told
            self._tell_others(trouble, until)
        if until > self._told_until + NOTICE_AFTER_SECONDS:
            self._tell(trouble, until)

    def clear_wait(self) -> None:
        """Something can be done."""
        self._progress.wait_message = ""
        if self._told_others:
            self._told_others = ""
            self._tell_others("", 0.0)

    def host_summary(self) -> str:
        """Those who did not answer, and why."""
        each = self._unheard()
        named, more = "; ".join(each[:MAX_NAMED_HOSTS]), len(each) - MAX_NAMED_HOSTS
        if more <= 0:
            return named
        least = "at least " if len(each) == MAX_SILENT_HOSTS else ""
        return f"{named}; and {least}{more} more host{'' if more == 1 else 's'}"

    def count_summary(self) -> str:
        """Those who did not answer while others did, counted; nothing if all did."""
        count = len(self._unheard())
        least = "at least " if count == MAX_SILENT_HOSTS else ""
        hosts = "1 host" if count == 1 else f"{least}{count} hosts"
        return f"{hosts} did not answer: {self.host_summary()}" if count else ""

    def _unheard(self) -> list[str]:
        silent = self._silent.items()
        return [trouble for host, trouble in silent if not self._visitor.has_answered(host)]

    def _left(self, until: float) -> str:
        """The host that is tried then and what failed there, perhaps in an earlier run."""
        first = self._frontier.next_retry(until)
        # Once somebody was visited, who waits for a host waits for the one that was visited last.
        if first and (first.retry_at is not None or not self._begun):
            return f"{host_of(first.url)}: {first.reason}"
        return self._last

    def _tell(self, trouble: str, due: float) -> None:
        self._told_until = max(self._told_until, due)
        self._progress.notes.append(self._again(trouble, due))
        log.info("waiting %s", self._again(trouble, due))

    def _again(self, trouble: str, due: float) -> str:
        return f"{trouble}; trying again in {max(0.0, due - self._clock()):.0f} s"
