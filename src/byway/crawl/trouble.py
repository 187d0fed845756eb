"""Who does not answer, and when is it tried again? What a person hears of it."""

import logging
from collections.abc import Callable

from byway.crawl.recorder import Progress
from byway.model import Outcome, State, Visit
from byway.url import host_of

log = logging.getLogger(__name__)

LONG = 3.0
"""Seconds after which somebody who watches wonders what is waited for."""
MOST_SILENT = 100
"""Hosts that did not answer that are remembered by name."""
NAMED = 3
"""Those of them that are told."""
LED_SOMEWHERE = (State.KEPT, State.WALKED, State.REDIRECTED)


class Trouble:
    """Hears how visits ended, and puts down for a person what they should know."""

    def __init__(self, progress: Progress, clock: Callable[[], float]) -> None:
        self._progress = progress
        self._clock = clock
        self._last = ""
        self._told_until = 0.0
        self._silent: dict[str, str] = {}

    def note(self, visit: Visit, outcome: Outcome) -> None:
        """Remember who did not answer; of a seed that led nowhere a person hears at once."""
        host = host_of(visit.url)
        trouble = f"{host}: {outcome.reason}"
        self._last = trouble if outcome.due else ""
        if outcome.state is State.UNREACHABLE and len(self._silent) < MOST_SILENT:
            self._silent[host] = trouble
        if not visit.seed or outcome.state in LED_SOMEWHERE:
            return
        if outcome.due:
            self._tell(outcome.due)
        else:
            self._progress.notes.append(f"{visit.url}: {outcome.state}: {outcome.reason}")

    def idle(self, until: float) -> None:
        """Nothing can be done until then: say why, once for each wait."""
        if self._last and until - self._clock() > LONG:
            self._progress.waiting = self._again(until)
            if until > self._told_until + LONG:
                self._tell(until)

    def who(self) -> str:
        """Those who did not answer, and why."""
        each = list(self._silent.values())
        named, more = "; ".join(each[:NAMED]), len(each) - NAMED
        if more <= 0:
            return named
        least = "at least " if len(each) == MOST_SILENT else ""
        return f"{named}; and {least}{more} more host{'' if more == 1 else 's'}"

    def _tell(self, due: float) -> None:
        self._told_until = max(self._told_until, due)
        self._progress.notes.append(self._again(due))
        log.info("waiting %s", self._again(due))

    def _again(self, due: float) -> str:
        return f"{self._last}; trying again in {max(0.0, due - self._clock()):.0f} s"
