"""Measurements: means, their differences, and weights learned from judged queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from byway.core.messages import t

SIGNIFICANCE_LEVEL = 0.05
"""A difference with a lower p-value is significant."""

Verdict = Literal["no_difference", "not_significant", "significantly_better", "significantly_worse"]


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    """A mean with its 95 % confidence interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between two means over the same queries, with its p-value."""

    mean: float
    p: float
    better: int
    """Number of queries for which the second value is better."""
    worse: int
    """Number of queries for which the second value is worse."""

    @property
    def significant(self) -> bool:
        """Whether the p-value is below the significance level."""
        return self.p < SIGNIFICANCE_LEVEL

    @property
    def verdict(self) -> Verdict:
        """The result of the test, as a code."""
        if not self.better and not self.worse:
            return "no_difference"
        if not self.significant:
            return "not_significant"
        return "significantly_better" if self.mean > 0 else "significantly_worse"

    @property
    def verdict_text(self) -> str:
        """The result of the test, in words."""
        return t(f"evaluate.verdict.{self.verdict}")


@dataclass(frozen=True, slots=True)
class Fold:
    """Mean nDCG of held-out queries, with default and with learned weights."""

    queries: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class TunedWeights:
    """Weights learned from all queries, with the results of cross-validation."""

    weights: Mapping[str, float]
    folds: tuple[Fold, ...]
    change: Difference
