"""Login throttle: a few free attempts, then exponentially growing waits."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock


@dataclass(frozen=True, slots=True)
class AttemptLimit:
    """Free attempts, after which the wait doubles with each failure up to a maximum."""

    free_attempts: int
    max_wait_seconds: float

    def wait_seconds(self, failures: int) -> float:
        """Seconds from the last failure to the next allowed attempt."""
        doublings = min(failures - self.free_attempts, 30)
        return min(self.max_wait_seconds, 2.0**doublings) if doublings > 0 else 0.0


#: Others can lock an account by failing on purpose, so its maximum wait is short.
ACCOUNT_LIMIT = AttemptLimit(free_attempts=5, max_wait_seconds=60)
ADDRESS_LIMIT = AttemptLimit(free_attempts=20, max_wait_seconds=900)
MAX_TRACKED_KEYS = 20_000
"""Maximum number of names and addresses in memory; the least recently used are dropped first."""
FAILURE_EXPIRY_SECONDS = 3600.0
"""Seconds after which failures are forgotten."""


class Throttle:
    """Failure counter by key. An attempt counts as a failure until it is recorded as a success."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._lock = Lock()

    def begin_attempt(self, limits: dict[str, AttemptLimit]) -> float:
        """Count an attempt under these keys, or return the seconds to wait without counting it."""
        now = self._clock()
        with self._lock:
            wait = max(self._wait(key, limit, now) for key, limit in limits.items())
            if wait <= 0:
                for key in limits:
                    self._failures[key] = (self._failure_count(key, now) + 1, now)
                    self._failures.move_to_end(key)
                while len(self._failures) > MAX_TRACKED_KEYS:
                    self._failures.popitem(last=False)
            return max(0.0, wait)

    def record_success(self, reset_key: str, *other_keys: str) -> None:
        """Forget all failures of `reset_key`, and this one attempt under the other keys."""
        with self._lock:
            self._failures.pop(reset_key, None)
            for key in other_keys:
                if key in self._failures:
                    failures, at = self._failures[key]
                    self._failures[key] = (max(0, failures - 1), at)

    def _wait(self, key: str, limit: AttemptLimit, now: float) -> float:
        at = self._failures.get(key, (0, 0.0))[1]
        return at + limit.wait_seconds(self._failure_count(key, now)) - now

    def _failure_count(self, key: str, now: float) -> int:
        failures, at = self._failures.get(key, (0, 0.0))
        return failures if now - at < FAILURE_EXPIRY_SECONDS else 0
