"""Who does not answer, and when is it tried again? What a person hears of it."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from byway.core.model import Outcome, UrlState, Visit
from byway.core.model.message import NO_REASON, Reason
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


WaitListener = Callable[[Reason, float], None]
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
        self._told_others: tuple[Reason, float] | None = None
        self._begun = False
        self._last = NO_REASON
        self._told_until = 0.0
        self._silent: dict[str, Reason] = {}

    def record(self, visit: Visit, outcome: Outcome) -> None:
        """Remember who did not answer; of a seed that led nowhere a person hears at once."""
        self._begun = True
        host = host_of(visit.url)
        trouble = Reason("host_failed", host=host, cause=outcome.reason)
        self._last = trouble if outcome.retry_at else NO_REASON
        silent = outcome.state is UrlState.UNREACHABLE and not self._visitor.has_answered(host)
        if silent and (len(self._silent) < MAX_SILENT_HOSTS or host in self._silent):
            self._silent[host] = trouble
        if not visit.seed or outcome.state in REACHED_STATES:
            return
        if outcome.retry_at:
            self._tell(trouble, outcome.retry_at)
        else:
            self._progress.notes.append(
                Reason(
                    "note.seed_failed",
                    url=visit.url,
                    state=outcome.state.value,
                    cause=outcome.reason,
                )
            )

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
        self._progress.wait_reason = self._again(trouble, until)
        if self._told_others != (trouble, until):
            self._told_others = trouble, until
            self._tell_others(trouble, until)
        if until > self._told_until + NOTICE_AFTER_SECONDS:
            self._tell(trouble, until)

    def clear_wait(self) -> None:
        """Something can be done."""
        self._progress.wait_reason = NO_REASON
        if self._told_others:
            self._told_others = None
            self._tell_others(NO_REASON, 0.0)

    def summary(self) -> Reason:
        """The hosts that did not answer, and why; empty if all did."""
        hosts = self._unheard()
        named, more = tuple(hosts[:MAX_NAMED_HOSTS]), len(hosts) - MAX_NAMED_HOSTS
        if not hosts:
            return NO_REASON
        if more <= 0:
            return Reason("silent_hosts", total=len(hosts), hosts=named)
        most = len(hosts) == MAX_SILENT_HOSTS
        code = "silent_hosts_and_at_least_more" if most else "silent_hosts_and_more"
        return Reason(code, total=len(hosts), hosts=named, count=more)

    def _unheard(self) -> list[Reason]:
        silent = self._silent.items()
        return [trouble for host, trouble in silent if not self._visitor.has_answered(host)]

    def _left(self, until: float) -> Reason:
        """The host that is tried then and what failed there, perhaps in an earlier run."""
        first = self._frontier.next_retry(until)
        # Once somebody was visited, who waits for a host waits for the one that was visited last.
        if first and (first.retry_at is not None or not self._begun):
            return Reason("host_failed", host=host_of(first.url), cause=first.reason)
        return self._last

    def _tell(self, trouble: Reason, due: float) -> None:
        self._told_until = max(self._told_until, due)
        self._progress.notes.append(self._again(trouble, due))
        log.info("waiting reason=%s", self._again(trouble, due))

    def _again(self, trouble: Reason, due: float) -> Reason:
        seconds = round(max(0.0, due - self._clock()))
        return Reason("note.waiting", cause=trouble, seconds=seconds)
