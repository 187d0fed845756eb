import time

import pytest
from pace import REFERENCE_SECONDS, reference_work, run_within, slowness, wait_until


def repeated(times: int) -> int:
    return sum(reference_work() for _ in range(times))


def test_work_that_is_quick_enough_gives_what_it_gives() -> None:
    assert run_within(REFERENCE_SECONDS * 20, lambda: repeated(4)) == repeated(4)


def test_work_that_is_too_slow_is_told_with_what_it_took() -> None:
    with pytest.raises(AssertionError, match=r"more than 0\.16 s each time: (.+, ){2}"):
        run_within(REFERENCE_SECONDS * 4, lambda: repeated(20))


def test_work_is_tried_again_when_something_came_between() -> None:
    tried: list[int] = []

    def work() -> None:
        tried.append(repeated(1 if tried else 20))

    run_within(REFERENCE_SECONDS * 4, work)
    assert len(tried) == 2


def test_a_machine_is_never_faster_than_the_one_that_limits_are_meant_for() -> None:
    assert slowness(lambda: 0.0) == 1.0
    assert 1.0 <= slowness(time.perf_counter) < 100


def test_what_comes_true_is_waited_for_and_the_rest_not_without_end() -> None:
    looked = iter((0, 0, 1))
    assert wait_until(lambda: next(looked))
    assert not wait_until(lambda: False, 0.05)
