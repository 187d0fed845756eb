"""Are the default weights fitted to the sets they are measured on?

Weights are learnt from four fifths of the queries of all sets together and tried on the last
fifth, five times. If they do no better there than the defaults, the defaults owe nothing to these
queries; if the defaults are far behind, there is something to be learnt still.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from byway.app.evaluation import EvaluatedEngine, signal_weights
from byway.core.settings.schema import Settings
from byway.evaluate.collections import Collection
from byway.evaluate.weight_tuner import TrainingExample, tune

MAX_QUERIES_PER_SET = 60
"""Queries of a set that are learnt from: the large ones would take an hour."""
MAX_CANDIDATES = 60
"""Pages of each that are ordered anew: what stands below hardly comes up."""


def examples(
    collection: Collection, judge: EvaluatedEngine, settings: Settings
) -> list[TrainingExample]:
    """Some judged queries of a set, with what the signals say of their best candidates."""
    weights = np.array([*signal_weights(settings).values()])
    found = []
    for one in collection.sample(MAX_QUERIES_PER_SET):
        judged = collection.judgements.get(one.id, {})
        if any(grade > 0 for grade in judged.values()):
            whole = judge.training_example(one.text, judged)
            best = np.argsort(-(whole.signals @ weights), kind="stable")[:MAX_CANDIDATES]
            found.append(TrainingExample(whole.signals[best], whole.grades[best], whole.ideal_dcg))
    return found


def report_lines(sets: Sequence[Sequence[TrainingExample]], settings: Settings) -> Iterator[str]:
    """What each fifth of the queries got with the defaults, and with weights learnt without it."""
    tuned = tune(sets, signal_weights(settings))
    yield "queries held out: nDCG@10 with the default weights, with weights learnt from the others"
    for number, fold in enumerate(tuned.folds, 1):
        yield f"  fold {number} {fold.queries:5,} {fold.before:.4f} {fold.after:.4f}"
    before = np.mean([fold.before for fold in tuned.folds])
    after = np.mean([fold.after for fold in tuned.folds])
    yield f"  mean         {before:.4f} {after:.4f}  {tuned.change.verdict}"
