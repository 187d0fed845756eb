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

DEPTH = 10
FOLDS = 5
ROUNDS = 4
STEPS = (0.0, 0.25, 0.5, 0.8, 1.25, 2.0, 4.0)
"""What a weight is multiplied by, to see whether that is better."""
START = 0.02
"""What a weight of 0 is tried as, so that a signal that is off can come to count."""
LEAST_GAIN = 1e-5
PENALTY = 2e-4
"""What each doubling away from the default costs: weights move for a reason or not at all."""


@dataclass(frozen=True, slots=True)
class Example:
    """One judged query: what the signals say of each candidate, and how relevant each is."""

    signals: Floats
    """[candidate, signal]"""
    grades: Floats
    ideal: float
    """The discounted gain of the best possible ranking."""


@dataclass(frozen=True, slots=True)
class Fold:
    """What weights did for queries that they were not learnt from."""

    queries: int
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Tuned:
    """Weights learnt from all queries, and how weights so learnt do on queries they never saw."""

    weights: Mapping[str, float]
    folds: tuple[Fold, ...]
    change: Difference


def ideal_gain(grades: Sequence[float]) -> float:
    """The discounted gain of documents of these grades in the best order."""
    best = np.sort(np.asarray(grades, float))[::-1][:DEPTH]
    return float((best * _discounts(len(best))).sum())


def tune(
    sets: Sequence[Sequence[Example]], defaults: Mapping[str, float], fixed: str = "words"
) -> Tuned:
    """Learn weights from several sets of queries, each of which counts the same.

    One weight is `fixed`: an ordering does not change when all weights grow together.
    """
    judged = sum(map(len, sets))
    if judged < FOLDS:
        raise UsageError(
            f"{judged} judged queries are too few to learn from; judge {FOLDS} at least"
        )
    names = list(defaults)
    start = np.array([defaults[name] for name in names])
    free = [n for n, name in enumerate(names) if name != fixed]
    dealt = [_dealt(len(examples)) for examples in sets]
    folds, before, after = [], [], []
    for fold in range(FOLDS):
        learn = _Queries.of(sets, [deal != fold for deal in dealt])
        prove = _Queries.of(sets, [deal == fold for deal in dealt])
        weights = learn.climb(start, free)
        before.append(prove.ndcg(start))
        after.append(prove.ndcg(weights))
        folds.append(Fold(len(before[-1]), prove.mean(start), prove.mean(weights)))
    learnt = _Queries.of(sets, [deal >= 0 for deal in dealt]).climb(start, free)
    return Tuned(
        dict(zip(names, (round(float(weight), 4) for weight in learnt), strict=True)),
        tuple(folds),
        difference(np.concatenate(before).tolist(), np.concatenate(after).tolist()),
    )


def profile(tuned: Tuned, names: str) -> str:
    """The weights as a settings file."""
    before = sum(fold.before for fold in tuned.folds) / len(tuned.folds)
    after = sum(fold.after for fold in tuned.folds) / len(tuned.folds)
    lines = [
        f"# Weights learnt from {' '.join(names.split())}.",
        f"# On queries they were not learnt from, nDCG@10 went from {before:.4f} to {after:.4f}: "
        f"{tuned.change.verdict}.",
        "",
        "[search.weights]",
        *(f"{name} = {weight!r}" for name, weight in tuned.weights.items()),
    ]
    return "\n".join(lines) + "\n"


def _dealt(queries: int) -> NDArray[np.int64]:
    """The fold of each query, as many in each."""
    return np.random.default_rng(SEED).permutation(queries) % FOLDS


def _discounts(depth: int) -> Floats:
    return 1 / np.log2(np.arange(depth) + 2)


@dataclass(frozen=True, slots=True)
class _Queries:
    """Many queries as one block of numbers: [query, candidate, signal], short ones filled up."""

    signals: Floats
    grades: Floats
    ideal: Floats
    share: Floats
    """What each query counts for: all sets the same, and so all queries of a set."""

    @classmethod
    def of(
        cls, sets: Sequence[Sequence[Example]], chosen: Sequence[NDArray[np.bool_]]
    ) -> "_Queries":
        picked = [
            (example, 1 / max(1, int(mask.sum())))
            for examples, mask in zip(sets, chosen, strict=True)
            for example, taken in zip(examples, mask, strict=True)
            if taken
        ]
        most = max((len(example.grades) for example, _ in picked), default=0)
        kinds = max((example.signals.shape[1] for example, _ in picked), default=0)
        signals = np.zeros((len(picked), max(most, DEPTH), kinds))
        grades = np.zeros(signals.shape[:2])
        for row, (example, _) in enumerate(picked):
            signals[row, : len(example.grades)] = example.signals
            grades[row, : len(example.grades)] = example.grades
        share = np.array([part for _, part in picked])
        return cls(
            signals,
            grades,
            np.array([example.ideal for example, _ in picked]),
            share / max(share.sum(), 1e-12),
        )

    def climb(self, start: Floats, free: Sequence[int]) -> Floats:
        """Change one weight at a time while that helps."""
        weights = start.copy()
        best = self._worth(weights, start)
        for _ in range(ROUNDS):
            before = best
            for signal in free:
                for step in STEPS:
                    tried = weights.copy()
                    tried[signal] = (weights[signal] or START) * step
                    worth = self._worth(tried, start)
                    if worth > best + LEAST_GAIN:
                        best, weights = worth, tried
            if best - before < LEAST_GAIN:
                break
        return weights

    def mean(self, weights: Floats) -> float:
        """The mean nDCG with these weights."""
        return float(self.ndcg(weights) @ self.share)

    def ndcg(self, weights: Floats) -> Floats:
        """The nDCG of each query with these weights."""
        scores = self.signals @ weights
        # What fills up a query's candidates has nothing but zeros; real ones have some words.
        top = np.argsort(-scores, axis=1, kind="stable")[:, :DEPTH]
        gains = np.take_along_axis(self.grades, top, axis=1)
        found: Floats = (gains @ _discounts(DEPTH)) / np.maximum(self.ideal, 1e-12)
        return found

    def _worth(self, weights: Floats, start: Floats) -> float:
        away = np.abs(np.log2((np.abs(weights) + START) / (np.abs(start) + START))).sum()
        return self.mean(weights) - PENALTY * float(away)
