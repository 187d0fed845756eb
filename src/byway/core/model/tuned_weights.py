"""Weights learned from judged queries, with their cross-validation."""

from collections.abc import Mapping
from dataclasses import dataclass

from byway.core.model.measurement import Difference


@dataclass(frozen=True, slots=True)
class Fold:
    """Mean nDCG of held-out queries, with default and with learned weights."""

    queries: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class TunedWeights:
    """Weights learned from all queries, and the cross-validation of the method."""

    weights: Mapping[str, float]
    folds: tuple[Fold, ...]
    change: Difference
