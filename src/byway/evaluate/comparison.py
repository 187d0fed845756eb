"""Would other weights answer better? Judged queries are asked twice, in a thread of their own."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from byway.core.errors import BywayError
from byway.evaluate.measures import ndcg
from byway.evaluate.qrels import JudgedQuery
from byway.evaluate.runs import Answer
from byway.evaluate.significance import Difference, Interval, difference, interval

log = logging.getLogger(__name__)

DEPTH = 10
LONGEST = 60.0
"""Seconds that one measurement may take; what was asked by then counts."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The nDCG@10 of one query, before and after."""

    text: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Compared:
    """How all queries did, before and after, and whether that may be chance."""

    pairs: tuple[Pair, ...]
    before: Interval
    after: Interval
    change: Interval
    difference: Difference
    left_out: int
    """Queries for which there was no time."""


class Measuring:
    """A measurement under way, or one that is over."""

    def __init__(
        self,
        queries: Sequence[JudgedQuery],
        before: Answer,
        after: Answer,
        seconds: float = LONGEST,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """A query with nothing relevant to find tells nothing, and is not asked."""
        self._queries = [one for one in queries if any(grade > 0 for grade in one.grades.values())]
        self._before, self._after = before, after
        self._seconds, self._clock = seconds, clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="measuring", daemon=True)
        self.total = len(self._queries)
        self.done = 0
        self.failed = ""
        self.found: Compared | None = None

    def start(self) -> None:
        """Begin; the caller need not wait."""
        self._thread.start()

    def stop(self) -> None:
        """Ask no more; what was asked counts."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Is it over, within so many seconds?"""
        self._thread.join(seconds)
        return not self.running

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            self.found = _compared(self._pairs(), self.total)
        except BywayError as error:
            self.failed = str(error)
        except Exception:
            log.exception("a measurement failed")
            self.failed = "it failed; the log of byway says why"

    def _pairs(self) -> list[Pair]:
        end = self._clock() + self._seconds
        pairs: list[Pair] = []
        for query in self._queries:
            if self._stop.is_set() or self._clock() > end:
                break
            pairs.append(Pair(query.text, *(self._ndcg(way, query) for way in self._ways)))
            self.done += 1
        return pairs

    @property
    def _ways(self) -> tuple[Answer, Answer]:
        return self._before, self._after

    def _ndcg(self, answer: Answer, query: JudgedQuery) -> float:
        return ndcg([name for name, _ in answer(query.text, DEPTH)], query.grades)


def _compared(pairs: list[Pair], total: int) -> Compared:
    before, after = [one.before for one in pairs], [one.after for one in pairs]
    return Compared(
        tuple(pairs),
        interval(before),
        interval(after),
        interval([new - old for old, new in zip(before, after, strict=True)]),
        difference(before, after),
        total - len(pairs),
    )
