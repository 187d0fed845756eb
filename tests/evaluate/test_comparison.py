"""Comparison of two rankings in the background, with a time limit."""

import threading
from collections.abc import Sequence

import pytest

from byway.evaluate.comparison import ComparisonJob
from byway.evaluate.qrels import GradedQuery

QUERIES = [GradedQuery(str(n), f"query {n}", {"best": 2, "good": 1}) for n in range(8)]
USELESS = GradedQuery("9", "nothing relevant", {"best": 0})


def best_first(text: str, depth: int) -> Sequence[tuple[str, float]]:
    return [("best", 2.0), ("good", 1.0)][:depth]


def best_last(text: str, depth: int) -> Sequence[tuple[str, float]]:
    return [("other", 3.0), ("good", 2.0), ("best", 1.0)][:depth]


def test_both_rankings_are_measured_with_confidence_intervals() -> None:
    run = ComparisonJob([*QUERIES, USELESS], best_last, best_first)
    assert run.total == 8
    run.start()
    assert run.wait(20)
    assert (run.done, run.error) == (8, None)
    assert run.result
    assert run.result.after.mean == 1.0
    assert run.result.before.mean == pytest.approx(0.6199, abs=1e-4)
    assert run.result.change.low <= run.result.change.mean <= run.result.change.high
    assert run.result.difference.verdict == "significantly_better"
    assert run.result.skipped_queries == 0


def test_a_comparison_stops_at_its_time_limit_and_counts_skipped_queries() -> None:
    now = iter(range(100))
    run = ComparisonJob(QUERIES, best_last, best_first, seconds=3, clock=lambda: float(next(now)))
    run.start()
    assert run.wait(20)
    assert run.result and (len(run.result.queries), run.result.skipped_queries) == (3, 5)


def test_a_comparison_can_be_stopped() -> None:
    asked, go = threading.Event(), threading.Event()

    def slow(text: str, depth: int) -> Sequence[tuple[str, float]]:
        asked.set()
        assert go.wait(20)
        return best_first(text, depth)

    run = ComparisonJob(QUERIES, slow, best_first)
    run.start()
    assert asked.wait(20)
    assert run.running and run.result is None
    run.stop()
    go.set()
    assert run.wait(20)
    assert run.result and len(run.result.queries) == 1


def test_a_failed_comparison_has_an_error() -> None:
    def broken(text: str, depth: int) -> Sequence[tuple[str, float]]:
        raise RuntimeError("the index fell over")

    run = ComparisonJob(QUERIES, broken, best_first)
    run.start()
    assert run.wait(20)
    assert run.result is None
    assert run.error and run.error.code == "evaluate.comparison_failed"
