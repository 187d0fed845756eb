"""Is it quick enough, whatever machine this is and whoever else is at work on it?

Limits in seconds are written for one machine. A yardstick, work of which is known how long it took
there, says how much slower another one is just now.
"""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

REFERENCE_SECONDS = 0.0400
"""Seconds of the yardstick on the machine for which limits are written, with nobody else on it."""

MAX_TRIES = 3
"""A compiler, or another process in the cache, falls into one try and not into all of them."""

WAIT_TIMEOUT_SECONDS = 60.0
"""Seconds to wait for what is sure to happen, and soon: they cost nothing where it does."""

Clock = Callable[[], float]


def run_within(seconds: float, work: Callable[[], T], clock: Clock = time.process_time) -> T:
    """What the work gives, which takes fewer seconds than these on the machine they are meant for.

    A clock of the processor does not see other processes; one of the wall is for work that waits.
    """
    tried = []
    for _ in range(MAX_TRIES):
        took, given = _timed(work, clock)
        if took < seconds or took < seconds * (slower := slowness(clock)):
            return given
        tried.append(f"{took:.3f} s where all is {slower:.1f} times as slow")
    raise AssertionError(f"more than {seconds} s each time: {', '.join(tried)}")


def slowness(clock: Clock = time.process_time) -> float:
    """How many times as long as on the machine that limits are meant for all takes here and now."""
    return max(1.0, _timed(reference_work, clock)[0] / REFERENCE_SECONDS)


def reference_work() -> int:
    """Work as ours is: words are cut, counted, put in order and put together."""
    counted: dict[str, int] = {}
    for number in range(70_000):
        for word in f"the {number % 997} of {number % 89}".split():
            counted[word] = counted.get(word, 0) + 1
    return len(" ".join(sorted(counted, key=lambda word: (counted[word], word))))


def wait_until(condition: Callable[[], object], seconds: float = WAIT_TIMEOUT_SECONDS) -> bool:
    """Has it come true, within that many seconds? Looked at all the while."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _timed(work: Callable[[], T], clock: Clock) -> tuple[float, T]:
    """The seconds that it takes, without sweeping up after all tests before it."""
    swept = gc.isenabled()
    gc.disable()
    try:
        start = clock()
        given = work()
        return clock() - start, given
    finally:
        if swept:
            gc.enable()
