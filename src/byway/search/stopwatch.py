"""How long did each step of a search take?"""

from collections.abc import Callable


class Stopwatch:
    """Takes the time of one step after the other."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._started = self._last = clock()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """The step of that name is over."""
        now = self._clock()
        self.laps[name] = now - self._last
        self._last = now

    @property
    def seconds(self) -> float:
        """From the start to the last lap."""
        return self._last - self._started
