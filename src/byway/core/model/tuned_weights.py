"""Weights learned from judged queries, with their cross-validation."""

from collections.abc import Mapping
from dataclasses import dataclass

from byway.core.model.measurement import Difference


@dataclass(frozen=True, slots=True)
class Fold:
    """The mean nDCG of held-out queries, with the default weights and with learned ones."""

    queries: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class TunedWeights:
    """Weights learned from all queries, and the cross-validation of the method."""

    weights: Mapping[str, float]
    folds: tuple[Fold, ...]
    change: Difference
