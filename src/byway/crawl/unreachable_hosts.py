"""Tracks hosts that do not answer and notifies the user of waits and retries."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from byway.core.messages import NO_REASON, Reason
from byway.core.model import Outcome, UrlState, Visit
from byway.core.model.crawl_progress import CrawlProgress
from byway.core.url import host_of
from byway.crawl import politeness
from byway.crawl.visitor import Visitor

if TYPE_CHECKING:  # ports import numpy, which a crawl does not need
    from byway.core.ports import Frontier

log = logging.getLogger(__name__)

NOTICE_AFTER_SECONDS = 3.0
"""Shortest wait reported to the user, in seconds."""
MAX_SILENT_HOSTS = 100
"""Maximum silent hosts remembered by name."""
MAX_NAMED_HOSTS = 3
"""Maximum silent hosts named in the summary."""
REACHED_STATES = (UrlState.KEPT, UrlState.LINKS_ONLY, UrlState.REDIRECTED)


WaitListener = Callable[[Reason, float], None]
"""Called with the reason for a wait and its end; with `NO_REASON` when the wait is over."""


class UnreachableHosts:
    """Records failed hosts and adds notes for the user to the progress."""

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
        self._on_wait = on_wait
        self._reported_wait: tuple[Reason, float] | None = None
        self._has_visited = False
        self._last_failure = NO_REASON
        self._noted_until = 0.0
        self._silent_hosts: dict[str, Reason] = {}

    def record(self, visit: Visit, outcome: Outcome) -> None:
        """Record a host that did not answer; add a note for a failed seed at once."""
        self._has_visited = True
        host = host_of(visit.url)
        failure = Reason("host_failed", host=host, cause=outcome.reason)
        self._last_failure = failure if outcome.retry_at else NO_REASON
        silent = outcome.state is UrlState.UNREACHABLE and not self._visitor.has_answered(host)
        if silent and (len(self._silent_hosts) < MAX_SILENT_HOSTS or host in self._silent_hosts):
            self._silent_hosts[host] = failure
        if not visit.seed or outcome.state in REACHED_STATES:
            return
        if outcome.retry_at:
            self._add_wait_note(failure, outcome.retry_at)
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
        """If only hosts that never answered are left, bring their retries forward and return True.

        Hosts that answered before keep their retry time.
        """
        hosts = self._frontier.hosts_awaiting_retry()
        if not hosts or not all(map(self._visitor.never_answered, hosts)):
            return False
        self._visitor.retry_hosts_soon(hosts)
        self._frontier.advance_retries(self._clock() + politeness.QUICK_RETRY_SECONDS)
        self._noted_until = 0.0  # the last reported wait is out of date
        return True

    def report_wait(self, until: float) -> None:
        """Report the reason for a wait, once per wait."""
        if until - self._clock() <= NOTICE_AFTER_SECONDS or not (
            failure := self._wait_cause(until)
        ):
            return
        self._progress.wait_reason = self._wait_note(failure, until)
        if self._reported_wait != (failure, until):
            self._reported_wait = failure, until
            self._on_wait(failure, until)
        if until > self._noted_until + NOTICE_AFTER_SECONDS:
            self._add_wait_note(failure, until)

    def clear_wait(self) -> None:
        """Report that the crawl is no longer idle."""
        self._progress.wait_reason = NO_REASON
        if self._reported_wait:
            self._reported_wait = None
            self._on_wait(NO_REASON, 0.0)

    def summary(self) -> Reason:
        """The hosts that never answered, and why; empty if all did."""
        hosts = self._silent_host_failures()
        named, more = tuple(hosts[:MAX_NAMED_HOSTS]), len(hosts) - MAX_NAMED_HOSTS
        if not hosts:
            return NO_REASON
        if more <= 0:
            return Reason("silent_hosts", total=len(hosts), hosts=named)
        is_cut = len(hosts) == MAX_SILENT_HOSTS
        code = "silent_hosts_and_at_least_more" if is_cut else "silent_hosts_and_more"
        return Reason(code, total=len(hosts), hosts=named, count=more)

    def _silent_host_failures(self) -> list[Reason]:
        silent = self._silent_hosts.items()
        return [failure for host, failure in silent if not self._visitor.has_answered(host)]

    def _wait_cause(self, until: float) -> Reason:
        """The host to be retried at that time, and its failure, perhaps from an earlier run."""
        first = self._frontier.next_retry(until)
        # Without a pending retry, the crawl waits for the delay of the host visited last.
        if first and (first.retry_at is not None or not self._has_visited):
            return Reason("host_failed", host=host_of(first.url), cause=first.reason)
        return self._last_failure

    def _add_wait_note(self, failure: Reason, retry_at: float) -> None:
        self._noted_until = max(self._noted_until, retry_at)
        self._progress.notes.append(self._wait_note(failure, retry_at))
        log.info("waiting reason=%s", self._wait_note(failure, retry_at))

    def _wait_note(self, failure: Reason, retry_at: float) -> Reason:
        seconds = round(max(0.0, retry_at - self._clock()))
        return Reason("note.waiting", cause=failure, seconds=seconds)
