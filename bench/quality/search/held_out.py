"""Cross-validation of the weights: are the defaults overfitted to the collections?

Weights are learned from four fifths of the queries of all sets and tested on the last fifth, five
times. If they do no better than the defaults there, the defaults are not overfitted; if they do
much better, the defaults can be improved.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from byway.app.evaluation import EvaluatedEngine, signal_weights
from byway.core.settings.schema import Settings
from byway.evaluate.collections import Collection
from byway.evaluate.weight_tuner import TrainingExample, tune

MAX_QUERIES_PER_SET = 60
"""Queries of a set that are used: the large sets would take an hour."""
MAX_CANDIDATES = 60
"""Candidates of a query that are reranked: lower ones hardly move up."""


def examples(
    collection: Collection, judge: EvaluatedEngine, settings: Settings
) -> list[TrainingExample]:
    """Training examples of a sample of the queries of a set."""
    weights = np.array([*signal_weights(settings).values()])
    found = []
    for query in collection.sample(MAX_QUERIES_PER_SET):
        grades = collection.judgements.get(query.id, {})
        if any(grade > 0 for grade in grades.values()):
            example = judge.training_example(query.text, grades)
            best = np.argsort(-(example.signals @ weights), kind="stable")[:MAX_CANDIDATES]
            found.append(
                TrainingExample(example.signals[best], example.grades[best], example.ideal_dcg)
            )
    return found


def report_lines(sets: Sequence[Sequence[TrainingExample]], settings: Settings) -> Iterator[str]:
    """The nDCG of each fold with the defaults, and with weights learned from the others."""
    tuned = tune(sets, signal_weights(settings))
    yield "held-out queries: nDCG@10 with the default weights, with weights learned from the others"
    for number, fold in enumerate(tuned.folds, 1):
        yield f"  fold {number} {fold.queries:5,} {fold.before:.4f} {fold.after:.4f}"
    before = np.mean([fold.before for fold in tuned.folds])
    after = np.mean([fold.after for fold in tuned.folds])
    yield f"  mean         {before:.4f} {after:.4f}  {tuned.change.verdict_text}"
