"""How often may somebody try? A few times at once, then after waits that grow."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock


@dataclass(frozen=True, slots=True)
class AttemptLimit:
    """`free_attempts` tries cost nothing; after each further one the wait doubles, up to
    `max_wait_seconds`.
    """

    free_attempts: int
    max_wait_seconds: float

    def wait_seconds(self, failures: int) -> float:
        """Seconds from the last failure to the next try."""
        doublings = min(failures - self.free_attempts, 30)
        return min(self.max_wait_seconds, 2.0**doublings) if doublings > 0 else 0.0


#: Others can make an account wait by failing on purpose, so that wait stays short.
ACCOUNT_LIMIT, ADDRESS_LIMIT = AttemptLimit(5, 60), AttemptLimit(20, 900)
MAX_TRACKED_KEYS = 20_000
"""Names and addresses that are remembered; those that tried longest ago are forgotten first."""
FAILURE_EXPIRY_SECONDS = 3600.0
"""Seconds after which a failure counts no more."""


class Throttle:
    """Counts failures by key. Every try counts as one until it is said to have been right."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._failures: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._lock = Lock()

    def begin_attempt(self, limits: dict[str, AttemptLimit]) -> float:
        """Begin a try under these keys; if it must wait, how many seconds, and nothing counts."""
        now = self._clock()
        with self._lock:
            wait = max(self._wait(key, limit, now) for key, limit in limits.items())
            if wait <= 0:
                for key in limits:
                    self._failures[key] = (self._failed(key, now) + 1, now)
                    self._failures.move_to_end(key)
                while len(self._failures) > MAX_TRACKED_KEYS:
                    self._failures.popitem(last=False)
            return max(0.0, wait)

    def record_success(self, whole: str, *one: str) -> None:
        """The try was right: forget `whole` altogether, and this try alone of the others."""
        with self._lock:
            self._failures.pop(whole, None)
            for key in one:
                if key in self._failures:
                    failures, at = self._failures[key]
                    self._failures[key] = (max(0, failures - 1), at)

    def _wait(self, key: str, limit: AttemptLimit, now: float) -> float:
        at = self._failures.get(key, (0, 0.0))[1]
        return at + limit.wait_seconds(self._failed(key, now)) - now

    def _failed(self, key: str, now: float) -> int:
        failures, at = self._failures.get(key, (0, 0.0))
        return failures if now - at < FAILURE_EXPIRY_SECONDS else 0
