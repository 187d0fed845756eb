"""Comparison of two sets of weights: judged queries are run with both, in a background thread."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from byway.core.errors import BywayError, DataError
from byway.core.model.measurement import ConfidenceInterval, Difference
from byway.evaluate.measures import ndcg
from byway.evaluate.qrels import GradedQuery
from byway.evaluate.runs import RankingFunction
from byway.evaluate.significance import difference, interval

log = logging.getLogger(__name__)

NDCG_DEPTH = 10
MAX_COMPARISON_SECONDS = 60.0
"""The time limit of a comparison; queries not started by then are skipped."""


@dataclass(frozen=True, slots=True)
class QueryComparison:
    """The nDCG@10 of one query, before and after."""

    text: str
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class WeightComparison:
    """The nDCG@10 of all queries, before and after, and the significance of the change."""

    queries: tuple[QueryComparison, ...]
    before: ConfidenceInterval
    after: ConfidenceInterval
    change: ConfidenceInterval
    difference: Difference
    skipped_queries: int
    """Queries not run within the time limit."""


class ComparisonJob:
    """A comparison that is running or done."""

    def __init__(
        self,
        queries: Sequence[GradedQuery],
        before: RankingFunction,
        after: RankingFunction,
        seconds: float = MAX_COMPARISON_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Queries without a relevant page are not run."""
        self._queries = [
            query for query in queries if any(grade > 0 for grade in query.grades.values())
        ]
        self._before, self._after = before, after
        self._seconds, self._clock = seconds, clock
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="weight-comparison", daemon=True)
        self.total = len(self._queries)
        self.done = 0
        self.error: BywayError | None = None
        self.result: WeightComparison | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current query; the finished queries still count."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds`; return whether it is done."""
        self._thread.join(seconds)
        return not self.running

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def _run(self) -> None:
        try:
            self.result = _summarize(self._compare_queries(), self.total)
        except BywayError as error:
            self.error = error
        except Exception:
            log.exception("weight comparison failed")
            self.error = DataError("evaluate.comparison_failed")

    def _compare_queries(self) -> list[QueryComparison]:
        end = self._clock() + self._seconds
        compared: list[QueryComparison] = []
        for query in self._queries:
            if self._stop.is_set() or self._clock() > end:
                break
            before, after = _ndcg(self._before, query), _ndcg(self._after, query)
            compared.append(QueryComparison(query.text, before, after))
            self.done += 1
        return compared


def _ndcg(rank: RankingFunction, query: GradedQuery) -> float:
    return ndcg([url for url, _ in rank(query.text, NDCG_DEPTH)], query.grades)


def _summarize(queries: list[QueryComparison], total: int) -> WeightComparison:
    before, after = [query.before for query in queries], [query.after for query in queries]
    return WeightComparison(
        queries=tuple(queries),
        before=interval(before),
        after=interval(after),
        change=interval([new - old for old, new in zip(before, after, strict=True)]),
        difference=difference(before, after),
        skipped_queries=total - len(queries),
    )
