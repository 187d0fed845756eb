"""Could it be chance? Intervals for a mean, and a test for the difference of two.

Both are computed by drawing again and again from what was measured, so they assume nothing about
how it is spread. The seed is fixed: the same figures give the same answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

RESAMPLE_COUNT = 10_000
SEED = 7
SIGNIFICANCE_LEVEL = 0.05
"""A difference that chance would make less often than this is called significant."""


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    """A mean, and the range in which 95 of 100 samples like this one would have it."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """How two means over the same queries differ, and how likely chance alone does that."""

    mean: float
    p: float
    better: int
    """Queries on which the second is better, and on which it is worse."""
    worse: int

    @property
    def significant(self) -> bool:
        """Is chance an unlikely explanation?"""
        return self.p < SIGNIFICANCE_LEVEL

    @property
    def verdict(self) -> str:
        """The same in words."""
        if not self.better and not self.worse:
            return "no difference"
        if not self.significant:
            return "not significant"
        return "significantly better" if self.mean > 0 else "significantly worse"


def interval(values: Sequence[float]) -> ConfidenceInterval:
    """The mean of these values with its bootstrap interval."""
    array = np.asarray(values, float)
    if not len(array):
        return ConfidenceInterval(0.0, 0.0, 0.0)
    random = np.random.default_rng(SEED)
    means = [array[drawn].mean() for drawn in _drawn(random, len(array))]
    low, high = np.percentile(
        means, [100 * SIGNIFICANCE_LEVEL / 2, 100 * (1 - SIGNIFICANCE_LEVEL / 2)]
    )
    return ConfidenceInterval(float(array.mean()), float(low), float(high))


def difference(first: Sequence[float], second: Sequence[float]) -> Difference:
    """A paired randomisation test: would swapping the two at random do the same?"""
    change = np.asarray(second, float) - np.asarray(first, float)
    moved = change[change != 0]
    if not len(moved):
        return Difference(0.0, 1.0, 0, 0)
    random = np.random.default_rng(SEED)
    seen = abs(moved.sum()) - 1e-12
    as_far = sum(
        abs(float(moved @ random.choice((-1.0, 1.0), len(moved)))) >= seen
        for _ in range(RESAMPLE_COUNT)
    )
    better = int((moved > 0).sum())
    # The pairing that was seen is one of those that chance could make.
    p = (as_far + 1) / (RESAMPLE_COUNT + 1)
    return Difference(float(change.mean()), p, better, len(moved) - better)


def _drawn(
    random: np.random.Generator, size: int
) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    """Draws with replacement, as rows; fewer when there are very many values."""
    draws = min(RESAMPLE_COUNT, max(1000, 20_000_000 // size))
    return random.integers(0, size, (draws, size))
