"""Statistical significance: bootstrap confidence intervals, and a paired randomization test.

Both resample the measured values, so they assume no distribution. The seed is fixed: the same
values give the same result.
"""

from collections.abc import Sequence

import numpy as np

from byway.core.model.measurement import SIGNIFICANCE_LEVEL, ConfidenceInterval, Difference

RESAMPLE_COUNT = 10_000
SEED = 7


def interval(values: Sequence[float]) -> ConfidenceInterval:
    """The mean of these values with its bootstrap confidence interval."""
    array = np.asarray(values, float)
    if not len(array):
        return ConfidenceInterval(0.0, 0.0, 0.0)
    random = np.random.default_rng(SEED)
    means = [array[sample].mean() for sample in _resample(random, len(array))]
    low, high = np.percentile(
        means, [100 * SIGNIFICANCE_LEVEL / 2, 100 * (1 - SIGNIFICANCE_LEVEL / 2)]
    )
    return ConfidenceInterval(float(array.mean()), float(low), float(high))


def difference(first: Sequence[float], second: Sequence[float]) -> Difference:
    """A paired randomization test: random swaps of the two values of each query."""
    change = np.asarray(second, float) - np.asarray(first, float)
    changed = change[change != 0]
    if not len(changed):
        return Difference(0.0, 1.0, 0, 0)
    random = np.random.default_rng(SEED)
    observed = abs(changed.sum()) - 1e-12
    as_extreme = sum(
        abs(float(changed @ random.choice((-1.0, 1.0), len(changed)))) >= observed
        for _ in range(RESAMPLE_COUNT)
    )
    better = int((changed > 0).sum())
    # Add one: the observed assignment is one of the possible ones.
    p = (as_extreme + 1) / (RESAMPLE_COUNT + 1)
    return Difference(float(change.mean()), p, better, len(changed) - better)


def _resample(
    random: np.random.Generator, size: int
) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    """Indices of samples with replacement, one sample per row; fewer if there are many values."""
    samples = min(RESAMPLE_COUNT, max(1000, 20_000_000 // size))
    return random.integers(0, size, (samples, size))
