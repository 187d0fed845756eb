"""Which weights order the answers best? Learnt from judged queries, and proven on others.

Weights are changed one at a time, as long as the mean nDCG@10 grows (coordinate ascent): slow but
plain, and it optimises what is measured. Queries are dealt into folds; what is reported for a
query is always from weights that were learnt without it. The seed makes it the same every time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from byway.core.errors import UsageError
from byway.evaluate.significance import SEED, Difference, difference

Floats = NDArray[np.float64]

NDCG_DEPTH = 10
FOLD_COUNT = 5
MAX_ROUNDS = 4
WEIGHT_FACTORS = (0.0, 0.25, 0.5, 0.8, 1.25, 2.0, 4.0)
"""What a weight is multiplied by, to see whether that is better."""
ZERO_WEIGHT_START = 0.02
"""What a weight of 0 is tried as, so that a signal that is off can come to count."""
MIN_GAIN = 1e-5
DOUBLING_PENALTY = 2e-4
"""What each doubling away from the default costs: weights move for a reason or not at all."""


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """One judged query: what the signals say of each candidate, and how relevant each is."""

    signals: Floats
    """[candidate, signal]"""
    grades: Floats
    ideal_dcg: float
    """The discounted gain of the best possible ranking."""


@dataclass(frozen=True, slots=True)
class Fold:
    """What weights did for queries that they were not learnt from."""

    queries: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class TunedWeights:
    """Weights learnt from all queries, and how weights so learnt do on queries they never saw."""

    weights: Mapping[str, float]
    folds: tuple[Fold, ...]
    change: Difference


def ideal_dcg(grades: Sequence[float]) -> float:
    """The discounted gain of documents of these grades in the best order."""
    best = np.sort(np.asarray(grades, float))[::-1][:NDCG_DEPTH]
    return float((best * _discounts(len(best))).sum())


def tune(
    sets: Sequence[Sequence[TrainingExample]], defaults: Mapping[str, float], fixed: str = "bm25"
) -> TunedWeights:
    """Learn weights from several sets of queries, each of which counts the same.

    One weight is `fixed`: an ordering does not change when all weights grow together.
    """
    judged = sum(map(len, sets))
    if judged < FOLD_COUNT:
        raise UsageError(
            f"{judged} judged queries are too few to learn from; judge {FOLD_COUNT} at least"
        )
    names = list(defaults)
    start = np.array([defaults[name] for name in names])
    free = [n for n, name in enumerate(names) if name != fixed]
    dealt = [_dealt(len(examples)) for examples in sets]
    folds, before, after = [], [], []
    for fold in range(FOLD_COUNT):
        learn = _TrainingSet.from_examples(sets, [deal != fold for deal in dealt])
        prove = _TrainingSet.from_examples(sets, [deal == fold for deal in dealt])
        weights = learn.coordinate_ascent(start, free)
        before.append(prove.ndcg(start))
        after.append(prove.ndcg(weights))
        folds.append(Fold(len(before[-1]), prove.mean(start), prove.mean(weights)))
    learnt = _TrainingSet.from_examples(sets, [deal >= 0 for deal in dealt]).coordinate_ascent(
        start, free
    )
    return TunedWeights(
        dict(zip(names, (round(float(weight), 4) for weight in learnt), strict=True)),
        tuple(folds),
        difference(np.concatenate(before).tolist(), np.concatenate(after).tolist()),
    )


def weights_toml(tuned: TunedWeights, collection_names: str) -> str:
    """The weights as a settings file."""
    before = sum(fold.before for fold in tuned.folds) / len(tuned.folds)
    after = sum(fold.after for fold in tuned.folds) / len(tuned.folds)
    lines = [
        f"# Weights learnt from {' '.join(collection_names.split())}.",
        f"# On queries they were not learnt from, nDCG@10 went from {before:.4f} to {after:.4f}: "
        f"{tuned.change.verdict}.",
        "",
        "[search.weights]",
        *(f"{name} = {weight!r}" for name, weight in tuned.weights.items()),
    ]
    return "\n".join(lines) + "\n"


def _dealt(queries: int) -> NDArray[np.int64]:
    """The fold of each query, as many in each."""
    return np.random.default_rng(SEED).permutation(queries) % FOLD_COUNT


def _discounts(depth: int) -> Floats:
    return 1 / np.log2(np.arange(depth) + 2)


@dataclass(frozen=True, slots=True)
class _TrainingSet:
    """Many queries as one block of numbers: [query, candidate, signal], short ones filled up."""

    signals: Floats
    grades: Floats
    ideal_dcg: Floats
    query_weights: Floats
    """What each query counts for: all sets the same, and so all queries of a set."""

    @classmethod
    def from_examples(
        cls, sets: Sequence[Sequence[TrainingExample]], chosen: Sequence[NDArray[np.bool_]]
    ) -> "_TrainingSet":
        picked = [
            (example, 1 / max(1, int(mask.sum())))
            for examples, mask in zip(sets, chosen, strict=True)
            for example, taken in zip(examples, mask, strict=True)
            if taken
        ]
        most = max((len(example.grades) for example, _ in picked), default=0)
        kinds = max((example.signals.shape[1] for example, _ in picked), default=0)
        signals = np.zeros((len(picked), max(most, NDCG_DEPTH), kinds))
        grades = np.zeros(signals.shape[:2])
        for row, (example, _) in enumerate(picked):
            signals[row, : len(example.grades)] = example.signals
            grades[row, : len(example.grades)] = example.grades
        share = np.array([part for _, part in picked])
        return cls(
            signals,
            grades,
            np.array([example.ideal_dcg for example, _ in picked]),
            share / max(share.sum(), 1e-12),
        )

    def coordinate_ascent(self, start: Floats, free: Sequence[int]) -> Floats:
        """Change one weight at a time while that helps."""
        weights = start.copy()
        best = self._worth(weights, start)
        for _ in range(MAX_ROUNDS):
            before = best
            for signal in free:
                for step in WEIGHT_FACTORS:
                    tried = weights.copy()
                    tried[signal] = (weights[signal] or ZERO_WEIGHT_START) * step
                    worth = self._worth(tried, start)
                    if worth > best + MIN_GAIN:
                        best, weights = worth, tried
            if best - before < MIN_GAIN:
                break
        return weights

    def mean(self, weights: Floats) -> float:
        """The mean nDCG with these weights."""
        return float(self.ndcg(weights) @ self.query_weights)

    def ndcg(self, weights: Floats) -> Floats:
        """The nDCG of each query with these weights."""
        scores = self.signals @ weights
        # What fills up a query's candidates has nothing but zeros; real ones have some words.
        top = np.argsort(-scores, axis=1, kind="stable")[:, :NDCG_DEPTH]
        gains = np.take_along_axis(self.grades, top, axis=1)
        found: Floats = (gains @ _discounts(NDCG_DEPTH)) / np.maximum(self.ideal_dcg, 1e-12)
        return found

    def _worth(self, weights: Floats, start: Floats) -> float:
        away = np.abs(
            np.log2((np.abs(weights) + ZERO_WEIGHT_START) / (np.abs(start) + ZERO_WEIGHT_START))
        ).sum()
        return self.mean(weights) - DOUBLING_PENALTY * float(away)
