"""Weight tuner: learns ranking weights from judged queries, with cross-validation.

Coordinate ascent changes one weight at a time while the mean nDCG@10 grows: slow but simple, and it
optimizes the measure itself. Queries are assigned to folds; the result reported for a query is
always from weights learned without it. The seed is fixed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from byway.core.errors import UsageError
from byway.core.messages import t
from byway.core.model.measurement import Fold, TunedWeights
from byway.evaluate.significance import SEED, difference

Floats = NDArray[np.float64]

NDCG_DEPTH = 10
FOLD_COUNT = 5
MAX_ROUNDS = 4
WEIGHT_FACTORS = (0.0, 0.25, 0.5, 0.8, 1.25, 2.0, 4.0)
"""Factors tried for each weight."""
ZERO_WEIGHT_START = 0.02
"""The weight to which factors are applied if it is 0, so that a signal can be switched on."""
MIN_GAIN = 1e-5
DOUBLING_PENALTY = 2e-4
"""The penalty for each doubling away from the default, so that weights do not drift."""


@dataclass(frozen=True, slots=True)
class TrainingExample:
    """One judged query: the signals and the grade of each candidate."""

    signals: Floats
    """[candidate, signal]"""
    grades: Floats
    ideal_dcg: float
    """The DCG of the best possible ranking."""


def ideal_dcg(grades: Sequence[float]) -> float:
    """The DCG of documents with these grades in the best order."""
    best = np.sort(np.asarray(grades, float))[::-1][:NDCG_DEPTH]
    return float((best * _discounts(len(best))).sum())


def tune(
    sets: Sequence[Sequence[TrainingExample]], defaults: Mapping[str, float], fixed: str = "bm25"
) -> TunedWeights:
    """Learn weights from several sets of queries, which count equally.

    One signal's weight is `fixed`: scaling all weights does not change a ranking.
    """
    query_count = sum(map(len, sets))
    if query_count < FOLD_COUNT:
        raise UsageError("evaluate.too_few_queries", count=query_count, minimum=FOLD_COUNT)
    names = list(defaults)
    start = np.array([defaults[name] for name in names])
    free = [n for n, name in enumerate(names) if name != fixed]
    fold_numbers = [_assign_folds(len(examples)) for examples in sets]
    folds, before, after = [], [], []
    for fold in range(FOLD_COUNT):
        training = _TrainingSet.from_examples(sets, [numbers != fold for numbers in fold_numbers])
        held_out = _TrainingSet.from_examples(sets, [numbers == fold for numbers in fold_numbers])
        weights = training.coordinate_ascent(start, free)
        before.append(held_out.ndcg(start))
        after.append(held_out.ndcg(weights))
        folds.append(Fold(len(before[-1]), held_out.mean(start), held_out.mean(weights)))
    all_queries = _TrainingSet.from_examples(sets, [numbers >= 0 for numbers in fold_numbers])
    learned = all_queries.coordinate_ascent(start, free)
    return TunedWeights(
        dict(zip(names, (round(float(weight), 4) for weight in learned), strict=True)),
        tuple(folds),
        difference(np.concatenate(before).tolist(), np.concatenate(after).tolist()),
    )


def weights_toml(tuned: TunedWeights, collection_names: str) -> str:
    """The weights as a settings file, with a comment that names their source."""
    before = sum(fold.before for fold in tuned.folds) / len(tuned.folds)
    after = sum(fold.after for fold in tuned.folds) / len(tuned.folds)
    lines = [
        f"# {t('evaluate.weights.source', names=' '.join(collection_names.split()))}",
        "# "
        + t(
            "evaluate.weights.change",
            before=before,
            after=after,
            verdict=tuned.change.verdict_text,
        ),
        "",
        "[search.weights]",
        *(f"{name} = {weight!r}" for name, weight in tuned.weights.items()),
    ]
    return "\n".join(lines) + "\n"


def _assign_folds(queries: int) -> NDArray[np.int64]:
    """The fold of each query: random folds of equal size."""
    return np.random.default_rng(SEED).permutation(queries) % FOLD_COUNT


def _discounts(depth: int) -> Floats:
    return 1 / np.log2(np.arange(depth) + 2)


@dataclass(frozen=True, slots=True)
class _TrainingSet:
    """Queries as one array [query, candidate, signal], padded with zeros."""

    signals: Floats
    grades: Floats
    ideal_dcg: Floats
    query_weights: Floats
    """The weight of each query: sets have equal weights, as do the queries in a set."""

    @classmethod
    def from_examples(
        cls, sets: Sequence[Sequence[TrainingExample]], masks: Sequence[NDArray[np.bool_]]
    ) -> "_TrainingSet":
        weighted = [
            (example, 1 / max(1, int(mask.sum())))
            for examples, mask in zip(sets, masks, strict=True)
            for example, is_chosen in zip(examples, mask, strict=True)
            if is_chosen
        ]
        candidates = max((len(example.grades) for example, _ in weighted), default=0)
        signal_count = max((example.signals.shape[1] for example, _ in weighted), default=0)
        signals = np.zeros((len(weighted), max(candidates, NDCG_DEPTH), signal_count))
        grades = np.zeros(signals.shape[:2])
        for row, (example, _) in enumerate(weighted):
            signals[row, : len(example.grades)] = example.signals
            grades[row, : len(example.grades)] = example.grades
        weights = np.array([weight for _, weight in weighted])
        return cls(
            signals=signals,
            grades=grades,
            ideal_dcg=np.array([example.ideal_dcg for example, _ in weighted]),
            query_weights=weights / max(weights.sum(), 1e-12),
        )

    def coordinate_ascent(self, start: Floats, free: Sequence[int]) -> Floats:
        """Change one weight at a time while the objective grows."""
        weights = start.copy()
        best = self._objective(weights, start)
        for _ in range(MAX_ROUNDS):
            before = best
            for signal in free:
                for factor in WEIGHT_FACTORS:
                    trial = weights.copy()
                    trial[signal] = (weights[signal] or ZERO_WEIGHT_START) * factor
                    value = self._objective(trial, start)
                    if value > best + MIN_GAIN:
                        best, weights = value, trial
            if best - before < MIN_GAIN:
                break
        return weights

    def mean(self, weights: Floats) -> float:
        """The mean nDCG with these weights."""
        return float(self.ndcg(weights) @ self.query_weights)

    def ndcg(self, weights: Floats) -> Floats:
        """The nDCG of each query with these weights."""
        scores = self.signals @ weights
        # Padding has zeros only; real candidates match some words.
        top = np.argsort(-scores, axis=1, kind="stable")[:, :NDCG_DEPTH]
        gains = np.take_along_axis(self.grades, top, axis=1)
        result: Floats = (gains @ _discounts(NDCG_DEPTH)) / np.maximum(self.ideal_dcg, 1e-12)
        return result

    def _objective(self, weights: Floats, start: Floats) -> float:
        """The mean nDCG minus the penalty for the distance from the default weights."""
        doublings = np.abs(
            np.log2((np.abs(weights) + ZERO_WEIGHT_START) / (np.abs(start) + ZERO_WEIGHT_START))
        ).sum()
        return self.mean(weights) - DOUBLING_PENALTY * float(doublings)
