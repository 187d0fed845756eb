"""Login throttle: a few free attempts, then exponentially growing waits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from byway.core.model.account import NO_FAILURES, FailureCount, FailureUpdate
from byway.core.secret_tokens import secret_hash

if TYPE_CHECKING:  # ports import numpy, which a crawl does not need
    from byway.core.ports import AccountStore


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
FAILURE_EXPIRY_SECONDS = 3600.0
"""Seconds after which failures are forgotten."""


class Throttle:
    """Failure counter by key, shared by all processes that serve the same accounts.

    An attempt counts as a failure until it is recorded as a success.
    """

    def __init__(self, store: "AccountStore", clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def begin_attempt(self, limits: Mapping[str, AttemptLimit]) -> float:
        """Count an attempt under these keys, or return the seconds to wait without counting it."""
        now, wait = self._clock(), 0.0

        def count_attempt(found: Sequence[FailureCount]) -> Sequence[FailureCount]:
            nonlocal wait
            failures = [_unexpired(each, now) for each in found]
            wait = max(
                each.last_at + limit.wait_seconds(each.failures) - now
                for each, limit in zip(failures, limits.values(), strict=True)
            )
            if wait > 0:
                return found
            return [FailureCount(each.failures + 1, now) for each in failures]

        self._update(list(limits), count_attempt)
        return max(0.0, wait)

    def record_success(self, reset_key: str, *other_keys: str) -> None:
        """Forget all failures of `reset_key`, and this one attempt under the other keys."""

        def forget(found: Sequence[FailureCount]) -> Sequence[FailureCount]:
            others = [each._replace(failures=max(0, each.failures - 1)) for each in found[1:]]
            return [NO_FAILURES, *others]

        self._update([reset_key, *other_keys], forget)

    def _update(self, keys: Sequence[str], update: FailureUpdate) -> None:
        hashes = [secret_hash(key) for key in keys]
        self._store.update_failures(hashes, update, self._clock() - FAILURE_EXPIRY_SECONDS)


def _unexpired(failures: FailureCount, now: float) -> FailureCount:
    return failures if now - failures.last_at < FAILURE_EXPIRY_SECONDS else NO_FAILURES
