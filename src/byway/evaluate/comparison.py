"""Would other weights answer better? Judged queries are asked twice, in a thread of their own."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from byway.core.errors import BywayError
from byway.evaluate.measures import ndcg
from byway.evaluate.qrels import GradedQuery
from byway.evaluate.runs import RankingFunction
from byway.evaluate.significance import ConfidenceInterval, Difference, difference, interval

log = logging.getLogger(__name__)

NDCG_DEPTH = 10
MAX_COMPARISON_SECONDS = 60.0
"""Seconds that one measurement may take; what was asked by then counts."""


@dataclass(frozen=True, slots=True)
class QueryComparison:
    """The nDCG@10 of one query, before and after."""

    text: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class WeightComparison:
    """How all queries did, before and after, and whether that may be chance."""

    queries: tuple[QueryComparison, ...]
    before: ConfidenceInterval
    after: ConfidenceInterval
    change: ConfidenceInterval
    difference: Difference
    skipped_queries: int
    """Queries for which there was no time."""


class ComparisonJob:
    """A measurement under way, or one that is over."""

    def __init__(
        self,
        queries: Sequence[GradedQuery],
        before: RankingFunction,
        after: RankingFunction,
        seconds: float = MAX_COMPARISON_SECONDS,
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
        self.error = ""
        self.result: WeightComparison | None = None

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
            self.result = _compared(self._pairs(), self.total)
        except BywayError as error:
            self.error = str(error)
        except Exception:
            log.exception("a measurement failed")
            self.error = "it failed; the log of byway says why"

    def _pairs(self) -> list[QueryComparison]:
        end = self._clock() + self._seconds
        pairs: list[QueryComparison] = []
        for query in self._queries:
            if self._stop.is_set() or self._clock() > end:
                break
            pairs.append(
                QueryComparison(query.text, *(self._ndcg(way, query) for way in self._ways))
            )
            self.done += 1
        return pairs

    @property
    def _ways(self) -> tuple[RankingFunction, RankingFunction]:
        return self._before, self._after

    def _ndcg(self, answer: RankingFunction, query: GradedQuery) -> float:
        return ndcg([name for name, _ in answer(query.text, NDCG_DEPTH)], query.grades)


def _compared(pairs: list[QueryComparison], total: int) -> WeightComparison:
    before, after = [one.before for one in pairs], [one.after for one in pairs]
    return WeightComparison(
        tuple(pairs),
        interval(before),
        interval(after),
        interval([new - old for old, new in zip(before, after, strict=True)]),
        difference(before, after),
        total - len(pairs),
    )
